// One replica evaluated for those that cost the same, against all of them.
#include "draws/fold.h"

#include <gtest/gtest.h>

#include "evaluate/evaluate.h"
#include "evaluate/point.h"
#include "input/experiment/experiment.h"

namespace spillway {
namespace {

// One layout of the devices, and whether its replicas lie alike on nodes of eight devices.
struct DeviceLayout {
  std::string parallel;
  std::uint32_t replicas;
  bool alike;
};

const DeviceLayout kLayouts[] = {{R"({"tensor": 8})", 3, true},
                                 {R"({"tensor": 2, "context": 2, "data": "zero1"})", 4, true},
                                 {R"({"tensor": 4, "data": "zero3"})", 2, true},
                                 {R"({"tensor": 1, "data": "zero2"})", 16, true},
                                 {R"({"tensor": 2})", 3, false}};

Experiment text_job(const DeviceLayout& layout) {
  return read_experiment(
      SPILLWAY_SOURCE_DIR "/workloads/experiments/llama3-405b.json",
      {{"/model/blocks/0/architecture",
        "\"" SPILLWAY_SOURCE_DIR "/workloads/models/llama-3-8b/config.json\""},
       {"/model/blocks/0/separate_vocabulary", "false"},
       {"/parallel", layout.parallel},
       {"/pipeline",
        R"({"ranks": 4, "microbatches": 8, "replicas": )" + std::to_string(layout.replicas) + "}"},
       {"/schedules",
        R"([{"name": "a", "schedule": "1f1b"}, {"name": "b", "schedule": "1f1b,1f1b", "cut": [16]}])"},
       {"/draws", "2"}});
}

// Returns the same microbatches, one sample of text each, as if they were drawn.
Experiment as_drawn(Experiment experiment) {
  WorkloadSpec& workload = std::get<AnalyticExperiment>(experiment.costs).workload;
  workload.packing = Packing::Packed;
  workload.text_only_share = 1;
  workload.text_tokens = {{workload.sequence_tokens}, {1}};
  workload.images_per_sample = {{1}, {1}};
  return experiment;
}

void expect_equal(const RankFigures& a, const RankFigures& b) {
  EXPECT_EQ(a.rank, b.rank);
  EXPECT_EQ(a.replica, b.replica);
  EXPECT_EQ(a.busy, b.busy);
}

void expect_equal(const PeakMemory& a, const PeakMemory& b) {
  EXPECT_EQ(a.rank, b.rank);
  EXPECT_EQ(a.replica, b.replica);
  EXPECT_EQ(a.parts.total(), b.parts.total());
}

template <class Figures>
void expect_equal(const std::vector<Figures>& a, const std::vector<Figures>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) expect_equal(a[i], b[i]);
}

void expect_equal(const DrawResult& a, const DrawResult& b) {
  EXPECT_EQ(a.step, b.step);
  EXPECT_EQ(a.account, b.account);
  EXPECT_FALSE(a.memory.empty());
  expect_equal(a.ranks, b.ranks);
  expect_equal(a.memory, b.memory);
}

void expect_equal(const std::vector<PricedOperator>& a, const std::vector<PricedOperator>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].name + a[i].shape, b[i].name + b[i].shape);
    EXPECT_NEAR(a[i].time / b[i].time, 1, 1e-12);
  }
}

TEST(Fold, EqualReplicasOnAPlatformRunAsOne) {
  for (const DeviceLayout& layout : kLayouts) {
    SCOPED_TRACE(layout.parallel);
    const Experiment experiment = text_job(layout);
    EXPECT_EQ(equal_replicas(folded(experiment, Links::Own)), layout.alike ? layout.replicas : 1);
    const Evaluation one = evaluate(experiment, {.run = {Engine::LongestPath}});
    const Evaluation all = evaluate(as_drawn(experiment), {.run = {Engine::LongestPath}});
    for (std::size_t i = 0; i < all.schedules.size(); ++i) {
      EXPECT_EQ(all.schedules[i].equal_replicas, 1U);
      for (std::size_t draw = 0; draw < 2; ++draw)
        expect_equal(one.schedules[i].draws[draw], all.schedules[i].draws[draw]);
      expect_equal(one.schedules[i].first.operators, all.schedules[i].first.operators);
    }
    Caches caches;
    EXPECT_EQ(evaluate_point(experiment, caches), evaluate_point(as_drawn(experiment), caches));
  }
}

TEST(Fold, ReplicasThatShareLinksOrExpertsOrDifferStayApart) {
  const Experiment experiment = text_job(kLayouts[0]);
  EXPECT_EQ(equal_replicas(folded(experiment, Links::Shared)), 1U);
  EXPECT_EQ(equal_replicas(folded(as_drawn(experiment), Links::Own)), 1U);
  const Experiment experts =
      read_experiment(SPILLWAY_SOURCE_DIR "/workloads/experiments/deepseek-v3-h800.json", {});
  EXPECT_EQ(equal_replicas(folded(experts, Links::Own)), 1U);
}

}  // namespace
}  // namespace spillway
