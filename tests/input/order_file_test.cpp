// Schedules whose order comes from a file: read beside the experiment or added to it, and the faults.
#include "input/experiment/order_file.h"

#include <gtest/gtest.h>

#include "input/experiment/experiment.h"
#include "written.h"

namespace spillway {
namespace {

const std::string kOrder = "0F0,0F1,,0B0,,0B1\n,1F0,1B0,1F1,1B1\n";

// Two ranks, two microbatches.
std::string experiment_with(const std::string& schedules) {
  return R"({ "schema": "spillway/experiment/1", "name": "x", "pipeline": { "ranks": 2, "microbatches": 2 },
    "model": { "blocks": [
      { "name": "enc", "layers": 2,
        "profile": { "forward_ms": 1, "input_gradient_ms": 1, "weight_gradient_ms": 1 } },
      { "name": "llm", "layers": 4,
        "profile": { "forward_ms": 1, "input_gradient_ms": 1, "weight_gradient_ms": 1 } } ] },
    "schedules": [ )" +
         schedules + " ] }";
}

Lines schedule_complaints(const std::string& schedules) {
  return experiment_complaints(experiment_with(schedules));
}

Experiment experiment_of(const std::string& schedules) {
  return read_experiment(written("x.json", experiment_with(schedules)), {});
}

TEST(OrderFile, IsReadBesideTheExperiment) {
  written("mine.csv", kOrder);
  const Experiment e =
      experiment_of(R"({ "name": "a", "schedule": "transpose,listed", "order_file": "mine.csv" },
                                        { "name": "b", "schedule": "1f1b" })");
  ASSERT_TRUE(e.schedules[0].schedule.skeletons.back().listed);
  EXPECT_EQ((*e.schedules[0].schedule.skeletons.back().listed)->stage_rank,
            (std::vector<RankId>{RankId(0), RankId(1)}));
  EXPECT_EQ((*e.schedules[0].schedule.skeletons.back().listed)->orders,
            rank_orders(SkeletonKind::OneFOneB, {2, 2, 1, 2}));
  EXPECT_FALSE(e.schedules[1].schedule.skeletons.back().listed);
}

TEST(OrderFile, BelongsToExactlyOneListedRegion) {
  written("mine.csv", kOrder);
  EXPECT_EQ(schedule_complaints(R"({ "name": "a", "schedule": "listed" })"),
            Lines{"x.json: /schedules/0/order_file: expected a value, found nothing"});
  EXPECT_EQ(schedule_complaints(R"({ "name": "a", "schedule": "1f1b", "order_file": "mine.csv" })"),
            Lines{"x.json: /schedules/0/order_file: expected no such key, since no region is listed, found "
                  "\"mine.csv\""});
  EXPECT_EQ(schedule_complaints(R"({ "name": "a", "schedule": "listed,transpose,listed", "cut": [2, 4],
                               "order_file": "mine.csv" })"),
            Lines{"x.json: /schedules/0/schedule: expected one listed region, whose order the file states, "
                  "found 2"});
}

// derive/listed_encodes.h has the rules.
TEST(OrderFile, MayStateWhichRankEncodesWhat) {
  written("mine.csv", "0E0,0F0,0F1,,0B0,0G0,0B1\n0E1,1F0,1B0,1F1,1B1\n");
  const std::string stated = R"({ "name": "a", "schedule": "transpose,listed", "order_file": "mine.csv")";
  const Experiment e = experiment_of(stated + " }");
  ASSERT_TRUE(e.schedules[0].encodes);
  EXPECT_EQ(e.schedules[0].encodes->owners[0], (OwnerMap{RankId(0), RankId(1)}));
  EXPECT_FALSE(e.schedules[0].looks_at_sizes());
  EXPECT_EQ(
      schedule_complaints(stated + R"(, "owner": "greedy" })"),
      Lines{"x.json: /schedules/0/owner: expected no such key, since the order states which rank encodes "
            "what, found \"greedy\""});
  EXPECT_EQ(
      schedule_complaints(R"({ "name": "a", "schedule": "listed", "order_file": "mine.csv" })"),
      Lines{"x.json: /schedules/0/schedule: expected passes of the 0 transposed inputs of the schedule, "
            "found passes of 1"});
}

TEST(OrderFile, WhatIsWrongInItIsNamedThere) {
  written("typo.csv", "0F0,0F1,0b0,0B1\n1F0,1B0,1G1,1B1\n");
  EXPECT_EQ(schedule_complaints(R"({ "name": "a", "schedule": "listed", "order_file": "typo.csv" })"),
            (Lines{"typo.csv: /0/2: expected an action such as 0B0, found \"0b0\"",
                   "typo.csv: /1/2: expected 1E1 before its backward on the same rank, found 1G1"}));
  written("gaps.csv", "0F0,0F1,0B0,0B1\n1F0,1B0,1F1\n\n");
  EXPECT_EQ(schedule_complaints(R"({ "name": "a", "schedule": "listed", "order_file": "gaps.csv" })"),
            (Lines{"gaps.csv: /: expected as many rows as ranks (2), found 3",
                   "gaps.csv: /2: expected the actions of at least one stage, found none",
                   "gaps.csv: /1: expected also 1B1, found no such action"}));
  EXPECT_EQ(schedule_complaints(R"({ "name": "a", "schedule": "listed", "order_file": "none.csv" })"),
            Lines{"x.json: /schedules/0/order_file: expected a readable file, its path relative to this "
                  "file's folder, found \"none.csv\": No such file or directory"});
}

TEST(OrderFile, ADeadlockIsShown) {
  written("stuck.csv", "0F0,0B0,0F1,0B1\n1F0,1F1,1B0,1B1\n");
  EXPECT_EQ(schedule_complaints(R"({ "name": "a", "schedule": "listed", "order_file": "stuck.csv" })"),
            Lines{"stuck.csv: /0/1: expected an order that does not deadlock, found a cycle of ranks: each "
                  "waits in its [action] for an <action> that the next rank runs later\n"
                  "rank 0, slot 1  0F0  [0B0] <0F1>  0B1  waits for 1B0\n"
                  "rank 1, slot 1  1F0  [1F1] <1B0>  1B1  waits for 0F1"});
}

TEST(OrderFile, AddsAScheduleOfTheWholeModelNamedAfterIt) {
  const Experiment e = experiment_of(R"({ "name": "a", "schedule": "1f1b" })");
  const ScheduleSpec added = listed_schedule(e, written("by.hand.csv", kOrder));
  EXPECT_EQ(added.name, "by.hand");
  EXPECT_EQ(to_string(added.schedule), "listed");
  EXPECT_TRUE(added.cut.boundaries.empty());
  EXPECT_EQ((*added.schedule.skeletons.back().listed)->orders,
            rank_orders(SkeletonKind::OneFOneB, {2, 2, 1, 2}));
  EXPECT_EQ(complaints([&] { listed_schedule(e, written("short.csv", "0F0,0F1,0B0,0B1\n1F0,1B0,1B1\n")); }),
            Lines{"short.csv: /1: expected also 1F1, found no such action"});
}

// There are six layers. By count the stages have three and three; this file states one and five. Four are the
// backbone's alone.
TEST(OrderFile, LayersItStatesAreItsStages) {
  const Experiment e = experiment_of(R"({ "name": "a", "schedule": "1f1b" })");
  const auto stating = [](const std::string& first, const std::string& second) {
    return "0F0 [layers=" + first + "],0F1,0B0,0B1\n1F0 [layers=" + second + "],1B0,1F1,1B1\n";
  };
  EXPECT_EQ(listed_schedule(e, written("by.hand.csv", stating("1", "5"))).layers_per_rank,
            (std::vector<std::uint32_t>{1, 5}));
  EXPECT_EQ(complaints([&] { listed_schedule(e, written("body.csv", stating("1", "3"))); }),
            Lines{"body.csv: /: expected stages that hold the whole model of 6 layers together (for stages "
                  "after a transposed region, use order_file with \"transpose,listed\"), found 4 layers"});
  const Experiment behind =
      experiment_of(R"({ "name": "a", "schedule": "transpose,listed", "order_file": "body.csv" })");
  EXPECT_EQ(behind.schedules[0].layers_per_rank, (std::vector<std::uint32_t>{1, 3}));
  EXPECT_EQ(schedule_complaints(R"({ "name": "a", "schedule": "transpose,listed", "order_file": "body.csv",
                               "layers_per_rank": [2, 2] })"),
            Lines{"x.json: /schedules/0/layers_per_rank: expected no such key, since the order states the "
                  "layers of its stages, found a list of 2"});
}

TEST(OrderFile, TheShippedOneFitsTheSmallExperiment) {
  const Experiment small = read_experiment(shipped("workloads/experiments/small.json"), {});
  const ScheduleSpec added = listed_schedule(small, shipped("workloads/orders/small-split.csv"));
  EXPECT_EQ((*added.schedule.skeletons.back().listed)->orders[3].size(), 9u);
  EXPECT_EQ((*added.schedule.skeletons.back().listed)->stage_rank.size(), 4u);
}

}  // namespace
}  // namespace spillway
