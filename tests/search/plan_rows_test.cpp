// Evaluated plans folded into choices, and the row that leads: properties over drawn plans.
#include "search/answer/plan_rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "search/known_error.h"
#include "search/plan_choice.h"
#include "small_jobs.h"
#include "support/long_property.h"

namespace spillway {
namespace {

JobJson two_clusters() {
  JobJson job = text_job();
  job["clusters"].push_back({{"platform", shipped("platforms/hgx-a100.json")},
                             {"devices", {8}},
                             {"frameworks", {"nemo", "torchtitan-compiled"}}});
  return job;
}

// Some legal layouts with values near each other, best first.
std::vector<EvaluatedPlan> drawn_plans(const std::vector<PlanLayout>& layouts) {
  std::vector<EvaluatedPlan> plans;
  std::set<PlanLayout> seen;
  for (int i = *rc::gen::inRange(1, 60); i > 0; --i) {
    const PlanLayout layout = layouts[*rc::gen::inRange<std::size_t>(0, layouts.size())];
    const double value = 1 + *rc::gen::inRange(0, 40) * 0.005;
    if (seen.insert(layout).second) plans.push_back({layout, {}, Seconds(value), {}, value});
  }
  std::ranges::sort(plans, {}, [](const EvaluatedPlan& one) { return std::pair(one.value, one.layout); });
  for (EvaluatedPlan& plan : plans) plan.tie = plan.value <= 1.05 * plans.front().value ? 1 : 2;
  return plans;
}

bool ties_with(const PlanJob& job, const EvaluatedPlan& plan, const EvaluatedPlan& best) {
  const JobCluster& cluster = job.clusters[best.layout.cluster];
  return plan.value <= best.value * (1 + margin(job, cluster, cluster));
}

struct Folded {
  PlanJob job = job_from(two_clusters());
  PlanChoices choices{job};
  std::vector<EvaluatedPlan> plans = drawn_plans(legal_layouts(job));
  std::size_t top = *rc::gen::inRange<std::size_t>(1, 12);
  std::vector<bool> launched =
      *rc::gen::container<std::vector<bool>>(plans.size(), rc::gen::arbitrary<bool>());
  std::optional<std::size_t> to_launch = first_launched();
  PlanRows rows = rows_of(
      job, plans, top, [&](std::size_t plan) { return launched[plan]; }, to_launch);

  std::optional<std::size_t> first_launched() const {
    const auto first = std::ranges::find(launched, true);
    if (first == launched.end()) return std::nullopt;
    return static_cast<std::size_t>(first - launched.begin());
  }
  std::size_t stated(std::size_t plan) const { return job.clusters[plans[plan].layout.cluster].stated; }

  PlanLayout choice(std::size_t plan) const { return choices.of(plans[plan].layout); }
  bool alike(std::size_t one, std::size_t other) const {
    return stated(one) == stated(other) && plans[one].layout.devices == plans[other].layout.devices;
  }
  std::vector<std::size_t> members(const PlanRow& row) const {
    std::vector<std::size_t> all = row.folded;
    all.push_back(row.shown);
    std::ranges::sort(all);
    return all;
  }
  // The plans of a choice that tie with its best.
  std::vector<std::size_t> tied_of(const PlanLayout& of) const {
    std::vector<std::size_t> all;
    for (std::size_t plan = 0; plan < plans.size(); ++plan)
      if (choice(plan) == of && (all.empty() || ties_with(job, plans[plan], plans[all.front()])))
        all.push_back(plan);
    return all;
  }
  // True if `one` should stand before `other`: it can be launched, or it is simpler, or it is better.
  bool stands_before(std::size_t one, std::size_t other) const {
    if (launched[one] != launched[other]) return launched[one];
    if (is_simpler(job, plans[one].layout, plans[other].layout)) return true;
    return !is_simpler(job, plans[other].layout, plans[one].layout) && one < other;
  }
};

SPILLWAY_LONG_PROP(PlanRowsProperties, ShownAndFoldedAreAllThatTieWithTheBestOfTheirChoice, 100) {
  const Folded found;
  std::set<PlanLayout> seen;
  std::vector<PlanLayout> first;
  for (std::size_t plan = 0; plan < found.plans.size() && first.size() + 1 < found.top; ++plan)
    if (seen.insert(found.choice(plan)).second) first.push_back(found.choice(plan));
  for (const PlanLayout& choice : first) {
    const auto row = std::ranges::find_if(
        found.rows.rows, [&](const PlanRow& one) { return found.choice(one.shown) == choice; });
    RC_ASSERT(row != found.rows.rows.end());
    RC_ASSERT(found.members(*row) == found.tied_of(choice));
  }
}

SPILLWAY_LONG_PROP(PlanRowsProperties, TheShownPlanIsTheSimplestOfItsRowThatCanBeLaunched, 100) {
  const Folded found;
  std::set<PlanLayout> choices;
  for (const PlanRow& row : found.rows.rows) {
    const bool is_launch = row.shown == found.to_launch && row.folded.empty();
    RC_ASSERT(choices.insert(found.choice(row.shown)).second || is_launch);
    for (const std::size_t other : row.folded) {
      RC_ASSERT(found.choice(other) == found.choice(row.shown));
      RC_ASSERT(found.stands_before(row.shown, other));
    }
  }
}

SPILLWAY_LONG_PROP(PlanRowsProperties, EveryNumberOfDevicesHasItsOptimumAndARowThatTiesWithIt, 100) {
  const Folded found;
  std::set<std::pair<std::size_t, std::uint32_t>> devices;
  for (const DevicesBest& best : found.rows.bests) {
    RC_ASSERT(devices.emplace(best.stated, best.devices).second);
    const std::size_t leads = found.rows.rows[best.row].shown;
    RC_ASSERT(found.alike(leads, best.optimum));
    RC_ASSERT(ties_with(found.job, found.plans[leads], found.plans[best.optimum]));
    for (std::size_t plan = 0; plan < best.optimum; ++plan) RC_ASSERT(!found.alike(plan, best.optimum));
  }
  for (std::size_t plan = 0; plan < found.plans.size(); ++plan)
    RC_ASSERT(devices.contains({found.stated(plan), found.plans[plan].layout.devices}));
}

// Plan 1 stands before every row on its devices that ties with the optimum there; the others ascend.
SPILLWAY_LONG_PROP(PlanRowsProperties, TheSimplestThatCanBeLaunchedLeadsItsTie, 100) {
  const Folded found;
  const std::vector<PlanRow>& rows = found.rows.rows;
  RC_ASSERT(found.alike(rows.front().shown, 0));
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const bool could =
        found.alike(rows[i].shown, 0) && ties_with(found.job, found.plans[rows[i].shown], found.plans[0]);
    RC_ASSERT(!could || found.stands_before(rows.front().shown, rows[i].shown));
    RC_ASSERT(i == 1 || rows[i - 1].shown < rows[i].shown);
  }
}

SPILLWAY_LONG_PROP(PlanRowsProperties, TheBestToLaunchIsInARowIfPlan1CannotBeLaunched, 100) {
  const Folded found;
  if (!found.to_launch || found.launched[found.rows.rows.front().shown]) return;
  const auto row = std::ranges::find_if(found.rows.rows, [&](const PlanRow& one) {
    return std::ranges::count(found.members(one), *found.to_launch) > 0;
  });
  RC_ASSERT(row != found.rows.rows.end());
  RC_ASSERT(found.launched[row->shown]);
}

TEST(PlanChoices, FoldFrameworksOfACluster) {
  const PlanJob job = job_from(two_clusters());
  const PlanChoices choices(job);
  PlanLayout layout = legal_layouts(job).front(), other = layout;
  layout.cluster = 1;
  other.cluster = 2;
  EXPECT_EQ(choices.of(layout), choices.of(other));
  other.cluster = 0;
  EXPECT_NE(choices.of(layout), choices.of(other));
}

TEST(PlanChoices, FoldNamesOfASchedulesFamilyShardingAndMicrobatches) {
  const PlanJob job = job_from(text_job());
  const PlanChoices choices(job);
  PlanLayout layout = legal_layouts(job).front();
  layout.ranks = 2;
  layout.schedule = 2;  // zb-h1
  PlanLayout other = layout;
  other.schedule = 3;  // zb-v
  other.data = DataParallel::Zero3;
  other.microbatch = 2 * layout.microbatch;
  other.microbatches = layout.microbatches / 2;
  EXPECT_EQ(choices.of(layout), choices.of(other));
  other.schedule = 0;  // 1f1b
  EXPECT_NE(choices.of(layout), choices.of(other));
  other = layout;
  other.recompute = Recompute::Full;
  EXPECT_NE(choices.of(layout), choices.of(other));
  other = layout;
  other.context *= 2;
  EXPECT_NE(choices.of(layout), choices.of(other));
}

TEST(PlanChoices, FamiliesHaveNames) {
  const PlanJob text = job_from(text_job()), systems = job_from(systems_job());
  const auto family = [](const PlanJob& job, std::size_t schedule, std::uint32_t ranks) {
    return family_text(family_of(job.search.schedules[schedule], ranks));
  };
  std::vector<std::string> words;
  for (std::size_t i = 0; i < text.search.schedules.size(); ++i) words.push_back(family(text, i, 2));
  EXPECT_EQ(words, (std::vector<std::string>{"1F1B", "interleaved 1F1B", "zero bubble", "zero bubble",
                                             "GPipe", "DualPipe", "1F1B"}));
  EXPECT_EQ(family(text, 3, 1), "no pipeline");
  EXPECT_EQ(family(systems, 2, 2), "disttrain, 1F1B");
  const PlanJob images = job_from(image_job());
  const auto transposed =
      std::ranges::find(images.search.schedules, "transpose,1f1b,1f1b", &ScheduleChoice::text);
  ASSERT_NE(transposed, images.search.schedules.end());
  EXPECT_EQ(family_text(family_of(*transposed, 2)), "transposed encoder, interleaved 1F1B");
}

}  // namespace
}  // namespace spillway
