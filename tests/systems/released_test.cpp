// Mpipe as released: the order of every rank against the runtime's own rules, closed forms, memory and
// traffic.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <tuple>

#include "evaluate/evaluate.h"
#include "evaluate/priced_draw.h"
#include "optimize/plan.h"
#include "random_job.h"
#include "support/engines.h"
#include "support/property.h"

namespace spillway {
namespace {

using testing::kLongestPath;
using testing::SystemTestJob;

std::string released(const SystemTestJob& job, const std::string& more) {
  return R"({ "name": "s", "system": "mpipe-released", "body": ")" + job.body() + "\"" + more + " }";
}

ScheduleResult evaluated_as(const SystemTestJob& job, const std::string& entry,
                            Engines engines = kLongestPath) {
  return evaluate(job.under(entry), engines).schedules.front();
}

std::vector<Seconds> released_steps(const SystemTestJob& job, const std::string& entry) {
  std::vector<Seconds> all;
  for (const DrawResult& draw : evaluated_as(job, entry).draws) all.push_back(draw.step.makespan);
  return all;
}

double step_ms(const SystemTestJob& job, const std::string& more) {
  return released_steps(job, released(job, more)).front().value() * 1e3;
}

const std::string kMin = R"(, "ownership": "min")", kOwners = R"(, "owner_backward": true)";

// The steps of a rank, in order: whether it is the input's, whether it is a backward, the body's stage, and
// the microbatch.
using Steps = std::vector<std::tuple<bool, bool, std::uint32_t, std::uint32_t>>;

Steps steps_on(const Derived& derived, RankId rank, bool has_input) {
  Steps steps;
  for (const EventId id : derived.order.nodes(rank)) {
    const Event& event = derived.order.event(id);
    if (!event.computes()) continue;
    const Stage& stage = derived.stage(event.stage);
    const bool input = has_input && stage.region.index() == 0;
    const std::uint32_t region = stage.region.index() - (has_input && !input ? 1 : 0);
    steps.emplace_back(input, !event.runs_forward(), input ? 0 : region, event.microbatch.index());
  }
  return steps;
}

struct Mode {
  bool min, owners;

  std::string text() const { return (min ? kMin : "") + (owners ? kOwners : ""); }
};

// Returns the order that the runtime's construct_exec_order makes from the body's order on the rank.
Steps released_order(const Steps& body, std::uint32_t rank, std::uint32_t ranks, std::uint32_t microbatches,
                     bool trained, Mode mode) {
  const std::uint32_t transposed = std::min(ranks, microbatches);
  const auto owner = [&](std::uint32_t m) { return mode.min && m >= transposed ? 0 : m % transposed; };
  Steps steps;
  for (std::uint32_t m = 0; m < (mode.min ? transposed : microbatches); ++m)
    if (owner(m) == rank) steps.emplace_back(true, false, 0, m);
  for (const auto& step : body) {
    const auto [input, backward, stage, m] = step;
    const bool first = rank == 0 && stage == 0;
    if (first && !backward && mode.min && m >= transposed) steps.emplace_back(true, false, 0, m);
    steps.push_back(step);
    if (first && backward && trained && (!mode.owners || owner(m) == 0)) steps.emplace_back(true, true, 0, m);
  }
  for (std::uint32_t m = 0; rank > 0 && trained && mode.owners && m < microbatches; ++m)
    if (owner(m) == rank) steps.emplace_back(true, true, 0, m);
  return steps;
}

RC_GTEST_PROP(MpipeReleased, RunsTheRuntimesOwnOrder, ()) {
  SystemTestJob job = *testing::random_system_job();
  const Mode mode{*rc::gen::arbitrary<bool>(), job.trained && *rc::gen::arbitrary<bool>()};
  SystemTestJob trained = job;  // a frozen first stage would run no backwards
  trained.trained = true;
  const auto body =
      evaluated_as(trained, R"({ "name": "b", "system": "megatron", "body": ")" + job.body() + "\" }");
  const auto found = evaluated_as(job, released(job, mode.text()));
  for (std::uint32_t rank = 0; rank < job.ranks; ++rank)
    RC_ASSERT(steps_on(*found.derived, RankId(rank), true) ==
              released_order(steps_on(*body.derived, RankId(rank), false), rank, job.ranks, job.microbatches,
                             job.trained, mode));
}

RC_GTEST_PROP(MpipeReleased, IsOneStepUnderAllEngines, ()) {
  SystemTestJob job = *testing::random_system_job();
  const Mode mode{*rc::gen::arbitrary<bool>(), job.trained && *rc::gen::arbitrary<bool>()};
  const auto found = evaluated_as(job, released(job, mode.text()),
                                  {.run = {Engine::LongestPath, Engine::MaxPlus, Engine::SimGrid}});
  for (const DrawResult& draw : found.draws)
    for (const Engine engine : {Engine::MaxPlus, Engine::SimGrid})
      RC_ASSERT(std::abs((*draw.makespans[engine] - *draw.makespans[Engine::LongestPath]).value()) <=
                1e-9 * draw.step.makespan.value());
}

// Gradients return to their owners only after the first rank has finished its pipeline.
RC_GTEST_PROP(MpipeReleased, SendsGradientsBackWhenTheFirstRankIsThrough, ()) {
  SystemTestJob job = *testing::random_system_job();
  job.trained = true;
  const auto found = evaluated_as(job, released(job, kOwners));
  const Derived& derived = *found.derived;
  Seconds through;
  for (const EventId id : derived.order.nodes(RankId(0)))
    if (derived.order.event(id).computes() && derived.stage(derived.order.event(id).stage).region.index() > 0)
      through = std::max(through, found.first.timeline.end.at(id, 0));
  std::uint32_t sent = 0;
  for (std::uint32_t id = 0; id < derived.order.event_count(); ++id) {
    const Event& event = derived.order.event(EventId(id));
    if (!event.transfers() || event.comm != Comm::Scatter) continue;
    ++sent;
    RC_ASSERT(found.first.timeline.start.at(EventId(id), 0) >= through);
  }
  RC_ASSERT(sent == job.microbatches - job.microbatches / job.ranks);
}

RC_GTEST_PROP(MpipeReleased, WithNothingTransposedIsTheBody, ()) {
  SystemTestJob job = *testing::random_system_job();
  RC_ASSERT(released_steps(job, released(job, R"(, "transposed_layers": 0)")) ==
            released_steps(job, R"({ "name": "s", "system": "megatron", "body": ")" + job.body() + "\" }"));
}

// Without the prefix both are the body; the barrier only adds waiting.
RC_GTEST_PROP(MpipeReleased, IsNeverFasterThanThePapersOrderWithTheSameOwners, ()) {
  SystemTestJob job = *testing::random_system_job();
  job.trained = false;
  const Seconds paper =
      released_steps(
          job, R"({ "name": "s", "system": "mpipe", "owner": "round-robin", "split": "by-count", "body": ")" +
                   job.body() + "\" }")
          .front();
  RC_ASSERT(released_steps(job, released(job, "")).front() >= paper * (1 - 1e-12));
}

// The first microbatch is encoded in 1 ms, the second in 10 ms on rank 1. The barrier waits for both.
TEST(MpipeReleased, BeginsWhenAllHasBeenEncoded) {
  const SystemTestJob job{.ranks = 2,
                          .microbatches = 2,
                          .encoder = 1,
                          .backbone = 4,
                          .encoder_ms = 1,
                          .backbone_ms = 1,
                          .trained = false,
                          .work = {1, 10}};
  EXPECT_NEAR(step_ms(job, ""), 10 + (2 + 1) * 6, 1e-9);
  EXPECT_LT(
      released_steps(job, R"({ "name": "s", "system": "mpipe", "owner": "round-robin" })").front().value(),
      27e-3);
}

// By hand, with free transfers: P = 2, M = 4, encodes of 1 ms, forwards of 2 and backwards of 4 ms. Rank 0
// encodes the third and the fourth right before their forwards, whether or not it would otherwise wait for
// rank 1.
TEST(MpipeReleased, MinLeavesTheRestToTheFirstRank) {
  const SystemTestJob job{.ranks = 2,
                          .microbatches = 4,
                          .encoder = 1,
                          .backbone = 4,
                          .encoder_ms = 1,
                          .backbone_ms = 1,
                          .trained = false};
  const DrawResult draw = evaluated_as(job, released(job, kMin)).draws.front();
  EXPECT_NEAR(draw.ranks[0].busy.value(), 3e-3 + 4 * 6e-3, 1e-12);
  EXPECT_NEAR(draw.ranks[1].busy.value(), 1e-3 + 4 * 6e-3, 1e-12);
  EXPECT_NEAR(step_ms(job, R"(, "ownership": "full")"), 2 + (4 + 1) * 6, 1e-9);
}

// P = 2, M = 2. An encode takes 1 ms and its backward 2; the pipeline's forwards take 2, its backwards 4.
SystemTestJob two_by_two() {
  return {.ranks = 2, .microbatches = 2, .encoder = 1, .backbone = 4, .encoder_ms = 1, .backbone_ms = 1};
}

// e1 | F1 F2 (2) B1 e1'b1 (1) B2 e2'b2: 1 + 4 + 4 + 4 + 3 + 4 + 3 ms; with owners e1 | F1 F2 (4) B1 b1 B2 |
// b2 on rank 1: 1 + 4 + 4 + 4 + 2 + 4 + 2. The step waits for a hop of 1 ms in the broadcast, the gather, and
// to rank 1 and back; with owners also for the returned gradient and the reduction over both ranks.
TEST(MpipeReleased, TakesWhatItsTwoBackwardsTakeByHand) {
  SystemTestJob job = two_by_two();
  EXPECT_NEAR(step_ms(job, ""), 23, 1e-9);
  EXPECT_NEAR(step_ms(job, kOwners), 21, 1e-9);
  job.p2p_ms = 1;
  EXPECT_NEAR(step_ms(job, ""), 27, 1e-9);
  EXPECT_NEAR(step_ms(job, kOwners), 27, 1e-9);
}

// Owners keep the 100 bytes of activations of their encodes; the first rank recomputes one encode at a time.
TEST(MpipeReleased, KeepsActivationsOnlyForTheOwnersBackwards) {
  const SystemTestJob job{.ranks = 2, .microbatches = 4, .encoder = 1, .backbone = 4};
  const auto peak = [&](const std::string& more, std::uint32_t rank) {
    return evaluated_as(job, released(job, more)).draws.front().memory[rank].parts;
  };
  EXPECT_EQ(peak(kOwners, 1).transposed, Bytes(2 * 100));
  for (const std::uint32_t rank : {0U, 1U}) EXPECT_EQ(peak("", rank).transposed, Bytes(0));
}

// Each layer has two bytes of parameters, four of gradients, twelve of the optimizer, and an output of 7.
Experiment with_states(const SystemTestJob& job, const std::string& entry) {
  std::string document = job.document(entry);
  const std::string key = R"("activation_bytes": 100)";
  for (std::size_t at = 0; (at = document.find(key, at)) != std::string::npos; at += key.size())
    document.replace(
        at, key.size(),
        key + R"(, "parameter_bytes": 2, "gradient_bytes": 4, "optimizer_bytes": 12, "output_bytes": 7)");
  return parse_experiment(document, "job.json", {});
}

// Each pipeline stage has two layers, and the encoder has three.
TEST(MpipeReleased, HoldsStatesOfTransposedLayersWhereTheyAreTrained) {
  const SystemTestJob job{.ranks = 2, .microbatches = 4, .encoder = 3, .backbone = 4};
  const auto state = [&](const std::string& more, std::uint32_t rank) {
    const Evaluation evaluation = evaluate(with_states(job, released(job, more)), kLongestPath);
    return evaluation.schedules.front().draws.front().memory[rank].parts.state;
  };
  for (const std::string& more : {std::string(), kMin}) {
    EXPECT_EQ(state(more, 0), (ModelState{Bytes(5 * 2), Bytes(5 * 4), Bytes(5 * 12)}));
    EXPECT_EQ(state(more, 1), (ModelState{Bytes(5 * 2), Bytes(2 * 4), Bytes(2 * 12)}));
  }
  EXPECT_EQ(state(kOwners, 1), (ModelState{Bytes(5 * 2), Bytes(5 * 4), Bytes(5 * 12)}));
}

// The barrier lets all four outputs arrive before the first is used; min lets only the two that are encoded
// first.
TEST(MpipeReleased, HoldsOutputsThatWaitForTheirForward) {
  const SystemTestJob job{
      .ranks = 2, .microbatches = 4, .encoder = 1, .backbone = 4, .trained = false, .work = {1, 1, 1, 9}};
  const auto most = [&](const std::string& more) {
    const Evaluation evaluation = evaluate(with_states(job, released(job, more)), kLongestPath);
    const ScheduleResult& schedule = evaluation.schedules.front();
    Bytes waits;
    for (const PeakMemory& peak : schedule.draws.front().memory)
      if (peak.rank == RankId(0)) waits = std::max(waits, peak.parts.total());
    return waits;
  };
  EXPECT_GT(most(""), most(kMin));
}

struct PricedBytes {
  Bytes parameters, outputs, inputs;
};

// Returns what the first devices' ports carry in replica 0 of Qwen2-VL of 72 B on 256 H100.
PricedBytes released_bytes(const std::string& entry) {
  const std::string path = std::string(SPILLWAY_SOURCE_DIR) + "/workloads/experiments/qwen2-vl-72b.json";
  std::ifstream in(path);
  nlohmann::json job = nlohmann::json::parse(in);
  job["schedules"] = nlohmann::json::parse('[' + entry + ']');
  job.erase("baseline");
  const Experiment experiment = parse_experiment(job.dump(), path, {});
  const DrawCosts costs(experiment);
  OrderCache orders;
  const PlannedSchedule planned = plan(costs, orders, experiment.schedules.front());
  const Derived& derived = planned.derived();
  const PricedDraw draw = price_draw(costs, derived, MicrobatchOrder::AsSampled, 0);
  PricedBytes all;
  for (std::uint32_t id = 0; id < derived.order.event_count(); ++id) {
    const Event& event = derived.order.event(EventId(id));
    const Bytes payload = draw.prices.payload.at(EventId(id), 0);
    if (event.kind == EventKind::Broadcast) all.parameters += payload;
    if (event.comm != Comm::Gather || !event.transfers()) continue;
    all.outputs += draw.costs().received(event, ReplicaId(0));
    all.inputs += payload - draw.costs().received(event, ReplicaId(0));
  }
  return all;
}

// The tower has 699,356,672 parameters of 2 bytes. A patch has 3 x 2 x 14 x 14 values and makes a quarter of
// a token of 8192. Each of a rank's eight devices reads its own patches and sends an eighth of the output.
TEST(MpipeReleased, MovesParametersAndInputsAsBytes) {
  const PricedBytes first = released_bytes(R"({ "name": "s", "system": "mpipe-released" })");
  const PricedBytes owners =
      released_bytes(R"({ "name": "s", "system": "mpipe-released", "owner_backward": true })");
  EXPECT_EQ(first.parameters, Bytes(2 * 699356672.0));
  EXPECT_EQ(owners.parameters, first.parameters);
  EXPECT_EQ(owners.inputs, Bytes());
  EXPECT_EQ(owners.outputs, first.outputs);
  EXPECT_GE(first.inputs / first.outputs, 1176 * 4.0 / 8192);
}

// In another order microbatches have other owners, and their inputs still stay there.
TEST(Mpipe, SendsNoInputsWhateverTheOrder) {
  const std::string path = std::string(SPILLWAY_SOURCE_DIR) + "/workloads/experiments/qwen2-vl-72b.json";
  std::ifstream in(path);
  nlohmann::json job = nlohmann::json::parse(in);
  job["schedules"] =
      nlohmann::json::parse(R"([ { "name": "s", "system": "mpipe", "order": "heaviest-first" } ])");
  job["draws"] = 1;
  job.erase("baseline");
  const Experiment experiment = parse_experiment(job.dump(), path, {});
  EXPECT_NO_THROW(evaluate(experiment, kLongestPath));
}

}  // namespace
}  // namespace spillway
