// --set /pointer=value on the small experiment.
#include <gtest/gtest.h>

#include "input/experiment/experiment.h"
#include "json/json_text.h"
#include "written.h"

namespace spillway {
namespace {

Experiment small_with(const std::vector<Setting>& settings) {
  return read_experiment(shipped("workloads/experiments/small.json"), settings);
}

Lines refused(const std::vector<Setting>& settings) {
  const std::string path = written("x.json", content_of(shipped("workloads/experiments/small.json")));
  return complaints([&] { read_experiment(path, settings); });
}

TEST(Settings, ReplaceANumber) {
  EXPECT_EQ(std::get<GivenCosts>(small_with({{"/network/p2p_ms", "2.5"}}).costs).p2p, milliseconds(2.5));
}

TEST(Settings, WhatIsNotJsonIsText) {
  EXPECT_EQ(small_with({{"/name", "other name"}}).name, "other name");
  EXPECT_EQ(small_with({{"/schedules/0/owner", "round-robin"}}).schedules[0].owner, OwnerPolicy::RoundRobin);
  for (const auto& [name, order] : kMicrobatchOrders)
    EXPECT_EQ(small_with({{"/schedules/0/order", std::string(name)}}).schedules[0].order, order);
}

TEST(Settings, ValuesMayBeLists) {
  const Experiment e = small_with({{"/schedules/1/layers_per_rank", "[3,3,3,3]"}});
  EXPECT_EQ(e.schedules[1].layers_per_rank, (std::vector<std::uint32_t>{3, 3, 3, 3}));
}

TEST(Settings, AddAKeyToAnObject) {
  EXPECT_EQ(small_with({{"/draws", "5"}}).draws, 5u);
}

TEST(Settings, AddAnElementToAList) {
  const std::string gpipe = R"({"name": "g", "schedule": "gpipe"})";
  for (const char* pointer : {"/schedules/2", "/schedules/-"}) {
    const Experiment e = small_with({{pointer, gpipe}, {"/schedules/2/name", "h"}});
    ASSERT_EQ(e.schedules.size(), 3u);
    EXPECT_EQ(e.schedules[2].name, "h");
    EXPECT_EQ(to_string(e.schedules[2].schedule), "gpipe");
  }
}

TEST(Settings, TheLastOneCounts) {
  EXPECT_EQ(small_with({{"/seed", "5"}, {"/seed", "6"}}).seed, 6u);
  EXPECT_EQ(small_with({{"/seed", "18446744073709551615"}}).seed, 18446744073709551615u);
}

TEST(Settings, MakeTheObjectsOnTheWay) {
  EXPECT_EQ(small_with({{"/memory/limit_gb", "10"}}).memory_limit, Bytes(10e9));
  EXPECT_EQ(small_with({{"/assumptions/-", "one"}, {"/assumptions/-", "two"}}).assumptions,
            (Lines{"one", "two"}));
  EXPECT_EQ(refused({{"/memory/limit", "10"}}),
            (Lines{"x.json: /memory/limit: expected a known key, such as \"limit_gb\", found \"limit\"",
                   "x.json: /memory/limit_gb: expected a value, found nothing"}));
}

// Every key along the pointer must be known, as in a file.
TEST(Settings, OnTheWayMustBeKnownToo) {
  EXPECT_EQ(refused({{"/pipelin/ranks", "8"}}),
            Lines{"x.json: /pipelin: expected a known key, such as \"pipeline\", found \"pipelin\""});
  EXPECT_EQ(refused({{"/network/p2/ms", "8"}}),
            Lines{"x.json: /network/p2: expected a known key, such as \"p2p\", found \"p2\""});
}

TEST(Settings, DoNotNestWithoutEnd) {
  std::string deep;
  for (int level = 0; level < 65; ++level) deep += "/a";
  EXPECT_EQ(refused({{deep, "1"}}),
            Lines{"x.json: " + deep + ": expected at most 64 levels of nesting, found 65"});
}

TEST(Settings, NoSuchPlace) {
  EXPECT_EQ(refused({{"/schedules/3", "c"}}),
            Lines{"x.json: /schedules/3: expected a place in the document to "
                  "set, found nothing below /schedules"});
  EXPECT_EQ(refused({{"/schedules/2/name", "c"}}), Lines{"x.json: /schedules/2/name: expected a place in the "
                                                         "document to set, found nothing below /schedules"});
  EXPECT_EQ(refused({{"/name/x", "c"}}),
            Lines{"x.json: /name/x: expected a place in the document to set, found nothing below /name"});
  EXPECT_EQ(refused({{"name", "c"}}),
            Lines{"x.json: --set: expected a JSON pointer that starts with /, found \"name\""});
}

TEST(Settings, ANewKeyHasToBeKnown) {
  EXPECT_EQ(
      refused({{"/pipeline/replica", "8"}}),
      Lines{"x.json: /pipeline/replica: expected a known key, such as \"replicas\", found \"replica\""});
}

TEST(Settings, ValuesAreCheckedLikeTheFile) {
  EXPECT_EQ(refused({{"/network/p2p_ms", "NaN"}}),
            Lines{"x.json: /network/p2p_ms: expected a number of at least 0, found \"NaN\""});
  EXPECT_EQ(refused({{"/name", "\xff"}}),
            Lines{"x.json: /name: expected a value in UTF-8, found other bytes"});
}

TEST(Settings, WrittenIntoTheDocumentAreTheSameExperiment) {
  const std::string path = shipped("workloads/experiments/small.json");
  const std::vector<Setting> settings = {{"/network/p2p_ms", "0.30000000000000004"},
                                         {"/schedules/-", R"({"name": "g", "schedule": "gpipe"})"},
                                         {"/name", "caf\u00e9 \"x\""}};
  const std::string document = with_settings(content_of(path), path, settings);
  const Experiment set = read_experiment(path, settings), again = parse_experiment(document, path, {});
  EXPECT_EQ(again.name, set.name);
  EXPECT_EQ(std::get<GivenCosts>(again.costs).p2p, std::get<GivenCosts>(set.costs).p2p);
  EXPECT_EQ(again.schedules.size(), set.schedules.size());
  EXPECT_EQ(again.schedules.back().name, "g");
  EXPECT_EQ(with_settings(document, path, {}), document);
}

}  // namespace
}  // namespace spillway
