// The rules of one layout against the list of all legal ones.
#include "search/layout_rules.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "cost/network/parallelism.h"
#include "small_jobs.h"

namespace spillway {
namespace {

// Calls `visit` for layouts with these sizes and everything that the job's lists have, legal or not.
template <class Visit>
void for_each_layout(const PlanJob& job, Visit visit) {
  const std::vector<std::uint32_t> sizes = {1, 2, 3, 4, 8};
  for (std::size_t cluster = 0; cluster < job.clusters.size(); ++cluster)
    for (const std::uint32_t devices : job.clusters[cluster].devices)
      for (const std::uint32_t ranks : sizes)
        for (const std::uint32_t tensor : sizes)
          for (const std::uint32_t context : {1U, 2U})
            for (const std::uint32_t expert : {1U, 2U, 3U})
              for (const std::uint32_t replicas : sizes)
                for (const std::uint32_t microbatch : {1U, 2U, 3U})
                  for (const std::uint32_t more : {0U, 1U}) {
                    PlanLayout layout = {cluster,
                                         devices,
                                         ranks,
                                         tensor,
                                         context,
                                         expert,
                                         replicas,
                                         0,
                                         microbatch,
                                         Recompute::None,
                                         DataParallel::Plain,
                                         0};
                    layout.microbatches = job.batch / replicas / microbatch + more;
                    visit(layout);
                  }
}

bool is_legal(const PlanJob& job, const PlanLayout& layout) {
  return broken_rules(job, layout).empty() && unlisted_values(job, layout).empty() &&
         planned_schedule(job, layout) == layout.schedule;
}

// The legal layouts with these sizes are those of legal_layouts().
void expect_the_listed(const PlanJob& job) {
  const std::vector<PlanLayout> listed = legal_layouts(job);
  const std::set<PlanLayout> legal(listed.begin(), listed.end());
  std::size_t both = 0;
  for_each_layout(job, [&](PlanLayout layout) {
    if (std::uint64_t{layout.ranks} * layout.tensor * layout.context * layout.replicas > layout.devices)
      return;
    for (layout.schedule = 0; layout.schedule < job.search.schedules.size(); ++layout.schedule)
      for (const Recompute recompute : {Recompute::None, Recompute::Full})
        for (const DataParallel data : {DataParallel::Plain, DataParallel::Zero1, DataParallel::Zero2}) {
          layout.recompute = recompute;
          layout.data = data;
          ASSERT_EQ(is_legal(job, layout), legal.contains(layout))
              << layout.ranks << ' ' << layout.tensor << ' ' << layout.context << ' ' << layout.expert << ' '
              << layout.replicas << ' ' << layout.microbatches << ' ' << layout.microbatch << ' '
              << job.search.schedules[layout.schedule].name;
          both += legal.contains(layout);
        }
  });
  EXPECT_GT(both, 50u);
}

TEST(LayoutRules, HoldForEveryListedLayoutAndNoOther) {
  expect_the_listed(job_from(text_job()));
}

TEST(LayoutRules, HoldWithListsThatLeaveValuesOut) {
  JobJson job = text_job();
  job["search"]["ranks"] = {2, 4};
  job["search"]["tensor"] = {1, 2};
  job["search"]["microbatch_sequences"] = {1, 2};
  job["search"]["data"] = {"plain", "zero1"};
  expect_the_listed(job_from(job));
}

TEST(LayoutRules, HoldForMuonWhichTakesWholeMatrices) {
  JobJson job = text_job();
  job["parallel"]["muon_num_ns_steps"] = 5;
  job["search"]["data"] = {"plain", "zero1", "zero2"};
  expect_the_listed(job_from(job));
}

TEST(LayoutRules, HoldForExperts) {
  JobJson job = text_job();
  job["model"]["blocks"][0]["architecture"] = shipped("workloads/models/qwen3-30b-a3b/config.json");
  job["clusters"][0]["devices"] = {8};
  job["search"]["schedules"] = {"1f1b", "1f1b-overlap,1f1b-overlap"};
  expect_the_listed(job_from(job));
}

TEST(LayoutRules, HoldForImagesAndSystems) {
  JobJson job = systems_job();
  job["search"].erase("data");
  expect_the_listed(job_from(job));
  job = image_job();
  job["clusters"][0]["devices"] = {8};
  expect_the_listed(job_from(job));
}

// Of each framework by itself: what one of them does not run, the others may.
TEST(LayoutRules, HoldForSeveralFrameworks) {
  JobJson job = text_job();
  job["search"]["schedules"] = {"1f1b", "zb-v"};
  job["clusters"][0]["devices"] = {8};
  job["clusters"][0]["frameworks"] = {"hf-fsdp2", "torchtitan-eager"};
  job["clusters"].push_back(
      {{"platform", shipped("platforms/hgx-a100.json")}, {"devices", {4, 8}}, {"frameworks", "any"}});
  expect_the_listed(job_from(job));
  JobJson images = image_job();
  images["clusters"][0]["devices"] = {8};
  images["clusters"][0]["frameworks"] = {"megatron-swift-vl", "hf-deepspeed"};
  expect_the_listed(job_from(images));
}

TEST(LayoutRules, NameTheFrameworkThatSplitsNothing) {
  JobJson job = text_job();
  job["clusters"][0]["devices"] = {8};
  job["clusters"][0]["frameworks"] = {"hf-fsdp2", "torchtitan-eager"};
  const PlanJob both = job_from(job);
  const PlanLayout split = {.cluster = 0,
                            .devices = 8,
                            .ranks = 2,
                            .tensor = 2,
                            .context = 1,
                            .expert = 1,
                            .replicas = 2,
                            .microbatches = 8,
                            .microbatch = 1,
                            .recompute = Recompute::None,
                            .data = DataParallel::Plain,
                            .schedule = 0};
  const std::vector<BrokenRule> broken = broken_rules(both, split);
  ASSERT_EQ(broken.size(), 2u);
  EXPECT_EQ(to_string(broken[0]),
            "P: expected 1, since hf-fsdp2 has the whole model on each device, found 2");
  EXPECT_EQ(to_string(broken[1]),
            "TP: expected 1, since hf-fsdp2 has the whole model on each device, found 2");
  PlanLayout other = split;
  other.cluster = 1;
  EXPECT_TRUE(broken_rules(both, other).empty());
}

TEST(LayoutRules, AreSaidInTheWordsOfALayout) {
  const PlanJob job = job_from(text_job());
  PlanLayout layout = legal_layouts(job).front();
  layout.devices = 12;
  layout.microbatch = 3;
  const std::vector<BrokenRule> broken = broken_rules(job, layout);
  ASSERT_FALSE(broken.empty());
  EXPECT_EQ(to_string(broken.front()), "devices: expected 8 or 16 of HGX H100, found 12");
  EXPECT_TRUE(std::ranges::any_of(broken, [](const BrokenRule& rule) { return rule.key == "M"; }));
}

TEST(LayoutRules, OfThePlatformTakeOtherNumbersOfDevices) {
  const PlanJob job = job_from(text_job());
  PlanLayout layout = legal_layouts(job).front();
  const std::uint32_t factor = 32 / (layout.tensor * layout.context * layout.ranks);
  layout.devices = 32;
  layout.replicas = factor;
  layout.microbatches = 1;
  layout.microbatch = 1;
  layout.tensor *= 2;
  layout.replicas /= 2;
  layout.microbatches = job.batch / layout.replicas;
  EXPECT_FALSE(broken_rules(job, layout).empty());
  EXPECT_TRUE(broken_rules(job, layout, DevicesFrom::Platform).empty());
}

}  // namespace
}  // namespace spillway
