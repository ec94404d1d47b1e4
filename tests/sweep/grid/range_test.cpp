// Checks the numbers of an axis: their values, their text and their count.
#include "sweep/grid/range.h"

#include <gtest/gtest.h>

#include <cmath>

#include "json/document.h"
#include "support/property.h"

namespace spillway {
namespace {

using Lines = std::vector<std::string>;

std::optional<SweepRange> range_of(const std::string& text, Findings& findings) {
  const std::optional<Node> node = parse_json(text, findings);
  return read_sweep_range({&*node, "/r", &findings, nullptr});
}

// Returns the numbers as JSON, or the violations.
std::string numbers(const std::string& text) {
  Findings findings("s");
  const auto range = range_of(text, findings);
  if (findings.empty()) return compact_json({values(*range)});
  std::string wrong;
  for (const Violation& violation : findings.all()) wrong += to_string(violation) + "\n";
  return wrong;
}

TEST(SweepRange, ByStepIncludesTheEndItReaches) {
  EXPECT_EQ(numbers(R"({"from": 8, "to": 32, "step": 8})"), "[8,16,24,32]");
  EXPECT_EQ(numbers(R"({"from": 8, "to": 33, "step": 8})"), "[8,16,24,32]");
  EXPECT_EQ(numbers(R"({"from": -2, "to": 1, "step": 1})"), "[-2,-1,0,1]");
  EXPECT_EQ(numbers(R"({"from": 4, "to": 4, "step": 1})"), "[4]");
}

TEST(SweepRange, ByStepHasTheDecimalsOfItsEnds) {
  EXPECT_EQ(numbers(R"({"from": 0.1, "to": 0.5, "step": 0.1})"), "[0.1,0.2,0.3,0.4,0.5]");
  EXPECT_EQ(numbers(R"({"from": -0.3, "to": 0.3, "step": 0.1})"), "[-0.3,-0.2,-0.1,0.0,0.1,0.2,0.3]");
  EXPECT_EQ(numbers(R"({"from": 0, "to": 1, "step": 0.3333333333333333})"),
            "[0,0.3333333333333333,0.6666666666666666,1]");
}

TEST(SweepRange, ByFactor) {
  EXPECT_EQ(numbers(R"({"from": 8, "to": 64, "factor": 2})"), "[8,16,32,64]");
  EXPECT_EQ(numbers(R"({"from": 8, "to": 63, "factor": 2})"), "[8,16,32]");
  EXPECT_EQ(numbers(R"({"from": 8, "to": 27, "factor": 1.5})"), "[8,12,18,27]");
  EXPECT_EQ(numbers(R"({"from": 1, "to": 1000000, "factor": 10})"), "[1,10,100,1000,10000,100000,1000000]");
  EXPECT_EQ(numbers(R"({"from": 0.25, "to": 2, "factor": 2})"), "[0.25,0.5,1.0,2.0]");
}

TEST(SweepRange, ByCountHasBothEnds) {
  EXPECT_EQ(numbers(R"({"from": 1, "to": 10, "count": 4})"), "[1,4,7,10]");
  EXPECT_EQ(numbers(R"({"from": 0, "to": 1, "count": 5, "scale": "linear"})"), "[0,0.25,0.5,0.75,1]");
  EXPECT_EQ(numbers(R"({"from": 8, "to": 64, "count": 4, "scale": "log"})"), "[8,16,32,64]");
  EXPECT_EQ(numbers(R"({"from": 0.1, "to": 10, "count": 3, "scale": "log"})"), "[0.1,1.0,10.0]");
  EXPECT_EQ(numbers(R"({"from": 0.01, "to": 10, "count": 4, "scale": "log"})"), "[0.01,0.1,1.0,10.0]");
}

TEST(SweepRange, WhatIsWrongIsNamed) {
  EXPECT_EQ(numbers(R"({"from": 1, "to": 2})"),
            "s: /r: expected one of step, factor and count, found none\n");
  EXPECT_EQ(numbers(R"({"from": 1, "to": 2, "step": 1, "count": 2})"),
            "s: /r: expected one of step, factor and count, found step and count\n");
  EXPECT_EQ(numbers(R"({"from": 1, "to": 2, "step": 0})"),
            "s: /r/step: expected a number above 0, found 0\n");
  EXPECT_EQ(numbers(R"({"from": 2, "to": 1, "step": -1})"),
            "s: /r/step: expected a number above 0, found -1\n");
  EXPECT_EQ(numbers(R"({"from": 2, "to": 1, "step": 1})"),
            "s: /r/to: expected a number of at least from, 2, found 1\n");
  EXPECT_EQ(numbers(R"({"from": 1, "to": 2, "factor": 1})"),
            "s: /r/factor: expected a number above 1, found 1\n");
  EXPECT_EQ(numbers(R"({"from": 0, "to": 2, "factor": 2})"),
            "s: /r/from: expected a number above 0, since it is multiplied, found 0\n");
  EXPECT_EQ(numbers(R"({"from": 2, "to": 2, "count": 3})"),
            "s: /r/to: expected a number above from, 2, found 2\n");
  EXPECT_EQ(numbers(R"({"from": 1, "to": 2, "count": 1})"),
            "s: /r/count: expected a whole number of at least 2, found 1\n");
  EXPECT_EQ(numbers(R"({"from": 1, "to": 2, "step": 1, "scale": "log"})"),
            "s: /r/scale: expected no such key without count, found \"log\"\n");
  EXPECT_EQ(numbers(R"({"from": 1, "to": 1e16, "step": 1})"),
            "s: /r/to: expected a number from -1e15 to 1e15, found 1e+16\n");
}

// Ranges are counted without making their numbers, which would fill the memory here.
TEST(SweepRange, LongOnesAreCounted) {
  Findings findings("s");
  EXPECT_EQ(length(*range_of(R"({"from": 1, "to": 1000000000000, "step": 1})", findings)), 1000000000000u);
  EXPECT_EQ(length(*range_of(R"({"from": 0, "to": 1e15, "step": 1e-30})", findings)), UINT64_MAX);
  EXPECT_EQ(length(*range_of(R"({"from": 1, "to": 2, "count": 18446744073709551615})", findings)),
            UINT64_MAX);
}

// Returns JSON, in which a fraction shows.
std::string written_as(const SweepRange& range) {
  return compact_json({values(range)});
}

std::string list_of(const std::vector<std::string>& numbers) {
  std::string text;
  for (const std::string& number : numbers) text += (text.empty() ? "" : ",") + number;
  return '[' + text + ']';
}

RC_GTEST_PROP(AnyWholeSteps, AreThoseOfALoop, ()) {
  const int from = *rc::gen::inRange(-50, 50), to = from + *rc::gen::inRange(0, 200);
  const int step = *rc::gen::inRange(1, 20);
  Lines expected;
  for (int i = from; i <= to; i += step) expected.push_back(std::to_string(i));
  const SweepRange range{double(from), double(to), true, SweepRange::Rule::Step, double(step), 0};
  RC_ASSERT(written_as(range) == list_of(expected));
}

// Steps of thousandths give the numbers of a loop over whole thousandths.
RC_GTEST_PROP(AnyDecimalSteps, AreThoseOfALoopOverThousandths, ()) {
  const int from = *rc::gen::inRange(-5000, 5000), step = *rc::gen::inRange(1, 500);
  const int count = *rc::gen::inRange(1, 100);
  std::vector<double> expected, found;
  for (int i = 0; i < count; ++i) expected.push_back((from + i * step) / 1000.0);
  const SweepRange range{from / 1000.0, expected.back(), false, SweepRange::Rule::Step, step / 1000.0, 0};
  for (const Node& node : values(range)) found.push_back(std::get<double>(node.value));
  RC_ASSERT(found == expected);
}

RC_GTEST_PROP(AnyPowers, AreThoseOfALoop, ()) {
  const auto from = *rc::gen::inRange<std::uint64_t>(1, 100), factor = *rc::gen::inRange<std::uint64_t>(2, 9);
  const auto to = from + *rc::gen::inRange<std::uint64_t>(0, 1'000'000'000);
  Lines expected;
  for (std::uint64_t value = from; value <= to; value *= factor) expected.push_back(std::to_string(value));
  const SweepRange range{double(from), double(to), true, SweepRange::Rule::Factor, double(factor), 0};
  RC_ASSERT(written_as(range) == list_of(expected));
}

RC_GTEST_PROP(AnyLogarithmicCount, HasItsEndsAndEqualRatios, ()) {
  const double from = *rc::gen::inRange(1, 1000) / 100.0, ratio = *rc::gen::inRange(2, 1000);
  const auto count = *rc::gen::inRange<std::uint64_t>(2, 50);
  const SweepRange range{from, from * ratio, false, SweepRange::Rule::Logarithmic, 0, count};
  const std::vector<Node> all = values(range);
  RC_ASSERT(all.size() == count);
  RC_ASSERT(std::get<double>(all.front().value) == from);
  RC_ASSERT(std::get<double>(all.back().value) == from * ratio);
  for (std::size_t i = 0; i + 1 < count; ++i) {
    const double step = std::get<double>(all[i + 1].value) / std::get<double>(all[i].value);
    RC_ASSERT(std::abs(std::pow(step, double(count - 1)) / ratio - 1) < 1e-9);
  }
}

}  // namespace
}  // namespace spillway
