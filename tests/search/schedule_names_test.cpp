// A name of a plan's schedule has one meaning, and a schedule that is stated twice is planned once.
#include "search/schedule_names.h"

#include <gtest/gtest.h>

#include <set>

#include "search/layout.h"
#include "small_jobs.h"
#include "support/long_property.h"

namespace spillway {
namespace {

JobJson job_with(const JobJson& schedules) {
  JobJson job = image_job();
  job["batch"]["sequences"] = 8;
  job["clusters"][0]["devices"] = {4};
  job["search"]["data"] = {"zero1"};
  job["search"]["recompute"] = {"none"};
  job["search"]["context"] = {1};
  job["search"]["tensor"] = {1, 2};
  job["search"]["schedules"] = schedules;
  return job;
}

std::vector<std::string> names_of(const JobJson& schedules) {
  std::vector<std::string> names;
  for (const ScheduleChoice& choice : job_from(job_with(schedules)).search.schedules)
    names.push_back(choice.name);
  return names;
}

using Names = std::vector<std::string>;

TEST(ScheduleNames, AreTextsWhereNothingElseIsWrittenSo) {
  EXPECT_EQ(names_of({"1f1b", "transpose,1f1b", {{"system", "mpipe"}, {"body", "zb-h1"}}}),
            (Names{"1f1b", "transpose,1f1b", "mpipe of zb-h1"}));
}

TEST(ScheduleNames, SayInWhatTheyDiffer) {
  EXPECT_EQ(names_of({{{"system", "mpipe"}},
                      {{"system", "mpipe"}, {"split", "by-count"}},
                      {{"system", "mpipe"}, {"owner", "min-max"}}}),
            (Names{"mpipe owner greedy split joint", "mpipe owner greedy split by-count",
                   "mpipe owner min-max split joint"}));
  EXPECT_EQ(names_of({{{"system", "disttrain"}}, {{"system", "disttrain"}, {"encoder_ranks", 1}}}),
            (Names{"disttrain", "disttrain encoder_ranks 1"}));
  EXPECT_EQ(names_of({"1f1b", {{"schedule", "1f1b"}, {"split", "by-count"}}}),
            (Names{"1f1b split balanced", "1f1b split by-count"}));
}

TEST(ScheduleNames, CountManyChunks) {
  const char* five = "1f1b,1f1b,1f1b,1f1b,1f1b";
  EXPECT_EQ(names_of({{{"schedule", five}, {"split", "joint"}}, {{"system", "megatron"}, {"body", five}}}),
            (Names{"1f1b x5", std::string("megatron of ") + five}));
}

// With one region a joint split is a balanced split.
TEST(ScheduleNames, OfTheSameScheduleAreTheSame) {
  EXPECT_EQ(names_of({{{"system", "mpipe"}}, {{"system", "mpipe"}, {"split", "balanced"}}}),
            (Names{"mpipe", "mpipe"}));
}

TEST(ScheduleNames, OfWhatIsFoldedAreKept) {
  const PlanJob job = job_from(job_with({"transpose,1f1b",
                                         {{"system", "mpipe"}},
                                         {{"system", "mpipe"}, {"split", "joint"}},
                                         {{"system", "mpipe"}, {"split", "by-count"}}}));
  std::set<std::size_t> planned;
  for (const PlanLayout& layout : legal_layouts(job)) {
    planned.insert(layout.schedule);
    EXPECT_EQ(folded_names(job, layout), layout.schedule == 0 ? Names{"mpipe split joint"} : Names{});
  }
  EXPECT_EQ(planned, (std::set<std::size_t>{0, 3}));
}

// Draws entries that are often the same schedule in other words.
JobJson random_schedules() {
  const JobJson pool = {"1f1b",
                        "zb-h1",
                        "transpose,1f1b",
                        "1f1b,1f1b",
                        {{"schedule", "1f1b"}, {"split", "by-count"}},
                        {{"schedule", "1f1b"}, {"split", "joint"}},
                        {{"schedule", "1f1b"}, {"split", "disaggregated"}},
                        {{"schedule", "1f1b,1f1b"}, {"split", "joint"}},
                        {{"schedule", "transpose,1f1b"}, {"owner", "min-max"}},
                        {{"schedule", "transpose,1f1b"}, {"cut", {1}}},
                        {{"system", "mpipe"}},
                        {{"system", "mpipe"}, {"split", "balanced"}},
                        {{"system", "mpipe"}, {"split", "by-count"}},
                        {{"system", "mpipe"}, {"owner", "min-max"}},
                        {{"system", "megatron"}},
                        {{"system", "megatron-balanced"}},
                        {{"system", "megatron-balanced"}, {"body", "1f1b,1f1b"}},
                        {{"system", "disttrain"}},
                        {{"system", "disttrain"}, {"encoder_ranks", 1}},
                        {{"system", "encode-first"}}};
  JobJson some = JobJson::array();
  const auto count = *rc::gen::inRange<std::size_t>(1, 8);
  for (std::size_t i = 0; i < count; ++i)
    some.push_back(pool[*rc::gen::inRange<std::size_t>(0, pool.size())]);
  return some;
}

// Returns the layout without its schedule.
PlanLayout grid_of(PlanLayout layout) {
  layout.schedule = 0;
  return layout;
}

SPILLWAY_LONG_PROP(ScheduleNames, HaveOneMeaningAndEveryMeaningOnePlan, 100) {
  const PlanJob job = job_from(job_with(random_schedules()));
  const auto spec = [&](const PlanLayout& layout, std::size_t schedule) {
    return schedule_of(job.search.schedules[schedule], job.clusters[0].base.model,
                       {layout.ranks, layout.microbatches, layout.replicas});
  };
  const std::vector<PlanLayout> layouts = legal_layouts(job);
  for (const PlanLayout& one : layouts) {
    const std::vector<std::string> folded = folded_names(job, one);
    for (std::size_t other = 0; other < job.search.schedules.size(); ++other) {
      const auto own = spec(one, one.schedule), its = spec(one, other);
      const bool same = its && is_same_schedule(*own, *its);
      const std::string &name = job.search.schedules[one.schedule].name,
                        &others = job.search.schedules[other].name;
      if (name == others) RC_ASSERT(same);
      if (!same || other == one.schedule) continue;
      RC_ASSERT(other > one.schedule);
      RC_ASSERT(name == others || std::ranges::find(folded, others) != folded.end());
      RC_ASSERT(std::ranges::none_of(layouts, [&](const PlanLayout& layout) {
        return layout.schedule == other && grid_of(layout) == grid_of(one);
      }));
    }
  }
}

}  // namespace
}  // namespace spillway
