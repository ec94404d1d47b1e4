// Checks that a store gives back what was put into it.

#include "sweep/store/result_store.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "support/property.h"
#include "support/random_outcome.h"
#include "support/stores.h"
#include "sweep/store/store_tables.h"

namespace spillway {
namespace {

using testing::key_of;
using testing::outcome_of;
using testing::outcomes_of;
using testing::random_outcome;
using testing::refusal;
using testing::small_grid;
using testing::small_heading;
using testing::TemporaryFolder;

TEST(ResultStore, KeepsItsHeadingAndGrid) {
  const TemporaryFolder folder;
  const std::string path = folder.file("s.sqlite");
  SweepHeading heading = small_heading();
  heading.seed = ~std::uint64_t{0};
  heading.reports_replays = true;
  for (int axis = 0; axis < 12; ++axis) heading.axes.push_back("/axis/" + std::to_string(axis));
  ResultStore::create(path, heading, small_grid(9));
  const ResultStore store = ResultStore::open(path);
  EXPECT_EQ(store.heading(), heading);
  EXPECT_EQ(store.grid(), small_grid(9));
  EXPECT_EQ(store.finished(), std::set<std::string>{});
  EXPECT_EQ(store.find(key_of(0)), std::nullopt);
}

TEST(ResultStore, GivesBackWhatWasPut) {
  const TemporaryFolder folder;
  ResultStore store = ResultStore::create(folder.file("s.sqlite"), small_heading(), small_grid(3));
  std::set<std::string> keys;
  EXPECT_TRUE(rc::check([&] {
    const std::string first = key_of(2 * keys.size()), second = key_of(2 * keys.size() + 1);
    const std::vector<KeyedOutcome> outcomes{{first, random_outcome()}, {second, random_outcome()}};
    store.put(outcomes);
    keys.insert({first, second});
    RC_ASSERT(store.find(first) == outcomes[0].outcome);
    RC_ASSERT(store.find(second) == outcomes[1].outcome);
    RC_ASSERT(store.finished() == keys);
  }));
}

TEST(ResultStore, AKeyKeepsItsFirstOutcome) {
  const TemporaryFolder folder;
  ResultStore store = ResultStore::create(folder.file("s.sqlite"), small_heading(), small_grid(2));
  store.put({outcome_of(0)});
  store.put({{key_of(0), {"another"}}, outcome_of(1)});
  EXPECT_EQ(store.find(key_of(0)), outcome_of(0).outcome);
  EXPECT_EQ(store.find(key_of(1)), outcome_of(1).outcome);
}

TEST(ResultStore, PointsComeInGridOrderThoseOfOneKeyWithOneOutcome) {
  const TemporaryFolder folder;
  std::vector<GridPoint> grid = small_grid(3);
  grid.push_back({key_of(1), {"3", "null"}});
  ResultStore store = ResultStore::create(folder.file("s.sqlite"), small_heading(), grid);
  store.put({outcome_of(2), outcome_of(1)});
  std::vector<GridPoint> points;
  std::vector<std::optional<PointOutcome>> outcomes;
  store.for_each([&](const GridPoint& point, const std::optional<PointOutcome>& outcome) {
    points.push_back(point);
    outcomes.push_back(outcome);
  });
  EXPECT_EQ(points, grid);
  const PointOutcome one = outcome_of(1).outcome, two = outcome_of(2).outcome;
  EXPECT_EQ(outcomes, (std::vector<std::optional<PointOutcome>>{std::nullopt, one, two, one}));
}

TEST(ResultStore, WhatItHoldsSaysNothingOfHowItCameThere) {
  const TemporaryFolder folder;
  const std::string path = folder.file("s.sqlite");
  for (std::size_t point = 50; point-- > 0;)
    ResultStore::resume(path, small_heading(), small_grid(50)).put({outcome_of(point)});
  EXPECT_EQ(testing::dump(path), testing::undisturbed_dump(folder, 50));
}

TEST(ResultStore, LeavesOneFile) {
  const TemporaryFolder folder;
  {
    ResultStore store = ResultStore::create(folder.file("s.sqlite"), small_heading(), small_grid(5));
    store.put(outcomes_of(0, 5));
    EXPECT_TRUE(folder.names().contains("s.sqlite-wal"));
  }
  EXPECT_EQ(folder.names(), std::set<std::string>{"s.sqlite"});
}

TEST(ResultStore, SettledItCanBeCopiedAlone) {
  const TemporaryFolder folder;
  ResultStore store = ResultStore::create(folder.file("s.sqlite"), small_heading(), small_grid(5));
  store.put(outcomes_of(0, 5));
  store.settle();
  std::filesystem::copy_file(store.path(), folder.file("copy.sqlite"));
  EXPECT_EQ(testing::table_of(ResultStore::open(folder.file("copy.sqlite"))), testing::table_of(store));
}

TEST(ResultStore, WhatTheVisitorThrowsComesThroughAndTheStoreGoesOn) {
  const TemporaryFolder folder;
  ResultStore store = ResultStore::create(folder.file("s.sqlite"), small_heading(), small_grid(2));
  EXPECT_THROW(store.for_each([](const auto&, const auto&) { throw Infeasible("enough"); }), Infeasible);
  store.put({outcome_of(1)});
  EXPECT_EQ(store.finished().size(), 1u);
}

std::string heading_refusal(const SweepHeading& wanted) {
  const TemporaryFolder folder;
  const ResultStore store = ResultStore::create(folder.file("s.sqlite"), small_heading(), small_grid(1));
  const std::string text = refusal([&] { store.require(wanted); });
  return text.empty() ? text : text.substr(text.find(".sqlite: ") + 9);
}

TEST(ResultStore, SaysInWhatAnotherSweepIsAnother) {
  EXPECT_EQ(heading_refusal(small_heading()), "");
  SweepHeading other = small_heading();
  other.name = "else";
  EXPECT_EQ(heading_refusal(other),
            "/heading/sweep: expected results of sweep else, found results of sweep study");
  other = small_heading(), other.draws = 64;
  EXPECT_EQ(heading_refusal(other), "/heading/draws: expected 64 draws, found 4 draws");
  other = small_heading(), other.seed = 8;
  EXPECT_EQ(heading_refusal(other), "/heading/seed: expected seed 8, found seed 7");
  other = small_heading(), other.reports_replays = true;
  EXPECT_EQ(heading_refusal(other), "/heading/engine: expected simgrid, found longest-path");
  other = small_heading(), other.program = "0.2.0";
  EXPECT_EQ(heading_refusal(other),
            "/heading/program: expected results of version 0.2.0, found results of version 0.1.0");
  other = small_heading(), other.axes = {};
  EXPECT_EQ(heading_refusal(other),
            "/heading/axes: expected none, found /pipeline/ranks, /model/blocks/0/name");
}

TEST(ResultStore, SaysThatASweepHasChangedUnderItsName) {
  SweepHeading other = small_heading();
  other.identity = "fedcba";
  EXPECT_EQ(
      heading_refusal(other),
      "/heading/identity: expected results of this sweep (fedcba), found results of one of the same name "
      "(0123456789abcdef): the sweep, its experiment or a file that they name has changed; choose another "
      "--out");
  other = small_heading(), other.document = "{}";
  EXPECT_TRUE(heading_refusal(other).starts_with("/heading/document: expected the sweep as it is"))
      << heading_refusal(other);
}

// Draws JSON of any shape. Its texts contain the characters with which a list is written.
nlohmann::json random_json(int depth) {
  const auto kind = testing::random_count(depth > 0 ? 4 : 2);
  if (kind == 0) return *rc::gen::arbitrary<int>();
  if (kind == 1) return *rc::gen::container<std::string>(rc::gen::elementOf(std::string(R"(a,"\[]{} )")));
  if (kind == 2) return testing::random_number();
  nlohmann::json all = kind == 3 ? nlohmann::json::array() : nlohmann::json::object();
  for (std::size_t member = testing::random_count(3); member > 0; --member) {
    if (kind == 3) all.push_back(random_json(depth - 1));
    if (kind == 4) all["\\\"" + std::to_string(member)] = random_json(depth - 1);
  }
  return all;
}

RC_GTEST_PROP(JsonList, HoldsEveryElementToTheByte, ()) {
  std::vector<std::string> elements(testing::random_count(5));
  for (std::string& element : elements) element = random_json(3).dump();
  const std::string list = json_list(elements);
  RC_ASSERT(nlohmann::json::parse(list).size() == elements.size());
  RC_ASSERT(json_elements(list) == elements);
}

}  // namespace
}  // namespace spillway
