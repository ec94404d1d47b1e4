// Checks the points of a sweep, their experiments and their keys.
#include "sweep/grid/file.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <thread>

#include "input/written.h"
#include "support/property.h"
#include "sweeps.h"

namespace spillway {
namespace {

using Lines = std::vector<std::string>;
using Rows = std::vector<Lines>;

SweepFile sweep(const std::string& axes, const std::string& more = "",
                const std::string& experiment = kSweptExperiment) {
  return SweepFile(written("s.json", sweep_text(axes, more, experiment)));
}

Rows rows(const SweepFile& file) {
  Rows all;
  for (std::size_t point = 0; point < file.points(); ++point) all.push_back(file.values(point));
  return all;
}

const std::string kMicrobatches =
    R"({"pointer": "/pipeline/microbatches", "range": {"from": 4, "to": 8, "step": 4}})";
const std::string kTransfer = R"({"pointer": "/network/p2p_ms", "values": [0, 0.5]})";

TEST(SweepFile, PointsAreTheCrossProductTheLastAxisFastest) {
  const SweepFile file = sweep(kRanks + "," + kMicrobatches);
  EXPECT_EQ(file.axes(), (Lines{"/pipeline/ranks", "/pipeline/microbatches"}));
  EXPECT_EQ(rows(file), (Rows{{"1", "4"}, {"1", "8"}, {"2", "4"}, {"2", "8"}, {"4", "4"}, {"4", "8"}}));
  for (std::size_t point = 0; point < file.points(); ++point) {
    const Experiment experiment = file.experiment(point);
    EXPECT_EQ(std::to_string(experiment.pipeline.ranks), file.values(point)[0]);
    EXPECT_EQ(std::to_string(experiment.pipeline.microbatches), file.values(point)[1]);
  }
}

TEST(SweepFile, ZippedAxesGoTogether) {
  const SweepFile file = sweep(R"({"zip": [{"pointer": "/pipeline/ranks", "values": [1, 2]},
                                           {"pointer": "/schedules/0/name", "values": ["p", "q"]}]},)" +
                               kTransfer);
  EXPECT_EQ(rows(file),
            (Rows{{"1", "\"p\"", "0"}, {"1", "\"p\"", "0.5"}, {"2", "\"q\"", "0"}, {"2", "\"q\"", "0.5"}}));
  EXPECT_EQ(file.experiment(3).schedules[0].name, "q");
  EXPECT_EQ(file.experiment(3).pipeline.ranks, 2u);
}

TEST(SweepFile, AnAxisMaySetAnythingAndOneBelowItAPart) {
  const SweepFile file = sweep(R"({"pointer": "/schedules", "values": [
      [{"name": "a", "schedule": "1f1b"}], [{"name": "g", "schedule": "gpipe"}]]},
    {"pointer": "/schedules/0/name", "values": ["n"]}, {"pointer": "/pipeline/replicas", "values": [3]})");
  EXPECT_EQ(to_string(file.experiment(1).schedules[0].schedule), "gpipe");
  EXPECT_EQ(file.experiment(1).schedules[0].name, "n");
  EXPECT_EQ(file.experiment(1).pipeline.replicas, 3u);
}

TEST(SweepFile, SetsValuesBeforeAnyAxis) {
  const SweepFile file =
      sweep(kRanks, R"(, "set": {"/network/p2p_ms": 2.5, "/pipeline": {"ranks": 9, "microbatches": 7}})");
  EXPECT_EQ(std::get<GivenCosts>(file.experiment(1).costs).p2p, milliseconds(2.5));
  EXPECT_EQ(file.experiment(1).pipeline.microbatches, 7u);
  EXPECT_EQ(file.experiment(1).pipeline.ranks, 2u);
}

TEST(SweepFile, DrawsAndSeedAreTheExperimentsUnlessItsOwn) {
  EXPECT_EQ(sweep(kRanks).draws(), 1u);
  EXPECT_EQ(sweep(kRanks).seed(), 1u);
  const std::string stated = kSweptExperiment + R"(, "draws": 5, "seed": 7)";
  EXPECT_EQ(sweep(kRanks, "", stated).draws(), 5u);
  EXPECT_EQ(sweep(kRanks, "", stated).seed(), 7u);
  const SweepFile own = sweep(kRanks, R"(, "draws": 6, "seed": 18446744073709551615)", stated);
  EXPECT_EQ(own.draws(), 6u);
  EXPECT_EQ(own.experiment(2).draws, 6u);
  EXPECT_EQ(own.seed(), 18446744073709551615u);
  EXPECT_EQ(own.experiment(2).seed, 18446744073709551615u);
}

TEST(SweepFile, IsNamedLikeItsExperimentUnlessByItself) {
  EXPECT_EQ(sweep(kRanks).name(), "x");
  EXPECT_EQ(sweep(kRanks, R"(, "name": "y")").name(), "y");
}

TEST(SweepFile, AnExperimentMayHaveAFile) {
  std::filesystem::create_directories(folder_of_this_test() + "below");
  written("below/x.json", "{" + kSweptExperiment + "}");
  const std::string path = written("s.json", R"({"schema": "spillway/sweep/1",
    "experiment": "below/x.json", "axes": [)" + kRanks +
                                                 "]}");
  EXPECT_EQ(SweepFile(path).experiment(1).pipeline.ranks, 2u);
  EXPECT_NE(SweepFile(path).document().find("\"experiment\":{\"schema\":\"spillway/experiment/1\""),
            std::string::npos);
}

// An impossible combination is still a point.
TEST(SweepFile, PointsMayBeImpossible) {
  const SweepFile file = sweep(R"({"pointer": "/pipeline/ranks", "values": [5, 2]})");
  EXPECT_EQ(
      complaints([&] { file.experiment(0); }),
      Lines{
          "s.json: /schedules/0/schedule: expected at least 5 layers in region llm, one per stage, found 4"});
  EXPECT_EQ(file.experiment(1).pipeline.ranks, 2u);
  EXPECT_NE(file.key(0), file.key(1));
}

TEST(SweepFile, ConstraintsLeaveOutPoints) {
  const auto left = [](const std::string& constraint) {
    return rows(sweep(kRanks + "," + kMicrobatches, R"(, "constraints": [)" + constraint + "]"));
  };
  EXPECT_EQ(left(R"({"left": "/pipeline/ranks", "is": ">", "right": 2})"), (Rows{{"4", "4"}, {"4", "8"}}));
  EXPECT_EQ(left(R"({"left": {"product": ["/pipeline/ranks", 2]}, "is": "=",
                     "right": "/pipeline/microbatches"})"),
            (Rows{{"2", "4"}, {"4", "8"}}));
  EXPECT_EQ(left(R"({"left": "/pipeline/microbatches", "is": "multiple of",
                     "right": {"product": ["/pipeline/ranks", "/pipeline/ranks"]}})"),
            (Rows{{"1", "4"}, {"1", "8"}, {"2", "4"}, {"2", "8"}}));
  EXPECT_EQ(left(R"({"left": "/model/blocks/0/layers", "is": "<=", "right": "/pipeline/ranks"},
                    {"left": "/schedules/0/schedule", "is": "=", "right": "1f1b"},
                    {"left": "/pipeline/microbatches", "is": "!=", "right": 4})"),
            (Rows{{"4", "8"}}));
}

TEST(SweepFile, ConstraintsReadTextsAndTruthValuesBelowAnAxis) {
  const SweepFile file = sweep(R"({"pointer": "/schedules/0", "values": [
      {"name": "a", "schedule": "1f1b"}, {"name": "b", "schedule": "gpipe"}]},
    {"pointer": "/model/blocks/0/trainable", "values": [true, false]})",
                               R"(, "constraints": [
      {"left": "/schedules/0/name", "is": "!=", "right": "a"},
      {"left": "/model/blocks/0/trainable", "is": "=", "right": true}])");
  ASSERT_EQ(file.points(), 1u);
  EXPECT_EQ(file.experiment(0).schedules[0].name, "b");
}

bool oracle(double a, const std::string& is, double b) {
  if (is == "<") return a < b;
  if (is == "<=") return a <= b;
  if (is == ">") return a > b;
  if (is == ">=") return a >= b;
  if (is == "=") return a == b;
  if (is == "!=") return a != b;
  const int x = static_cast<int>(a), y = static_cast<int>(b);
  return is == "divides" ? x != 0 && y % x == 0 : y != 0 && x % y == 0;
}

// Compares every relation on every pair of small numbers with loops.
TEST(SweepFile, ConstraintsAreThoseOfANestedLoop) {
  for (const std::string is : {"<", "<=", ">", ">=", "=", "!=", "divides", "multiple of"}) {
    Rows expected;
    for (int p = 0; p <= 6; ++p)
      for (int q = 0; q <= 6; ++q)
        if (oracle(p, is, q)) expected.push_back({std::to_string(p), std::to_string(q)});
    const auto axis = [](const std::string& key) {
      return R"({"pointer": "/model/blocks/0/profile/)" + key +
             R"(", "range": {"from": 0, "to": 6, "step": 1}})";
    };
    const std::string constraint =
        R"(, "constraints": [{"left": "/model/blocks/0/profile/forward_ms", "is": ")" + is +
        R"(", "right": "/model/blocks/0/profile/input_gradient_ms"}])";
    EXPECT_EQ(rows(sweep(axis("forward_ms") + "," + axis("input_gradient_ms"), constraint)), expected) << is;
  }
}

// Compares axes of any lengths, some zipped, with nested loops.
RC_GTEST_PROP(AnyGrid, IsThatOfNestedLoops, ()) {
  const std::vector<std::string> keys = {"forward_ms", "input_gradient_ms", "weight_gradient_ms"};
  const auto lengths = *rc::gen::container<std::vector<int>>(3, rc::gen::inRange(1, 5));
  const bool zipped = *rc::gen::arbitrary<bool>();
  const auto axis = [&](std::size_t i, int length) {
    std::string values;
    for (int v = 0; v < length; ++v) values += (v > 0 ? "," : "") + std::to_string(v);
    return R"({"pointer": "/model/blocks/0/profile/)" + keys[i] + R"(", "values": [)" + values + "]}";
  };
  Rows expected;
  std::string axes;
  if (zipped) {
    axes = R"({"zip": [)" + axis(0, lengths[0]) + "," + axis(1, lengths[0]) + "]}," + axis(2, lengths[2]);
    for (int a = 0; a < lengths[0]; ++a)
      for (int c = 0; c < lengths[2]; ++c)
        expected.push_back({std::to_string(a), std::to_string(a), std::to_string(c)});
  } else {
    axes = axis(0, lengths[0]) + "," + axis(1, lengths[1]) + "," + axis(2, lengths[2]);
    for (int a = 0; a < lengths[0]; ++a)
      for (int b = 0; b < lengths[1]; ++b)
        for (int c = 0; c < lengths[2]; ++c)
          expected.push_back({std::to_string(a), std::to_string(b), std::to_string(c)});
  }
  RC_ASSERT(rows(sweep(axes)) == expected);
}

std::vector<bool> replays(const SweepFile& file) {
  std::vector<bool> all;
  for (std::size_t point = 0; point < file.points(); ++point) all.push_back(file.replayed(point));
  return all;
}

TEST(SweepFile, SimgridRunsNoneOrAllOrSomePoints) {
  EXPECT_EQ(replays(sweep(kRanks)), (std::vector<bool>{false, false, false}));
  const SweepFile all = sweep(kRanks, R"(, "engine": "simgrid")");
  EXPECT_TRUE(all.reports_replays());
  EXPECT_EQ(replays(all), (std::vector<bool>{true, true, true}));
  const SweepFile some =
      sweep(kRanks, R"(, "simgrid": {"where": [{"left": "/pipeline/ranks", "is": "<", "right": 4}]})");
  EXPECT_FALSE(some.reports_replays());
  EXPECT_EQ(replays(some), (std::vector<bool>{true, true, false}));
}

TEST(SweepFile, ASampleFollowsFromTheSeed) {
  const std::string hundred = R"({"pointer": "/network/p2p_ms", "range": {"from": 1, "to": 100, "step": 1}})";
  std::set<std::vector<bool>> samples;
  for (int seed = 0; seed < 5; ++seed) {
    const std::string more = R"(, "simgrid": {"sample": 10}, "seed": )" + std::to_string(seed);
    const std::vector<bool> sample = replays(sweep(hundred, more));
    EXPECT_EQ(std::count(sample.begin(), sample.end(), true), 10);
    EXPECT_EQ(sample, replays(sweep(hundred, more)));
    samples.insert(sample);
  }
  EXPECT_EQ(samples.size(), 5u);
  EXPECT_EQ(replays(sweep(kRanks, R"(, "simgrid": {"sample": 10})")), (std::vector<bool>{true, true, true}));
}

TEST(SweepFile, ServesSeveralThreads) {
  const SweepFile file(shipped("workloads/studies/small.json"));
  std::vector<Lines> keys(4);
  std::vector<std::thread> threads;
  for (Lines& own : keys)
    threads.emplace_back([&] {
      for (std::size_t point = 0; point < file.points(); ++point) {
        file.experiment(point);
        own.push_back(file.key(point));
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(std::set<Lines>(keys.begin(), keys.end()).size(), 1u);
  EXPECT_EQ(std::set<std::string>(keys[0].begin(), keys[0].end()).size(), file.points());
}

}  // namespace
}  // namespace spillway
