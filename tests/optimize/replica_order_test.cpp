// Replicas in another order are the same replicas: no plan made from all of them may change.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <sstream>
#include <string>

#include "input/experiment/experiment.h"
#include "optimize/plan.h"
#include "support/long_property.h"
#include "support/pipelines.h"

namespace spillway {
namespace {

using Work = std::vector<std::vector<double>>;  // by replica and microbatch

std::string text(const Work& work) {
  std::ostringstream text;
  text.precision(17);
  text << "[";
  for (std::size_t r = 0; r < work.size(); ++r) {
    text << (r > 0 ? ", [" : "[");
    for (std::size_t m = 0; m < work[r].size(); ++m) text << (m > 0 ? ", " : "") << work[r][m];
    text << "]";
  }
  text << "]";
  return text.str();
}

// Draws factors that binary fractions cannot hold, so that sums in another order differ in their last bits.
Work any_work(std::uint32_t replicas, std::uint32_t microbatches) {
  Work work(replicas);
  for (auto& row : work)
    for (std::uint32_t m = 0; m < microbatches; ++m) row.push_back(*rc::gen::inRange(0, 31) * 0.1);
  return work;
}

Work reordered(const Work& work, const std::vector<std::size_t>& order) {
  Work moved;
  for (const std::size_t replica : order) moved.push_back(work[replica]);
  return moved;
}

struct ReplicatedJob {
  std::uint32_t ranks, microbatches, replicas;
  std::string schedule, owner;
  double encode, forward;
};

Experiment experiment(const ReplicatedJob& job, const Work& enc, const Work& llm) {
  const Schedule schedule = testing::schedule(job.schedule);
  const bool sink = schedule.skeletons.back() == SkeletonKind::Transpose;
  const std::uint32_t stages = testing::stages_of(schedule.skeletons[1], job.ranks);
  std::ostringstream all;
  all.precision(17);
  const auto block = [&](const char* name, std::uint32_t layers, double each, const Work& work) {
    all << R"({"name": ")" << name << R"(", "layers": )" << layers << R"(, "trainable": true, "profile": {)"
        << R"("forward_ms": )" << each << R"(, "input_gradient_ms": )" << each
        << R"(, "weight_gradient_ms": )" << each << R"(}, "work_per_microbatch": )" << text(work) << "}";
  };
  all << R"({"schema": "spillway/experiment/1", "name": "x", "pipeline": {"ranks": )" << job.ranks
      << R"(, "microbatches": )" << job.microbatches << R"(, "replicas": )" << job.replicas
      << R"(}, "model": {"blocks": [)";
  block("enc", 1, job.encode, enc);
  all << ", ";
  block("llm", stages, job.forward, llm);
  if (sink) all << ", ";
  if (sink) block("gen", 1, job.encode, enc);
  all << R"(]}, "network": {"p2p_ms": 0.3}, "schedules": [{"name": "a", "schedule": ")" << job.schedule
      << R"(", "owner": ")" << job.owner << R"(", "cut": [1)";
  if (sink) all << ", " << stages + 1;
  all << "]}]}";
  return parse_experiment(all.str(), "x.json", {});
}

std::vector<std::string> computing(const Derived& derived) {
  std::vector<std::string> names;
  for (std::uint32_t rank = 0; rank < derived.pipeline.ranks; ++rank)
    for (const EventId id : derived.order.nodes(RankId(rank)))
      if (derived.order.event(id).computes()) names.push_back(event_name(derived.order.event(id), derived));
  return names;
}

std::vector<std::string> planned_computing(const Experiment& experiment) {
  OrderCache orders;
  return computing(plan(DrawCosts(experiment), orders, experiment.schedules.front()).derived());
}

ReplicatedJob any_replicated_job(const std::string& schedule) {
  ReplicatedJob job{2 * *rc::gen::inRange(1U, 3U), 0, *rc::gen::inRange(2U, 6U), schedule, "", 0, 0};
  job.microbatches = 2 * job.ranks + 2 * *rc::gen::inRange(0U, 3U);
  job.owner = *rc::gen::elementOf(std::vector<std::string>{"greedy", "min-max", "makespan", "blocked"});
  job.encode = *rc::gen::inRange(1, 100) * 0.1;
  job.forward = *rc::gen::inRange(1, 100) * 0.1;
  return job;
}

std::vector<std::string> every_schedule() {
  std::vector<std::string> schedules;
  for (const char* skeleton : testing::kPipelined) schedules.push_back(std::string("transpose,") + skeleton);
  for (const char* skeleton : {"1f1b", "zb-1p", "dualpipe"})
    schedules.push_back(std::string("transpose,") + skeleton + ",transpose");
  return schedules;
}

SPILLWAY_LONG_PROP(ReplicaOrder, ChangesNoPlan, 100) {
  const ReplicatedJob job = any_replicated_job(*rc::gen::elementOf(every_schedule()));
  const Work enc = any_work(job.replicas, job.microbatches), llm = any_work(job.replicas, job.microbatches);
  std::vector<std::size_t> order(job.replicas);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::rotate(order.begin(), order.begin() + 1, order.end());
  if (*rc::gen::arbitrary<bool>()) std::reverse(order.begin(), order.end());
  RC_LOG() << job.schedule << ' ' << job.owner << ' ' << text(enc) << text(llm) << '\n';
  RC_ASSERT(planned_computing(experiment(job, enc, llm)) ==
            planned_computing(experiment(job, reordered(enc, order), reordered(llm, order))));
}

}  // namespace
}  // namespace spillway
