// Checks the refusals of invalid sweeps.
#include <gtest/gtest.h>

#include "input/written.h"
#include "sweep/grid/file.h"
#include "sweeps.h"

namespace spillway {
namespace {

using Lines = std::vector<std::string>;

Lines refused(const std::string& axes, const std::string& more = "",
              const std::string& experiment = kSweptExperiment) {
  const std::string path = written("s.json", sweep_text(axes, more, experiment));
  return complaints([&] { SweepFile file(path); });
}

TEST(BadSweeps, AnAxisThatLeadsNowhere) {
  EXPECT_EQ(refused(R"({"pointer": "/pipeline/rank", "values": [1]})"),
            Lines{"s.json: /axes/0/pointer: expected a known key, such as \"ranks\", found \"rank\""});
  EXPECT_EQ(refused(kRanks + R"(, {"pointer": "/pipelin/ranks", "values": [1]})"),
            Lines{"s.json: /axes/1/pointer: expected a known key, such as \"pipeline\", found \"pipelin\""});
  EXPECT_EQ(
      refused(R"({"zip": [{"pointer": "/schedules/7/name", "values": ["n"]}]})"),
      Lines{"s.json: /axes/0/zip/0/pointer: expected a place in the document to set, found nothing below "
            "/schedules"});
  EXPECT_EQ(
      refused(R"({"pointer": "ranks", "values": [1]})"),
      Lines{"s.json: /axes/0/pointer: expected a JSON pointer into the experiment, which starts with /, "
            "found \"ranks\""});
}

// The axis is found in a large grid, too, of which only some points are tried.
TEST(BadSweeps, AnAxisThatLeadsNowhereInALargeGrid) {
  EXPECT_EQ(refused(R"({"pointer": "/network/p2p_ms", "range": {"from": 1, "to": 5000, "step": 1}},
                       {"pointer": "/network/p2p", "values": ["blocking", "overlapped"]},
                       {"pointer": "/pipeline/rank", "values": [1]})"),
            Lines{"s.json: /axes/2/pointer: expected a known key, such as \"ranks\", found \"rank\""});
}

TEST(BadSweeps, AnAxisOverWhatTheSweepStates) {
  EXPECT_EQ(refused(R"({"pointer": "/draws", "values": [1]}, {"pointer": "/seed", "values": [1]})"),
            (Lines{"s.json: /axes/0/pointer: expected another place, since a sweep states its draws in its "
                   "own key draws, found \"/draws\"",
                   "s.json: /axes/1/pointer: expected another place, since a sweep states its seed in its "
                   "own key seed, found \"/seed\""}));
}

TEST(BadSweeps, AnEmptyAxis) {
  EXPECT_EQ(refused(""), Lines{"s.json: /axes: expected at least one axis, found an empty list"});
  EXPECT_EQ(refused(R"({"pointer": "/pipeline/ranks", "values": []})"),
            Lines{"s.json: /axes/0/values: expected at least one value, found an empty list"});
  EXPECT_EQ(refused(R"({"pointer": "/pipeline/ranks", "range": {"from": 4, "to": 2, "step": 1}})"),
            Lines{"s.json: /axes/0/range/to: expected a number of at least from, 4, found 2"});
  EXPECT_EQ(refused(R"({"pointer": "/pipeline/ranks"})"),
            Lines{"s.json: /axes/0: expected values or a range, found neither"});
  EXPECT_EQ(refused(R"({"zip": []})"),
            Lines{"s.json: /axes/0/zip: expected at least one axis, found an empty list"});
}

TEST(BadSweeps, PlacesThatResultsDoNotDependOn) {
  for (const char* remark : {"name", "note", "assumptions"})
    EXPECT_EQ(refused(std::string(R"({"pointer": "/)") + remark + R"(", "values": ["a", "b"]})"),
              Lines{"s.json: /axes/0/pointer: expected a place that changes results, since points that "
                    "differ only in " +
                    std::string(remark) + " are the same point, found \"/" + remark + "\""});
}

TEST(BadSweeps, ValuesThatAreSetAgain) {
  EXPECT_EQ(refused(kRanks, R"(, "set": {"/pipeline/ranks": 9})"),
            Lines{"s.json: /set/~1pipeline~1ranks: expected a place that no axis sets, found one that "
                  "/axes/0 sets at every point"});
  EXPECT_EQ(refused(R"({"pointer": "/network", "values": [{"p2p_ms": 1}, {"p2p_ms": 2}]})",
                    R"(, "set": {"/network/p2p_ms": 9})"),
            Lines{"s.json: /set/~1network~1p2p_ms: expected a place that no axis sets, found one that "
                  "/axes/0 sets at every point"});
  EXPECT_EQ(refused(kRanks, R"(, "set": {"/network/p2p_ms": 9, "/network": {}})"),
            Lines{"s.json: /set/~1network~1p2p_ms: expected a place that no later entry sets again, found "
                  "\"/network\""});
  EXPECT_EQ(refused(kRanks, R"(, "draws": 3, "set": {"/draws": 9})"),
            Lines{"s.json: /set/~1draws: expected a place that no later entry sets again, found \"/draws\""});
  EXPECT_EQ(refused(kRanks, R"(, "set": {"/network": {}, "/network/p2p_ms": 9})"), Lines{});
}

TEST(Sweeps, SayWhatChangesNothingAtAnyPoint) {
  const auto idle = [](const std::string& axes) {
    std::vector<std::string> pointers;
    const SweepFile file(written("s.json", sweep_text(axes)));
    for (const IdleKey& key : file.idle_keys()) pointers.push_back(key.pointer);
    return pointers;
  };
  EXPECT_EQ(idle(R"({"pointer": "/schedules/0/owner", "values": ["greedy", "blocked"]})"),
            Lines{"/schedules/0/owner"});
  EXPECT_EQ(idle(R"({"pointer": "/schedules/0/owner", "values": ["greedy", "blocked"]},
                    {"pointer": "/schedules/0/schedule", "values": ["1f1b", "transpose"]})"),
            Lines{});
  EXPECT_EQ(idle(kRanks), Lines{});  // every sweep sets draws and seed
}

TEST(BadSweeps, ValuesThatAreNoneOfTheirOwn) {
  EXPECT_EQ(refused(R"({"pointer": "/network/p2p_ms", "values": [1, 2, 1.0]})"),
            Lines{"s.json: /axes/0/values/2: expected a value used once, found 1.0"});
  EXPECT_EQ(
      refused(R"({"zip": [{"pointer": "/network/p2p_ms", "values": [1, 1, 2, 1.0]},
                                {"pointer": "/pipeline/ranks", "values": [2, 4, 4, 2]}]})"),
      Lines{"s.json: /axes/0/zip/0/values/3: expected values that no earlier entry of the zip has, found "
            "1.0"});
  EXPECT_EQ(refused(R"({"pointer": "/network/p2p_ms",
                        "range": {"from": 1, "to": 1.0000000000000002, "count": 4}})"),
            Lines{"s.json: /axes/0/range: expected numbers that differ as doubles, found 1 more than once"});
  EXPECT_EQ(
      refused(kRanks + "," + kRanks),
      Lines{"s.json: /axes/1/pointer: expected a place that no earlier axis sets, wholly or in part, found "
            "\"/pipeline/ranks\""});
  EXPECT_EQ(
      refused(kRanks + R"(, {"pointer": "/pipeline", "values": [{"ranks": 1, "microbatches": 1}]})"),
      Lines{"s.json: /axes/1/pointer: expected a place that no earlier axis sets, wholly or in part, found "
            "\"/pipeline\""});
}

TEST(BadSweeps, ZipsOfDifferentLengths) {
  EXPECT_EQ(refused(R"({"zip": [)" + kRanks + R"(, {"pointer": "/network/p2p_ms", "values": [1, 2]}]})"),
            Lines{"s.json: /axes/0/zip/1: expected as many values as the first axis of the zip, 3, found 2"});
}

// Points are counted, not made. The first grid would have an axis of a billion values.
TEST(BadSweeps, TooManyPoints) {
  EXPECT_EQ(
      refused(kRanks + R"(, {"pointer": "/network/p2p_ms",
                                   "range": {"from": 1, "to": 1000000000, "step": 1}})"),
      Lines{"s.json: /axes: expected at most 1000000 points; use fewer values on /axes/1, the longest axis "
            "(a larger step or factor), zip axes, or split the sweep, found 3 x 1000000000 = 3000000000 "
            "points"});
  EXPECT_EQ(
      refused(R"({"pointer": "/network/p2p_ms",
                        "range": {"from": 1, "to": 2, "count": 18446744073709551615}}, )" +
              kRanks),
      Lines{"s.json: /axes: expected at most 1000000 points; use fewer values on /axes/0, the longest axis "
            "(a larger step or factor), zip axes, or split the sweep, found 18446744073709551615 x 3 = at "
            "least 18446744073709551615 points"});
}

TEST(BadSweeps, Constraints) {
  const auto constrained = [](const std::string& constraint) {
    return refused(kRanks, R"(, "constraints": [)" + constraint + "]");
  };
  EXPECT_EQ(constrained(R"({"left": "/pipeline/ranks", "is": ">", "right": 4})"),
            Lines{"s.json: /constraints: expected constraints that at least one point meets, found none of 3 "
                  "that does"});
  EXPECT_EQ(
      constrained(R"({"left": "/pipeline/rank", "is": ">", "right": 4})"),
      Lines{"s.json: /constraints/0/left: expected the pointer of a number, a truth value or a text that "
            "the experiment states, found \"/pipeline/rank\""});
  EXPECT_EQ(constrained(R"({"left": "/pipeline/ranks/x", "is": ">", "right": 4})"),
            Lines{"s.json: /constraints/0/left: expected the pointer of a number, a truth value or a text in "
                  "every value of /axes/0, found \"/pipeline/ranks/x\""});
  EXPECT_EQ(
      constrained(R"({"left": "/schedules/0/name", "is": "<", "right": 4})"),
      Lines{"s.json: /constraints/0/left: expected a number, or a pointer to one, to be compared by \"<\", "
            "found \"/schedules/0/name\""});
  EXPECT_EQ(
      constrained(R"({"left": {"product": ["/schedules/0/name", 2]}, "is": "=", "right": {"product": []}})"),
      (Lines{"s.json: /constraints/0/left/product/0: expected a number, or a pointer to one, found "
             "\"/schedules/0/name\"",
             "s.json: /constraints/0/right/product: expected at least one factor, found an empty list"}));
  EXPECT_EQ(
      constrained(R"({"left": null, "is": "~", "right": []})"),
      (Lines{"s.json: /constraints/0/left: expected a number, a truth value, a text or a pointer into the "
             "experiment, found null",
             "s.json: /constraints/0/is: expected one of \"<\", \"<=\", \">\", \">=\", \"=\", \"!=\", "
             "\"divides\", \"multiple of\", found \"~\"",
             "s.json: /constraints/0/right: expected a number, a truth value, a text or a pointer into the "
             "experiment, found an empty list"}));
}

TEST(BadSweeps, Replays) {
  EXPECT_EQ(refused(kRanks, R"(, "simgrid": {"sample": 0})"),
            Lines{"s.json: /simgrid/sample: expected a whole number of at least 1, found 0"});
  EXPECT_EQ(refused(kRanks, R"(, "simgrid": {"sample": 1, "where": []})"),
            Lines{"s.json: /simgrid/sample: expected no such key beside where, found 1"});
  EXPECT_EQ(refused(kRanks, R"(, "engine": "simgrid", "simgrid": {"sample": 1})"),
            Lines{"s.json: /simgrid: expected no such key, since the engine is simgrid and runs every point, "
                  "found an object with \"sample\""});
  EXPECT_EQ(refused(kRanks, R"(, "engine": "max-plus")"),
            Lines{"s.json: /engine: expected one of \"longest-path\", \"simgrid\", found \"max-plus\""});
}

// The violation points to the axis, the set value or the sweep's own key, otherwise into the experiment.
TEST(BadSweeps, WhereNoPointCanBe) {
  EXPECT_EQ(refused(R"({"pointer": "/pipeline/ranks", "values": [0, -1]})"),
            Lines{"s.json: /axes/0/values/0: expected a whole number from 1 to 1000000, found 0"});
  EXPECT_EQ(refused(R"({"pointer": "/pipeline/ranks", "range": {"from": 1.5, "to": 2.5, "step": 1}})"),
            Lines{"s.json: /axes/0/range: expected a whole number from 1 to 1000000, found 1.5"});
  EXPECT_EQ(refused(kRanks, R"(, "set": {"/network/p2p_ms": -1})"),
            Lines{"s.json: /set/~1network~1p2p_ms: expected a number of at least 0, found -1"});
  EXPECT_EQ(
      refused(kRanks, R"(, "set": {"/netwrk/p2p_ms": 1})"),
      Lines{"s.json: /set/~1netwrk~1p2p_ms: expected a known key, such as \"network\", found \"netwrk\""});
  EXPECT_EQ(refused(kRanks, R"(, "draws": 0)"),
            Lines{"s.json: /draws: expected a whole number from 1 to 1000000, found 0"});
  EXPECT_EQ(refused(kRanks, "", kSweptExperiment + R"(, "draws": 0)"),
            Lines{"s.json: /experiment/draws: expected a whole number from 1 to 1000000, found 0"});
  EXPECT_EQ(refused(kRanks, "", kSweptExperiment + R"(, "sed": 0)"),
            Lines{"s.json: /experiment/sed: expected a known key, such as \"seed\", found \"sed\""});
}

TEST(BadSweeps, ExperimentsInFiles) {
  const auto named = [](const std::string& experiment) {
    const std::string path = written("s.json", R"({"schema": "spillway/sweep/1", "experiment": )" +
                                                   experiment + R"(, "axes": [)" + kRanks + "]}");
    return complaints([&] { SweepFile file(path); });
  };
  EXPECT_EQ(
      named("\"nothing.json\""),
      Lines{"s.json: /experiment: expected a readable file, its path relative to this file's folder, found "
            "\"nothing.json\": No such file or directory"});
  written("list.json", "[]");
  EXPECT_EQ(named("\"list.json\""), Lines{"list.json: /: expected an object, found an empty list"});
  EXPECT_EQ(named("7"),
            Lines{"s.json: /experiment: expected the path of an experiment, or an experiment, found 7"});
  written("x.json", "{" + kSweptExperiment + R"(, "sed": 0})");
  EXPECT_EQ(named("\"x.json\""),
            Lines{"x.json: /sed: expected a known key, such as \"seed\", found \"sed\""});
}

TEST(BadSweeps, AllOfItIsSaidAtOnce) {
  EXPECT_EQ(
      refused(R"({"pointer": "/pipeline/ranks", "values": 4})", R"(, "engin": "simgrid", "draws": "two")"),
      (Lines{"s.json: /engin: expected a known key, such as \"engine\", found \"engin\"",
             "s.json: /draws: expected a whole number from 1 to 1000000, found \"two\"",
             "s.json: /axes/0/values: expected a list, found 4"}));
}

}  // namespace
}  // namespace spillway
