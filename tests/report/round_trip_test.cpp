// A step from the lists that `derive --format csv` prints takes as long as the original, for every skeleton,
// interleaved or not, and every split of the layers. If not, the lists are refused; they never give another
// step in silence.
#include <gtest/gtest.h>

#include <sstream>

#include "evaluate/evaluate.h"
#include "input/experiment/experiment.h"
#include "optimize/plan.h"
#include "report/order/derivation.h"
#include "support/property.h"
#include "support/skeletons.h"

namespace spillway::testing {
namespace {

std::uint32_t number(std::uint32_t low, std::uint32_t high) {
  return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange<std::uint32_t>(low, high + 1));
}

std::string list_of(const std::vector<std::uint32_t>& numbers) {
  std::string text;
  for (std::uint32_t n : numbers) text += (text.empty() ? "" : ", ") + std::to_string(n);
  return '[' + text + ']';
}

std::string profile() {
  const auto ms = [] { return std::to_string(number(1, 20)); };
  return R"({ "forward_ms": )" + ms() + R"(, "input_gradient_ms": )" + ms() + R"(, "weight_gradient_ms": )" +
         ms() + " }";
}

struct Job {
  std::uint32_t ranks, microbatches, encoder, backbone;
  std::string rest;  // the document without its schedules

  std::uint32_t layers() const { return encoder + backbone; }
  Experiment with(const std::string& schedule) const {
    return parse_experiment(rest + R"("schedules": [ { "name": "a", )" + schedule + " } ] }", "x.json", {});
  }
};

// Every skeleton accepts this number of microbatches, and each stage of wave(2) gets a layer.
Job any_job(bool may_freeze) {
  Job job{number(2, 4), 0, number(1, 6), 0, ""};
  job.microbatches = 2 * job.ranks * number(1, 2);
  job.backbone = 4 * job.ranks + number(0, 6);
  std::vector<std::uint32_t> work;
  for (std::uint32_t m = 0; m < job.microbatches; ++m) work.push_back(number(0, 4));
  const bool frozen = may_freeze && number(0, 1) == 1;
  job.rest = R"({ "schema": "spillway/experiment/1", "name": "x", "pipeline": { "ranks": )" +
             std::to_string(job.ranks) + R"(, "microbatches": )" + std::to_string(job.microbatches) +
             R"( }, "model": { "blocks": [ { "name": "enc", "layers": )" + std::to_string(job.encoder) +
             R"(, "trainable": )" + (frozen ? "false" : "true") + R"(, "work_per_microbatch": )" +
             list_of(work) + R"(, "profile": )" + profile() + R"( }, { "name": "llm", "layers": )" +
             std::to_string(job.backbone) + R"(, "profile": )" + profile() +
             R"( } ] }, "network": { "p2p_ms": )" + std::to_string(number(0, 5)) + R"(, "p2p": ")" +
             (number(0, 1) == 1 ? "blocking" : "overlapped") + R"(" }, )";
  return job;
}

// Returns positive numbers that add up.
std::vector<std::uint32_t> composition(std::uint32_t sum, std::uint32_t parts) {
  std::vector<std::uint32_t> numbers(parts, 1);
  for (std::uint32_t more = parts; more < sum; ++more) ++numbers[number(0, parts - 1)];
  return numbers;
}

// Returns keys of a schedule that split `layers` over the stages of `skeleton`.
std::string any_split(Skeleton skeleton, const Job& job) {
  const auto stages = static_cast<std::uint32_t>(stage_count(skeleton, job.ranks));
  switch (number(0, fold_of(skeleton) == Fold::Straight ? 3 : 2)) {
    case 0:
      return "";
    case 1:
      return R"(, "layers_per_rank": )" + list_of(composition(job.layers(), stages));
    case 2:
      return R"(, "split": "balanced")";
    default:
      return R"(, "split": "disaggregated")";
  }
}

std::string derived_csv(const Experiment& experiment) {
  OrderCache orders;
  std::ostringstream text;
  const PlannedSchedule planned = plan(DrawCosts(experiment), orders, experiment.schedules.front());
  write_derivation(text, planned.derived(), DerivationFormat::Csv);
  return text.str();
}

// Returns the rows as an experiment holds them; a file's rows are read in the same way.
std::string listed_entry(const std::string& csv) {
  std::istringstream lines(csv);
  std::string rows;
  for (std::string line; std::getline(lines, line);) rows += (rows.empty() ? "\"" : ", \"") + line + '"';
  return R"("schedule": "listed", "actions": [)" + rows + ']';
}

Seconds makespan_of(const Experiment& experiment) {
  return evaluate(experiment, {.run = {Engine::LongestPath}}).schedules[0].draws[0].step.makespan;
}

void check_read_back(const Job& job, const std::string& schedule) {
  const Experiment original = job.with(schedule);
  const Experiment read_back = job.with(listed_entry(derived_csv(original)));
  const double expected = makespan_of(original).value();
  RC_TAG(schedule.substr(0, schedule.find(',')));
  RC_ASSERT(std::abs(makespan_of(read_back).value() - expected) <= 1e-12 * expected);
}

RC_GTEST_PROP(RoundTrip, AWrittenScheduleReadBackTakesAsLong, ()) {
  const std::string skeleton =
      *rc::gen::elementOf(std::vector<std::string>(kPipelined.begin(), kPipelined.end()));
  RC_PRE(skeleton != "dualpipe");
  const Job job = any_job(true);
  const Skeleton parsed = std::get<Schedule>(parse_schedule(skeleton)).skeletons.front();
  check_read_back(job, R"("schedule": ")" + skeleton + '"' + any_split(parsed, job));
}

// Interleaved regions become one region, cut at the same layers.
RC_GTEST_PROP(RoundTrip, AWovenScheduleReadBackTakesAsLong, ()) {
  const Job job = any_job(false);
  const std::string skeleton = number(0, 1) == 1 ? "1f1b" : "gpipe";
  const std::uint32_t cut = number(job.ranks, job.layers() - job.ranks);
  const std::string split = number(0, 1) == 1 ? R"(, "split": "balanced")" : "";
  check_read_back(job, R"("schedule": ")" + skeleton + ',' + skeleton + R"(", "cut": [)" +
                           std::to_string(cut) + ']' + split);
}

// After a transposed encoder, the same lists are the order of the listed region, with the same owners.
RC_GTEST_PROP(RoundTrip, ABodyReadBackBehindItsTransposeTakesAsLong, ()) {
  const std::string skeleton =
      *rc::gen::elementOf(std::vector<std::string>(kPipelined.begin(), kPipelined.end()));
  RC_PRE(skeleton != "dualpipe");
  const Job job = any_job(true);
  const std::string owner = R"(, "owner": "round-robin", "cut": [)" + std::to_string(job.encoder) + ']';
  const Experiment original = job.with(R"("schedule": "transpose,)" + skeleton + '"' + owner);
  std::string body = listed_entry(derived_csv(original));
  body.replace(body.find("listed"), 6, "transpose,listed");
  const double expected = makespan_of(original).value();
  RC_ASSERT(std::abs(makespan_of(job.with(body + owner)).value() - expected) <= 1e-12 * expected);
}

// The lists leave out an encoder of several ranks; as the whole model they are refused, not run.
RC_GTEST_PROP(RoundTrip, ABodyIsNotTakenForTheWholeModel, ()) {
  const Job job = any_job(true);
  const Experiment original = job.with(R"("schedule": "transpose,1f1b", "owner": "round-robin", "cut": [)" +
                                       std::to_string(job.encoder) + ']');
  RC_ASSERT_THROWS_AS(job.with(listed_entry(derived_csv(original))), InputError);
}

// An encoder without work is encoded by one rank, the one with the most slack, and is the first stage of the
// lists. Read back, no other rank holds it, so the sum of its gradients over the ranks takes no time here.
RC_GTEST_PROP(RoundTrip, AnEncoderOfOneRankReadBackTakesAsLong, ()) {
  const std::string skeleton =
      *rc::gen::elementOf(std::vector<std::string>(kPipelined.begin(), kPipelined.end()));
  RC_PRE(skeleton != "dualpipe");
  Job job = any_job(false);
  const std::size_t work = job.rest.find("\"work_per_microbatch\""), end = job.rest.find(']', work);
  job.rest.replace(work, end - work, "\"work_per_microbatch\": [0");
  for (std::uint32_t m = 1; m < job.microbatches; ++m) job.rest.insert(job.rest.find(']', work), ", 0");
  job.rest.insert(job.rest.find("\"p2p_ms\""), "\"reduction_ms\": 0, ");
  check_read_back(job, R"("schedule": "transpose,)" + skeleton + R"(", "owner": "greedy", "cut": [)" +
                           std::to_string(job.encoder) + ']');
}

TEST(RoundTrip, WhatNoListCanHoldIsRefused) {
  const std::string start = R"({ "schema": "spillway/experiment/1", "name": "x", "pipeline": { "ranks": 2,
    "microbatches": 4 }, "model": { "blocks": [ { "name": "enc", "layers": 2, "trainable": false, "profile":
    { "forward_ms": 1, "input_gradient_ms": 1, "weight_gradient_ms": 1 } }, { "name": "llm", "layers": 4, "profile":
    { "forward_ms": 1, "input_gradient_ms": 1, "weight_gradient_ms": 1 } } ] }, )";
  const Job job{2, 4, 2, 4, start};
  for (const std::string schedule : {R"("schedule": "dualpipe")", R"("schedule": "1f1b,1f1b", "cut": [2])"}) {
    const std::string csv = derived_csv(job.with(schedule));
    EXPECT_THROW(job.with(listed_entry(csv)), InputError) << csv;
  }
}

}  // namespace
}  // namespace spillway::testing
