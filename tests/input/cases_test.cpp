// Tables of measured steps: how they are read, and the messages of bad ones.
#include "input/experiment/cases.h"

#include <gtest/gtest.h>

#include "written.h"

namespace spillway {
namespace {

const std::string kGoodCases =
    R"({ "schema": "spillway/cases/1", "name": "t", "source": "s", "assumptions": ["of the table"],
  "experiment": { "schema": "spillway/experiment/1", "name": "x", "assumptions": ["of the base"],
    "pipeline": { "ranks": 2, "microbatches": 4 }, "network": { "p2p_ms": 0 },
    "model": { "blocks": [ { "name": "llm", "layers": 4,
      "profile": { "forward_ms": 1, "input_gradient_ms": 1, "weight_gradient_ms": 1 } } ] },
    "schedules": [ { "name": "a", "schedule": "1f1b" } ] },
  "fit": [ { "pointer": "/network/p2p_ms", "from": 0.5, "to": 3 } ],
  "cases": [
    { "name": "base", "set": {}, "measured_s": 2 },
    { "name": "deep", "set": { "/pipeline/ranks": 4, "/seed": 3 }, "measured_s": 3, "measured_memory_gb": 1.5,
      "fitted": true } ] })";

Lines cases_with(const std::string& part, const std::string& replacement) {
  std::string text = kGoodCases;
  const std::size_t at = text.find(part);
  EXPECT_NE(at, std::string::npos) << part;
  const std::string path = written("t.json", text.replace(at, part.size(), replacement));
  return complaints([&] { CaseFile file(path); });
}

TEST(Cases, SayWhatWasMeasured) {
  const CaseFile file(written("t.json", kGoodCases));
  const CaseTable& table = file.table();
  EXPECT_EQ(table.assumptions, (Lines{"of the table", "of the base"}));
  ASSERT_EQ(table.cases.size(), 2u);
  EXPECT_EQ(table.cases[0].step, Seconds(2));
  EXPECT_FALSE(table.cases[0].memory.has_value());
  EXPECT_FALSE(table.cases[0].fitted);
  EXPECT_EQ(table.cases[1].memory, Bytes(1.5e9));
  EXPECT_TRUE(table.cases[1].fitted);
  ASSERT_EQ(table.fit.size(), 1u);
  EXPECT_EQ(table.fit[0].from, 0.5);
}

TEST(Cases, SayTheirClassAndTheirEnd) {
  std::string text = kGoodCases;
  const std::string before = R"("set": {}, "measured_s": 2 })";
  text.replace(text.find(before), before.size(), R"("set": {}, "class": "own", "measured_s": 2 },
    { "name": "predicted", "set": {} }, { "name": "out", "set": {}, "run": "out-of-memory" },
    { "name": "ran", "set": {}, "run": "ran" })");
  text.replace(text.find(R"("source")"), 0, R"("class": "table's", )");
  const CaseFile file(written("t.json", text));
  const std::vector<MeasuredCase>& cases = file.table().cases;
  ASSERT_EQ(cases.size(), 5u);
  EXPECT_EQ(cases[0].of_class, "own");
  EXPECT_EQ(cases[1].of_class, "table's");
  const RunEnd ends[] = {RunEnd::Ran, RunEnd::Unknown, RunEnd::OutOfMemory, RunEnd::Ran, RunEnd::Ran};
  for (std::size_t i = 0; i < cases.size(); ++i) EXPECT_EQ(cases[i].end, ends[i]) << cases[i].name;
}

// A run that ended without a step has no measurements.
TEST(BadCases, EndInOneWay) {
  EXPECT_EQ(cases_with("\"measured_s\": 2", "\"measured_s\": 2, \"run\": \"out-of-memory\""),
            Lines{"t.json: /cases/0/run: expected \"ran\", since the case has measurements, found "
                  "\"out-of-memory\""});
  EXPECT_EQ(cases_with("\"measured_s\": 2", "\"run\": \"crashed\""),
            Lines{"t.json: /cases/0/run: expected one of \"ran\", \"out-of-memory\", found \"crashed\""});
}

TEST(Cases, AreTheBaseWithTheirOwnValues) {
  const CaseFile file(written("t.json", kGoodCases));
  EXPECT_EQ(file.experiment(0).pipeline.ranks, 2u);
  EXPECT_EQ(file.experiment(1).pipeline.ranks, 4u);
  EXPECT_EQ(file.experiment(1).seed, 3u);
}

// The values that calibration tries are applied first, so a case keeps its own values.
TEST(Cases, KeepTheirValuesUnderChangesOfTheBase) {
  const CaseFile file(written("t.json", kGoodCases));
  const std::vector<Setting> base = {{"/seed", "9"}, {"/pipeline/microbatches", "6"}};
  EXPECT_EQ(file.experiment(0, base).seed, 9u);
  EXPECT_EQ(file.experiment(1, base).seed, 3u);
  EXPECT_EQ(file.experiment(1, base).pipeline.microbatches, 6u);
}

TEST(BadCases, AreAllNamedAtTheirOwnValues) {
  EXPECT_EQ(
      cases_with("\"/pipeline/ranks\": 4, \"/seed\": 3", "\"/pipeline/ranks\": 0, \"/sed\": 3"),
      (Lines{"t.json: /cases/1/set/~1sed: expected a known key, such as \"seed\", found \"sed\"",
             "t.json: /cases/1/set/~1pipeline~1ranks: expected a whole number from 1 to 1000000, found 0"}));
  EXPECT_EQ(cases_with("\"/pipeline/ranks\": 4", "\"/pipelin/ranks\": 4"),
            Lines{"t.json: /cases/1/set/~1pipelin~1ranks: expected a known key, such as \"pipeline\", found "
                  "\"pipelin\""});
}

TEST(BadCases, SetByPointers) {
  EXPECT_EQ(cases_with("\"/seed\": 3", "\"seed\": 3"),
            Lines{"t.json: /cases/1/set/seed: expected a JSON pointer that starts with /, found \"seed\""});
}

TEST(BadCases, OfTheBaseAreNamedOnce) {
  EXPECT_EQ(cases_with("\"forward_ms\": 1", "\"forward_ms\": -1"),
            Lines{"t.json: /experiment/model/blocks/0/profile/forward_ms: expected a number of at least 0, "
                  "found -1"});
}

TEST(BadCases, HaveOneSchedule) {
  EXPECT_EQ(
      cases_with("{ \"name\": \"a\", \"schedule\": \"1f1b\" }",
                 "{ \"name\": \"a\", \"schedule\": \"1f1b\" }, { \"name\": \"b\", \"schedule\": \"gpipe\" }"),
      Lines{"t.json: /experiment/schedules: expected one schedule, found 2"});
}

// The base is valid, and so are the values of the case; the two together are not.
TEST(BadCases, AreNamedWhereTheBaseOnlyFailsWithThem) {
  EXPECT_EQ(
      cases_with("\"/pipeline/ranks\": 4", "\"/pipeline/ranks\": 5"),
      Lines{"t.json: /experiment/schedules/0/schedule: expected at least 5 layers in region llm, one per "
            "stage, found 4 in case \"deep\""});
}

TEST(BadCases, HaveANameOfTheirOwn) {
  EXPECT_EQ(cases_with("\"name\": \"deep\"", "\"name\": \"base\""),
            Lines{"t.json: /cases/1/name: expected a name used once, found \"base\""});
}

TEST(BadCases, FitNumbersOfTheExperimentEachOnce) {
  EXPECT_EQ(cases_with("\"/network/p2p_ms\"", "\"/network/nothing\""),
            Lines{"t.json: /fit/0/pointer: expected a number of the experiment whose allowed range includes "
                  "to, found "
                  "\"/network/nothing\""});
  EXPECT_EQ(
      cases_with("\"/network/p2p_ms\"", "\"/name\""),
      Lines{"t.json: /fit/0/pointer: expected a number of the experiment whose allowed range includes to, "
            "found \"/name\""});
  EXPECT_EQ(
      cases_with("\"to\": 3 }", "\"to\": 3 }, { \"pointer\": \"/network/p2p_ms\", \"from\": 1, \"to\": 2 }"),
      Lines{"t.json: /fit/1/pointer: expected a pointer used once, found \"/network/p2p_ms\""});
}

TEST(BadCases, OfTheTableItself) {
  EXPECT_EQ(cases_with("\"to\": 3", "\"to\": 0.25"),
            Lines{"t.json: /fit/0/to: expected a number above from, found 0.25"});
  EXPECT_EQ(cases_with("\"measured_s\": 2", "\"measured_s\": 0"),
            Lines{"t.json: /cases/0/measured_s: expected a number above 0, found 0"});
  EXPECT_EQ(cases_with("spillway/cases/1", "spillway/cases/2"),
            Lines{"t.json: /schema: expected \"spillway/cases/1\", found \"spillway/cases/2\""});
}

}  // namespace
}  // namespace spillway
