// Limits of a job: what keeps within them, and what is said if nothing does.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "search/search.h"
#include "small_jobs.h"

namespace spillway {
namespace {

TEST(PlanSearch, SaysWhichLimitIsBroken) {
  JobJson job = text_job();
  job["limits"]["days"] = 1e-6;
  const PlanJob slow = job_from(job);
  const SearchResult none = searched(slow, legal_layouts(slow), 3);
  EXPECT_TRUE(none.plans.empty());
  EXPECT_NE(none.refusal.find("days"), std::string::npos) << none.refusal;
  EXPECT_NE(none.refusal.find("1e-06"), std::string::npos) << none.refusal;
  job = text_job();
  job["clusters"][0]["memory_limit_gb"] = 0.1;
  const PlanJob small = job_from(job);
  const SearchResult misfit = searched(small, legal_layouts(small), 3);
  EXPECT_TRUE(misfit.plans.empty());
  EXPECT_NE(misfit.refusal.find("no plan fits"), std::string::npos) << misfit.refusal;
}

// Photos that no sequence holds are refused by every layout, as a run refuses them.
TEST(PlanSearch, SaysWhyNoLayoutCanBeEvaluated) {
  JobJson job = image_job();
  job["workload"] = {{"trace", written("photos.csv", "width,height\n4000,3000\n")},
                     {"rule", {{"max_pixels", 12845056}}},
                     {"images_per_sample", 1},
                     {"text_tokens", 100},
                     {"packing", "packed"},
                     {"sequence_tokens", 2048}};
  const PlanJob photos = job_from(job);
  const SearchResult none = searched(photos, legal_layouts(photos), 3);
  EXPECT_TRUE(none.plans.empty());
  EXPECT_NE(none.refusal.find("cannot be evaluated, the first, "), std::string::npos) << none.refusal;
  EXPECT_NE(none.refusal.find("/workload/sequence_tokens: expected room for at least half"),
            std::string::npos)
      << none.refusal;
  EXPECT_EQ(none.refusal.find("is legal"), std::string::npos) << none.refusal;
}

TEST(PlanSearch, SaysThatMuonTakesWholeMatrices) {
  JobJson job = text_job();
  job["parallel"]["muon_num_ns_steps"] = 5;
  job["search"]["data"] = {"zero3"};
  const PlanJob sharded = job_from(job);
  EXPECT_EQ(searched(sharded, legal_layouts(sharded), 3).refusal,
            "no layout is legal: Muon takes whole matrices, and search.data has neither plain nor zero1");
}

TEST(PlanSearch, KeepsWithinLimits) {
  JobJson job = text_job();
  const PlanJob free = job_from(job);
  const SearchResult all = searched(free, legal_layouts(free), 1000);
  const double days = *days_of(free, all.plans[all.plans.size() / 2]);
  job["limits"]["days"] = days;
  const PlanJob limited = job_from(job);
  const SearchResult some = searched(limited, legal_layouts(limited), 1000);
  EXPECT_GT(some.counts.beyond_limits, 0u);
  for (const EvaluatedPlan& plan : some.plans) EXPECT_LE(*days_of(limited, plan), days);
}

TEST(PlanSearch, LeavesMemoryFreeButOfALimitThatIsStated) {
  JobJson job = text_job();
  const auto fullest_of = [&] {
    const PlanJob read = job_from(job);
    double fullest = 0;
    for (const EvaluatedPlan& plan : searched(read, legal_layouts(read), 1000).plans)
      fullest = std::max(fullest, *plan.outcome.schedules.front().peak_memory / *plan.outcome.memory_limit);
    return fullest;
  };
  EXPECT_LE(fullest_of(), 0.95);
  job["limits"]["memory_headroom"] = 0;
  const double whole = fullest_of();
  job["limits"]["memory_headroom"] = 1 - 0.9 * whole;
  const double less = fullest_of();
  EXPECT_GT(less, 0.0);
  EXPECT_LE(less, 0.9 * whole);
  const Bytes held = job_from(job).clusters.front().platform().accelerator.memory.value;
  for (JobJson& cluster : job["clusters"]) cluster["memory_limit_gb"] = held.value() * 1e-9;
  EXPECT_DOUBLE_EQ(fullest_of(), whole);
}

}  // namespace
}  // namespace spillway
