// Layouts that the search leaves out by sense.
#include "search/sense.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "small_jobs.h"

namespace spillway {
namespace {

// 32 layers on 32 devices. No list of /search but those of the argument.
PlanJob wide_job(const JobJson& search) {
  JobJson job = text_job();
  job["model"]["blocks"][0]["layers"] = 32;
  job["clusters"][0]["devices"] = {32};
  job["batch"]["sequences"] = 64;
  job["search"] = search;
  return job_from(job);
}

template <class IsSo>
std::size_t searched_where(const PlanJob& job, IsSo is_so) {
  return static_cast<std::size_t>(std::ranges::count_if(searched_layouts(job).layouts, is_so));
}

bool is_one_deep_replica(const PlanLayout& one) {
  return one.replicas == 1 && one.ranks > 16;
}
bool has_few_microbatches(const PlanLayout& one) {
  return one.microbatches < one.ranks;
}
bool shares_several(const PlanLayout& one) {
  return one.context > 1 && one.microbatch > 1;
}

TEST(Sense, LeavesOutOneReplicaOfManyRanks) {
  EXPECT_EQ(searched_where(wide_job({{"data", {"zero1"}}}), is_one_deep_replica), 0u);
  EXPECT_GT(searched_where(wide_job({{"data", {"zero1"}}, {"ranks", {16, 32}}}), is_one_deep_replica), 0u);
  const PlanJob sixteen = wide_job({{"data", {"zero1"}}});
  EXPECT_GT(searched_where(sixteen, [](const PlanLayout& one) { return one.ranks == 16; }), 0u);
}

TEST(Sense, LeavesOutFewerMicrobatchesThanRanks) {
  EXPECT_EQ(searched_where(wide_job({{"data", {"zero1"}}}), has_few_microbatches), 0u);
  EXPECT_GT(searched_where(wide_job({{"ranks", {8}}}), has_few_microbatches), 0u);
  EXPECT_GT(searched_where(wide_job({{"microbatch_sequences", {8}}}), has_few_microbatches), 0u);
  const PlanJob job = wide_job({{"data", {"zero1"}}});
  EXPECT_GT(searched_where(job, [](const PlanLayout& one) { return one.microbatches == one.ranks; }), 0u);
}

TEST(Sense, LeavesOutSharedSequencesInMicrobatchesOfSeveral) {
  EXPECT_EQ(searched_where(wide_job({{"data", {"zero1"}}}), shares_several), 0u);
  EXPECT_GT(searched_where(wide_job({{"context", {1, 2}}}), shares_several), 0u);
  EXPECT_GT(searched_where(wide_job({{"microbatch_sequences", {1, 2}}}), shares_several), 0u);
}

// Encode-first moves samples to other replicas, so it stays.
TEST(Sense, LeavesOutTransposedRegionsOnOneRank) {
  JobJson job = image_job();
  job["search"].erase("all");
  job["batch"]["sequences"] = 8;
  const auto transposed = [](const PlanJob& read) {
    return searched_where(read, [&](const PlanLayout& one) {
      const ScheduleChoice& schedule = read.search.schedules[one.schedule];
      return one.ranks == 1 && transposes(schedule.schedule) && !schedule.moves_samples;
    });
  };
  EXPECT_EQ(transposed(job_from(job)), 0u);
  job["search"]["schedules"] = {"1f1b", "transpose,1f1b"};
  EXPECT_GT(transposed(job_from(job)), 0u);
}

TEST(Sense, LeavesOutRecomputationWithoutABackward) {
  JobJson job = image_job();
  job["search"].erase("all");
  job["search"].erase("recompute");
  job["batch"]["sequences"] = 8;
  const auto again = [](const PlanLayout& one) { return one.recompute != Recompute::None; };
  EXPECT_GT(searched_where(job_from(job), again), 0u);
  for (auto& block : job["model"]["blocks"]) block["recompute"] = "none";
  EXPECT_EQ(searched_where(job_from(job), again), 0u);
  job["search"]["recompute"] = {"none", "full"};
  EXPECT_GT(searched_where(job_from(job), again), 0u);
}

// With fused attention each selective layout needs the memory of the same without recomputation, or more.
TEST(Sense, LeavesOutSelectiveRecomputationThatSavesNothing) {
  const auto selective = [](const PlanLayout& one) { return one.recompute == Recompute::Selective; };
  JobJson job = text_job();
  job["clusters"][0]["devices"] = {8};
  job["search"] = {{"schedules", {"1f1b", "1f1b,1f1b", "zb-h1"}}};
  const PlanJob fused = job_from(job);
  EXPECT_EQ(searched_where(fused, selective), 0u);
  const std::vector<PlanLayout> layouts = legal_layouts(fused);
  LayoutEvaluator evaluator(fused, layouts);
  const auto outcome = [&](PlanLayout layout, Recompute recompute) {
    layout.recompute = recompute;
    const auto place = std::ranges::find(layouts, layout);
    return evaluator(static_cast<std::size_t>(place - layouts.begin())).schedules.front();
  };
  std::size_t compared = 0;
  for (std::size_t i = 0; i < layouts.size(); i += 9, ++compared) {
    const ScheduleOutcome with = outcome(layouts[i], Recompute::Selective),
                          without = outcome(layouts[i], Recompute::None);
    EXPECT_GE(*with.peak_memory, *without.peak_memory);
    EXPECT_GE(with.makespans.front(), without.makespans.front());
  }
  EXPECT_GT(compared, 20u);
  for (auto& block : job["model"]["blocks"]) block["attention"] = "unfused";
  EXPECT_GT(searched_where(job_from(job), selective), 0u);
  job["search"]["recompute"] = {"selective"};
  for (auto& block : job["model"]["blocks"]) block.erase("attention");
  EXPECT_GT(searched_where(job_from(job), selective), 0u);
}

TEST(Sense, SearchesAllLayoutsIfAsked) {
  const PlanJob all = wide_job({{"data", {"zero1"}}, {"all", true}});
  EXPECT_EQ(searched_layouts(all).layouts, legal_layouts(all));
  EXPECT_EQ(searched_layouts(all).left_out, 0u);
}

TEST(Sense, SearchesTheLegalLayoutsThatBreakNoRule) {
  const PlanJob job = wide_job({{"data", {"zero1"}}});
  std::vector<PlanLayout> left = legal_layouts(job);
  const std::size_t legal = left.size();
  std::erase_if(left, [&](const PlanLayout& one) { return without_sense(job, one).has_value(); });
  const SearchedLayouts searched = searched_layouts(job);
  EXPECT_EQ(searched.layouts, left);
  EXPECT_EQ(searched.left_out, legal - left.size());
  EXPECT_GT(searched.left_out, 0u);
}

}  // namespace
}  // namespace spillway
