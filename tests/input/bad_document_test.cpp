// Documents that are not experiments, and the exact message of each.
#include <gtest/gtest.h>

#include "bad_experiment.h"
#include "input/experiment/experiment.h"

namespace spillway {
namespace {

TEST(BadExperiment, TheGoodOneIsGood) {
  EXPECT_EQ(experiment_complaints(kGood), Lines{});
}

TEST(BadExperiment, UnknownKey) {
  EXPECT_EQ(with("\"ranks\"", "\"rank\""),
            (Lines{"x.json: /pipeline/rank: expected a known key, such as \"ranks\", found \"rank\"",
                   "x.json: /pipeline/ranks: expected a value, found nothing"}));
}

TEST(BadExperiment, KeyOfTheOtherForm) {
  EXPECT_EQ(
      with("\"network\"", "\"parallel\": {}, \"network\""),
      Lines{"x.json: /parallel: expected no such key, since blocks have profiles, found an empty object"});
}

TEST(BadExperiment, DuplicateKey) {
  EXPECT_EQ(with("\"ranks\": 2", "\"ranks\": 2, \"ranks\": 4, \"ranks\": 8"),
            Lines{"x.json: /pipeline/ranks: expected this key once, found it more than once"});
}

TEST(BadExperiment, DuplicateNames) {
  EXPECT_EQ(with("\"name\": \"llm\"", "\"name\": \"enc\""),
            Lines{"x.json: /model/blocks/1/name: expected a name used once, found \"enc\""});
  EXPECT_EQ(with("\"cut\": [2] }", "\"cut\": [2] }, { \"name\": \"a\", \"schedule\": \"1f1b\" }"),
            Lines{"x.json: /schedules/1/name: expected a name used once, found \"a\""});
}

// The reader looks at blocks more than once, but reports a fault once; two clashing names are one fault.
TEST(BadExperiment, NothingIsSaidTwice) {
  std::string text = kGood;
  const std::size_t at = text.find("\"blocks\": ") + 10;
  text.replace(at, text.find("] },\n  \"network\"") + 1 - at, "5");
  EXPECT_EQ(experiment_complaints(text), Lines{"x.json: /model/blocks: expected a list, found 5"});
  EXPECT_EQ(with("\"cut\": [2] } ]",
                 "\"cut\": [2] }, { \"name\": \"a\", \"schedule\": \"1f1b\" } ], \"baseline\": \"b\""),
            (Lines{"x.json: /schedules/1/name: expected a name used once, found \"a\"",
                   "x.json: /baseline: expected \"a\", found \"b\""}));
}

// Squares and products of the numbers that are read stay finite, so that no sum of them becomes a fault.
TEST(BadExperiment, NumbersBeyondAnyQuantity) {
  for (const char* number : {"1e160", "1.7976931348623157e308", "1e31", "9e-31", "5e-324"})
    EXPECT_EQ(with("\"p2p_ms\": 0.5", std::string("\"p2p_ms\": ") + number).size(), 1u) << number;
  EXPECT_EQ(
      with("\"p2p_ms\": 0.5", "\"p2p_ms\": 1e160"),
      Lines{"x.json: /network/p2p_ms: expected a number of a size from 1e-30 to 1e30, or 0, found 1e+160"});
  EXPECT_EQ(with("\"p2p_ms\": 0.5", "\"p2p_ms\": 1e30"), Lines{});
  EXPECT_EQ(with("\"p2p_ms\": 0.5", "\"p2p_ms\": 0"), Lines{});
}

TEST(BadExperiment, WrongType) {
  EXPECT_EQ(with("\"ranks\": 2", "\"ranks\": \"two\""),
            Lines{"x.json: /pipeline/ranks: expected a whole number from 1 to 1000000, found \"two\""});
  EXPECT_EQ(
      with("{ \"p2p_ms\": 0.5 }", "[]"),
      Lines{"x.json: /network: expected an object with keys such as \"p2p_ms\", \"reduction_ms\", \"p2p\", "
            "found an empty list"});
  EXPECT_EQ(with("\"trainable\": false", "\"trainable\": 0"),
            Lines{"x.json: /model/blocks/0/trainable: expected true or false, found 0"});
}

TEST(BadExperiment, NotWhole) {
  EXPECT_EQ(with("\"ranks\": 2", "\"ranks\": 2.5"),
            Lines{"x.json: /pipeline/ranks: expected a whole number from 1 to 1000000, found 2.5"});
  EXPECT_EQ(with("\"ranks\": 2", "\"ranks\": -1"),
            Lines{"x.json: /pipeline/ranks: expected a whole number from 1 to 1000000, found -1"});
}

TEST(BadExperiment, NoNumberAtAll) {
  EXPECT_EQ(with("\"p2p_ms\": 0.5", "\"p2p_ms\": NaN"),
            Lines{"x.json: line 9, column 26: expected valid JSON, found \"NaN },\""});
  EXPECT_EQ(with("\"p2p_ms\": 0.5", "\"p2p_ms\": \"NaN\""),
            Lines{"x.json: /network/p2p_ms: expected a number of at least 0, found \"NaN\""});
  EXPECT_EQ(with("\"p2p_ms\": 0.5", "\"p2p_ms\": 1e999"),
            Lines{"x.json: line 9, column 26: expected a number that a double can hold, found 1e999"});
}

TEST(BadExperiment, NothingToDo) {
  EXPECT_EQ(with("\"ranks\": 2", "\"ranks\": 0"),
            Lines{"x.json: /pipeline/ranks: expected a whole number from 1 to 1000000, found 0"});
  EXPECT_EQ(with("\"microbatches\": 3", "\"microbatches\": 0"),
            Lines{"x.json: /pipeline/microbatches: expected a whole number from 1 to 1000000, found 0"});
}

TEST(BadExperiment, AnotherSchema) {
  EXPECT_EQ(with("experiment/1", "experiment/2"),
            Lines{"x.json: /schema: expected \"spillway/experiment/1\", found \"spillway/experiment/2\""});
}

TEST(BadExperiment, EveryViolationIsListed) {
  std::string text = kGood;
  text.replace(text.find("\"ranks\": 2"), 10, "\"ranks\": 0");
  text.replace(text.find("\"forward_ms\": 1"), 15, "\"forward_ms\": -1");
  text.replace(text.find("\"a\""), 3, "7");
  text.replace(text.find("\"network\""), 9, "\"netwrok\"");
  EXPECT_EQ(experiment_complaints(text),
            (Lines{"x.json: /netwrok: expected a known key, such as \"network\", found \"netwrok\"",
                   "x.json: /pipeline/ranks: expected a whole number from 1 to 1000000, found 0",
                   "x.json: /model/blocks/0/profile/forward_ms: expected a number of at least 0, found -1",
                   "x.json: /schedules/0/name: expected text, found 7"}));
}

TEST(BadExperiment, TruncatedJson) {
  EXPECT_EQ(experiment_complaints("{ \"schema\": \"spillway/experiment/1\",\n  \"name\": "),
            Lines{"x.json: line 2, column 11: expected valid JSON, found the end of the text"});
  EXPECT_EQ(experiment_complaints(""),
            Lines{"x.json: line 1, column 1: expected valid JSON, found the end of the text"});
}

TEST(BadExperiment, NotUtf8) {
  EXPECT_EQ(experiment_complaints("{ \"name\": \"\xff\" }"),
            Lines{"x.json: byte 12: expected UTF-8 text, found the byte 0xff"});
}

TEST(BadExperiment, TooDeep) {
  EXPECT_EQ(experiment_complaints(std::string(100000, '[')).size(), 1u);
  const Lines lines = experiment_complaints(std::string(65, '['));
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_TRUE(lines[0].ends_with(": expected at most 64 levels of nesting, found more")) << lines[0];
}

TEST(BadExperiment, HugeFile) {
  EXPECT_EQ(experiment_complaints(std::string((16U << 20) + 1, ' ')),
            Lines{"x.json: /: expected at most 16 MiB, found more"});
}

TEST(BadExperiment, EndlessFile) {
  EXPECT_EQ(complaints([] { read_experiment("/dev/zero", {}); }),
            Lines{"/dev/zero: /: expected at most 16 MiB, found more"});
}

TEST(BadExperiment, AFloodOfViolationsIsCounted) {
  std::string text = "{ \"schedules\": [";
  for (int i = 0; i < 3000; ++i) text += "0,";
  const Lines lines = experiment_complaints(text + "0] }");
  EXPECT_EQ(lines.size(), 1001u);
  EXPECT_EQ(lines.back(), "x.json: /: expected at most 1000 violations, found 2005 more");
}

}  // namespace
}  // namespace spillway
