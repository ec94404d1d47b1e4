// Layouts that users ask about, against the search and against every layout evaluated.
#include "ask/explained_layout.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "asked_jobs.h"
#include "evaluate/steps.h"
#include "input/experiment/experiment.h"
#include "support/schema_check.h"

namespace spillway {
namespace {

TEST(AskedLayout, OfATextIsWhatItSays) {
  const PlanJob job = job_from(text_job());
  const std::vector<PlanLayout> layouts = legal_layouts(job);
  for (std::size_t i = 0; i < layouts.size(); i += 7) {
    const AskedLayout asked = asked_layout(job, text_of(job, layouts[i]));
    EXPECT_EQ(asked.layout, layouts[i]) << asked.words;
    EXPECT_TRUE(asked.lists_schedule);
  }
}

TEST(AskedLayout, TakesReplicasFromTheDevices) {
  const PlanJob job = job_from(eight_devices());
  const PlanLayout layout = asked_layout(job, "P=2 TP=2").layout;
  EXPECT_EQ(layout.replicas, 2u);
  EXPECT_EQ(layout.microbatches, 8u);
  EXPECT_EQ(layout.data, DataParallel::Plain);
  EXPECT_EQ(job.search.schedules[layout.schedule].text, "1f1b");
}

// A schedule that the job does not search, as names of schedules write it.
TEST(AskedLayout, TakesSchedulesThatAreNotSearched) {
  const PlanJob job = job_from(eight_devices());
  const AskedLayout asked = asked_layout(job, "P=1 TP=2 1f1b x4");
  EXPECT_FALSE(asked.lists_schedule);
  EXPECT_EQ(asked.job.search.schedules[asked.layout.schedule].schedule.skeletons.size(), 4u);
}

TEST(AskedLayout, IsRefusedWithEverythingThatIsWrong) {
  const PlanJob job = job_from(eight_devices());
  const Lines found = complaints([&] { asked_layout(job, "P=0 Q=2 recompute=some 2f2b"); });
  EXPECT_EQ(found.size(), 3u);
  for (const std::string& line : found) EXPECT_TRUE(line.starts_with("command line: --explain: expected"));
  EXPECT_EQ(complaints([&] { asked_layout(job, " "); }),
            Lines{"command line: --explain: expected an experiment file, or a layout such as \"P=2 TP=4 "
                  "1f1b\", found \" \""});
  EXPECT_EQ(complaints([&] { asked_layout(job, "P=2 cluster=a100"); }),
            Lines{"command line: --explain: expected a cluster of the job: HGX H100, found \"a100\""});
  const PlanJob two = job_from(text_job());
  EXPECT_EQ(complaints([&] { asked_layout(two, "P=2"); }),
            Lines{"command line: --explain: expected one of cluster=1 devices=8 (HGX H100), cluster=1 "
                  "devices=16 (HGX H100), found \"P=2\""});
}

// A plan as it is written is the plan. Of schedules with equal stages it is the first.
TEST(AskedLayout, OfAWrittenPlanIsThePlan) {
  JobJson images = image_job();
  images["clusters"][0]["devices"] = {8};
  for (const JobJson& document : {eight_devices(), images, systems_job()}) {
    const PlanJob job = job_from(document);
    const std::vector<PlanLayout> layouts = legal_layouts(job);
    LayoutTrials trials(job);
    for (std::size_t i = 0; i < layouts.size(); i += 1 + layouts.size() / 40) {
      const Experiment experiment = trials.experiment_of(layouts[i]);
      const std::string file =
          written("plan.json", experiment_text(job, layouts[i], experiment.schedules.front()));
      AskedLayout asked = asked_layout(job, file);
      EXPECT_LE(asked.layout.schedule, layouts[i].schedule);
      EXPECT_EQ(trials(asked.layout).value, trials(layouts[i]).value) << content_of(file);
      EXPECT_TRUE(asked.lists_schedule);
      asked.layout.schedule = layouts[i].schedule;
      EXPECT_EQ(asked.layout, layouts[i]);
    }
  }
}

// Stages of the user's own are evaluated as `run` evaluates them.
TEST(AskedLayout, OfAnExperimentKeepsItsStages) {
  const PlanJob job = job_from(eight_devices());
  const PlanLayout layout = asked_layout(job, "P=2 TP=2 zero1").layout;
  const std::vector<PlanLayout> layouts = {layout};
  LayoutEvaluator evaluator(job, layouts);
  auto document = JobJson::parse(
      experiment_text(job, layout, evaluator.layers().experiment_of(layout).schedules.front()));
  document["schedules"][0]["layers_per_rank"] = {1, 3};
  const Explained one = explained_in(job, written("own.json", document.dump()));
  EXPECT_EQ(one.explained.fate, LayoutFate::NotSearched);
  EXPECT_EQ(one.asked.planned, layout.schedule);
  Caches caches;
  const PointOutcome alone =
      evaluate_point(read_experiment(Source(written("own.json", document.dump())), {}), caches);
  EXPECT_EQ(one.explained.own.step, mean_makespan(alone.schedules.front()));
  EXPECT_EQ(one.explained.own.memory, alone.schedules.front().peak_memory);
  const auto& changes = one.explained.towards_best;
  EXPECT_TRUE(std::ranges::any_of(
      changes, [](const TriedLayout& t) { return t.change.key == "stages" || t.change.key == "schedule"; }));
}

// The search's own figures, to the last bit; the order of plans gives the fates.
TEST(ExplainedLayout, OfEveryEvaluatedPlanIsThatPlan) {
  const PlanJob job = job_from(eight_devices());
  const SearchResult result = searched(job, legal_layouts(job), 5);
  for (std::size_t i = 0; i < result.plans.size(); i += i < 4 ? 1 : 9) {
    const EvaluatedPlan& plan = result.plans[i];
    const AskedLayout asked = asked_layout(job, text_of(job, plan.layout));
    const ExplainedLayout explained = explain_layout(asked, result, 5);
    EXPECT_EQ(explained.place, i + 1);
    EXPECT_EQ(explained.own.value, plan.value);
    EXPECT_EQ(explained.own.memory, plan.outcome.schedules.front().peak_memory);
    EXPECT_EQ(explained.fate, i + 1 == explained.recommended->place ? LayoutFate::Recommended
                              : i == 0                              ? LayoutFate::Best
                              : plan.tie == 1                       ? LayoutFate::Tied
                                                                    : LayoutFate::Slower);
    EXPECT_EQ(explained.towards_best.empty(), i == 0);
  }
}

// What bounds left out has a bound beyond the best, and is slower.
TEST(ExplainedLayout, LeftOutByItsBoundIsSlowerThanTheBest) {
  const PlanJob job = job_from(eight_devices());
  const SearchResult result = searched(job, legal_layouts(job), 1);
  std::size_t left_out = 0;
  const std::vector<PlanLayout> layouts = legal_layouts(job);
  for (std::size_t i = 0; i < layouts.size(); i += 1 + layouts.size() / 40) {
    const ExplainedLayout explained = explain_layout(asked_layout(job, text_of(job, layouts[i])), result, 1);
    if (explained.fate != LayoutFate::OutOfReach) continue;
    ++left_out;
    EXPECT_GT(explained.own.value, result.plans.front().value);
    EXPECT_LE(explained.step_bound.value(), explained.own.step.value() * (1 + 1e-12));
    EXPECT_EQ(explained.place, 0u);
  }
  EXPECT_GT(left_out, 3u);
}

TEST(ExplainedLayout, ThatIsIllegalNamesTheRule) {
  const Explained one = explained_in(job_from(eight_devices()), "P=3 TP=2 R=2");
  EXPECT_EQ(one.explained.fate, LayoutFate::Illegal);
  EXPECT_NE(one.text().find("why: it is no legal layout of this job: "), std::string::npos) << one.text();
  EXPECT_EQ(testing::SchemaCheck("layout-explanation").complaints(one.json()), "");
}

TEST(ExplainedLayout, ThatNoListHasSaysWhichList) {
  JobJson document = eight_devices();
  document["search"]["ranks"] = {1, 4};
  const Explained one = explained_in(job_from(document), "P=2 TP=2 zero1");
  EXPECT_EQ(one.explained.fate, LayoutFate::NotSearched);
  EXPECT_NE(one.text().find("the job does not search it: P: expected 1, 4, found 2"), std::string::npos)
      << one.text();
  EXPECT_TRUE(one.explained.own.is_known());
}

// Memory that suffices for no layout with this recomputation, but for some with more.
TEST(ExplainedLayout, ThatDoesNotFitSaysWhatWouldMakeItFit) {
  JobJson document = eight_devices();
  const PlanJob roomy = job_from(document);
  const Explained before = explained_in(roomy, "P=1 TP=1 zero1");
  document["clusters"][0]["memory_limit_gb"] = before.explained.own.memory->value() * 0.95e-9;
  const Explained one = explained_in(job_from(document), "P=1 TP=1 zero1");
  EXPECT_EQ(one.explained.fate, LayoutFate::DoesNotFit);
  const MisfitAccount& misfit = one.explained.misfit;
  ASSERT_EQ(misfit.memory.size(), 1u);
  EXPECT_EQ(misfit.memory.front().parts.total(), *one.explained.own.memory);
  ASSERT_FALSE(misfit.changes.empty());
  EXPECT_EQ(misfit.changes.front().trial.fits, true);
  std::size_t fitting = 0;
  for (const TriedLayout& tried : misfit.changes) {
    if (!tried.trial.is_known()) continue;
    EXPECT_EQ(*tried.trial.fits, tried.trial.memory->value() <= before.explained.own.memory->value() * 0.95)
        << to_string(tried.change);
    fitting += *tried.trial.fits;
  }
  EXPECT_GT(fitting, 2u);
  EXPECT_NE(one.text().find("what would make it fit, one change at a time"), std::string::npos);
  EXPECT_EQ(testing::SchemaCheck("layout-explanation").complaints(one.json()), "");
}

// One thing changes at a time, and what follows from it.
TEST(LayoutChanges, TowardsAnotherLayoutChangeOneThingEach) {
  const PlanJob job = job_from(text_job());
  const std::vector<PlanLayout> layouts = legal_layouts(job);
  for (std::size_t i = 0; i + 5 < layouts.size(); i += 11)
    for (const LayoutChange& change : changes_towards(job, layouts[i], layouts[i + 5], layouts[i].schedule)) {
      const PlanLayout &from = layouts[i], &to = change.layout;
      const int changed =
          (from.ranks != to.ranks) + (from.tensor != to.tensor) + (from.context != to.context) +
          (from.expert != to.expert) + (from.microbatch != to.microbatch) + (from.recompute != to.recompute) +
          (from.data != to.data) + (from.schedule != to.schedule && (from.ranks == 1 || to.ranks > 1)) +
          (from.devices != to.devices || from.cluster != to.cluster);
      EXPECT_EQ(changed, 1) << to_string(change);
      const std::uint32_t lane = to.ranks * to.tensor * to.context;
      if (to.devices % lane != 0) continue;
      EXPECT_EQ(to.replicas, to.devices / lane) << to_string(change);
      EXPECT_EQ(to.microbatches, job.batch / (to.replicas * to.microbatch)) << to_string(change);
    }
}

// A layout's memory is that of its fullest rank.
TEST(ExplainedLayout, NeedsTheMemoryOfItsFullestRank) {
  JobJson document = eight_devices();
  document["clusters"][0]["memory_limit_gb"] = 0.5;
  const PlanJob job = job_from(document);
  const Explained one = explained_in(job, "P=2 TP=1 zb-v zero1");
  EXPECT_TRUE(one.result.plans.empty());
  EXPECT_EQ(one.explained.fate, LayoutFate::DoesNotFit);
  Bytes most;
  for (const RankMemory& rank : one.explained.misfit.memory) {
    most = std::max(most, rank.parts.total());
    EXPECT_EQ(rank.layers.size(), 2u);
  }
  EXPECT_EQ(one.explained.misfit.memory.size(), 2u);
  EXPECT_EQ(most, *one.explained.own.memory);
  EXPECT_NE(one.text().find("best: none, since no plan fits"), std::string::npos) << one.text();
  EXPECT_EQ(testing::SchemaCheck("layout-explanation").complaints(one.json()), "");
}

}  // namespace
}  // namespace spillway
