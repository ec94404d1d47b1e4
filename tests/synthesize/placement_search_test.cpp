// A found order is played as it was found, with its owners and the places of its encodes.
#include "synthesize/placement_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "draws/fold.h"
#include "draws/layer_times.h"
#include "input/experiment/experiment.h"
#include "optimize/plan.h"
#include "support/shipped.h"
#include "synthesize/difference.h"
#include "synthesize/made_placements.h"
#include "synthesize/planning_judge.h"

namespace spillway::testing {
namespace {

Experiment folded_job(const std::string& name, const std::vector<Setting>& settings = {}) {
  return folded(read_experiment(Source(kExperiments + name + ".json"), settings), Links::Own);
}

// The schedule on the searched draws, planned and timed as a run does.
Seconds played(const DrawCosts& costs, const ScheduleSpec& spec) {
  OrderCache orders;
  const PlannedSchedule planned = plan(costs, orders, spec);
  const CostModels models = cost_models(costs, planned.derived(), searched_draws(costs.experiment()));
  return mean_makespan(*planned.prepared, OrderedDraws(models, {MicrobatchOrder::AsSampled, {}}));
}

ScheduleSpec listed_form(const DrawCosts& costs, const ScheduleSpec& spec) {
  OrderCache orders;
  return std::get<ScheduleSpec>(as_listed(costs.experiment(), spec, plan(costs, orders, spec).derived()));
}

// Transposed encoders and whole pipelines, with images that are drawn.
TEST(PlacementSearch, AListedStartIsTheNamedScheduleItself) {
  const DrawCosts costs(folded_job("image-work", {{"/pipeline/microbatches", "16"}}));
  for (const ScheduleSpec& spec : costs.experiment().schedules) {
    const Seconds named = played(costs, spec);
    EXPECT_DOUBLE_EQ(played(costs, listed_form(costs, spec)).value(), named.value()) << spec.name;
    PlacementSearch search(costs, {listed_form(costs, spec)}, std::nullopt, 1);
    EXPECT_DOUBLE_EQ(search.named().value(), named.value()) << spec.name;
  }
}

// The search moves encodes to other ranks and times. A run that planned their owners anew would take another
// step.
TEST(PlacementSearch, WhatItFindsRunsAsItWasFound) {
  const DrawCosts costs(folded_job(
      "image-work", {{"/pipeline/microbatches", "16"}, {"/schedules/0/owner", "\"round-robin\""}}));
  const ScheduleSpec& mpipe = costs.experiment().schedules.front();
  PlacementSearch search(costs, {listed_form(costs, mpipe)}, std::nullopt, 1);
  while (search.orders().tries() < 600) search.orders().try_next();
  const ScheduleSpec found = search.found();
  EXPECT_LT(search.orders().step(), search.named());
  EXPECT_NE(found.encodes->owners, listed_form(costs, mpipe).encodes->owners);
  EXPECT_NEAR(played(costs, found) / search.orders().step(), 1, 1e-12);
  const OrderDifference different = difference(search.nearest(), found);
  EXPECT_GT(different.owners, 0U);
  EXPECT_NE(difference_text(different, 16).find(" of 16 encodes run on other ranks"), std::string::npos);
  EXPECT_EQ(difference_text(difference(found, found), 16), "nothing");
}

// Stages that no named schedule has, behind a transposed encoder and with the encoder in the pipeline.
TEST(PlacementSearch, MadePlacementsRunAsTheyWereFound) {
  const DrawCosts costs(folded_job("image-work", {{"/pipeline/microbatches", "8"}}));
  const std::vector<Seconds> times = layer_times(costs, PlanningDraws::expected(costs.experiment()));
  for (const ScheduleSpec& named : costs.experiment().schedules) {
    const auto made = made_placements(costs.experiment(), listed_form(costs, named), times, true);
    ASSERT_GE(made.size(), 3U) << named.name;
    for (const auto& [spec, words] : made) {
      EXPECT_NE(words.find("split backwards"), std::string::npos) << words;
      PlacementSearch search(costs, {spec}, std::nullopt, 1);
      while (search.orders().tries() < search.orders().screened()) search.orders().try_next();
      EXPECT_LT(search.orders().step(), search.named()) << words;
      EXPECT_GE(search.orders().step().value(), search.bound().value() * (1 - 1e-12)) << words;
      EXPECT_NEAR(played(costs, search.found()) / search.orders().step(), 1, 1e-12) << words;
    }
  }
}

// Two ranks and three microbatches of an encoder in front of 1F1B, against every owner map by itself.
TEST(PlacementSearch, ProvesTheBestOwnersAndOrderOfSmallSteps) {
  for (const std::string work : {"[1, 3, 2]", "[4, 1, 0.5]", "[1, 1, 6]"}) {
    const DrawCosts costs(folded_job("first-look", {{"/pipeline/ranks", "2"},
                                                    {"/pipeline/microbatches", "3"},
                                                    {"/model/blocks/0/work_per_microbatch", work},
                                                    {"/schedules/0/layers_per_rank", "[3, 12]"}}));
    const ScheduleSpec start = listed_form(costs, costs.experiment().schedules[1]);
    PlacementSearch search(costs, {start}, std::nullopt, 1);
    EXPECT_TRUE(search.prove(10'000'000)) << work;
    Seconds least = search.named();
    for (std::uint32_t map = 0; map < 8; ++map) {
      ScheduleSpec spec = start;
      for (std::uint32_t m = 0; m < 3; ++m) spec.encodes->owners[0][m] = RankId(map >> m & 1);
      for (auto& placed : spec.encodes->placed) placed.clear();
      PlacementSearch fixed(costs, {spec}, std::nullopt, 1);
      while (fixed.orders().tries() < 300) fixed.orders().try_next();
      least = std::min(least, fixed.orders().step());
    }
    EXPECT_LE(played(costs, search.found()).value(), least.value() * (1 + 1e-12)) << work;
  }
}

TEST(PlacementSearch, NoOrderIsBelowTheBound) {
  for (const std::string name : {"owners", "first-look", "zero-bubble"}) {
    const DrawCosts costs(folded_job(name));
    for (const ScheduleSpec& spec : costs.experiment().schedules) {
      PlacementSearch search(costs, {listed_form(costs, spec)}, std::nullopt, 1);
      while (search.orders().tries() < 150) search.orders().try_next();
      EXPECT_GE(search.orders().step().value(), search.bound().value() * (1 - 1e-12)) << name << spec.name;
    }
  }
}

}  // namespace
}  // namespace spillway::testing
