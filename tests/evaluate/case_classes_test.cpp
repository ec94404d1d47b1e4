// Summaries by class of cases made by hand: two tables, three classes, fitted cases, intervals and memory.
#include "evaluate/case_classes.h"

#include <gtest/gtest.h>

namespace spillway {
namespace {

// A step of 1 s that is predicted to take 1 + error, with an interval of `width` around it.
CaseResult in_class(const std::string& name, double error, double width) {
  CaseResult one{.measured = {.name = "x", .step = Seconds(1), .blind = {}, .memory = {}},
                 .step = Seconds(1 + error),
                 .memory = {}};
  one.measured.of_class = name;
  one.interval = StepInterval{1 - width / 2, 1 + width / 2, 100};
  return one;
}

CaseResult fitted(CaseResult one) {
  one.measured.fitted = true;
  return one;
}

ValidatedCases validated(std::vector<CaseResult> cases) {
  return {{.name = "t", .source = "s", .assumptions = {}, .fit = {}, .cases = {}}, std::move(cases)};
}

TEST(ClassSummaries, AreOverAllTablesWithoutFittedCases) {
  const std::vector<ValidatedCases> tables = {
      validated({in_class("text", 0.1, 0.1), in_class("images", -0.5, 0.2), fitted(in_class("text", 3, 9))}),
      validated({in_class("text", -0.3, 0.3), in_class("", 0.2, 1), in_class("text", 0.0, 0.5)})};
  const std::vector<ClassSummary> classes = class_summaries(tables);
  ASSERT_EQ(classes.size(), 3u);
  EXPECT_EQ(classes[0].name, "text");
  EXPECT_EQ(classes[0].fitted, 1u);
  EXPECT_EQ(classes[0].time->count, 3u);
  EXPECT_NEAR(classes[0].time->mean_absolute, 0.4 / 3, 1e-12);
  EXPECT_NEAR(classes[0].time->bias, -0.2 / 3, 1e-12);
  EXPECT_EQ(classes[0].intervals->held, 1u);  // 0 +- 25 % holds; 10 +- 5 % and -30 +- 15 % do not
  EXPECT_EQ(classes[0].intervals->of, 3u);
  EXPECT_EQ(classes[0].expected, central_band(3, 0.9, 0.95));
  EXPECT_NEAR(classes[0].median_width.value(), 0.3, 1e-12);
  EXPECT_EQ(classes[1].name, "images");
  EXPECT_NEAR(classes[1].median_width.value(), 0.2, 1e-12);
  EXPECT_EQ(classes[2].name, "");
  EXPECT_EQ(summary_of_all(tables).time->count, 5u);
  EXPECT_NEAR(summary_of_all(tables).median_width.value(), 0.3, 1e-12);
}

TEST(ClassSummaries, TheMedianOfTwoWidthsIsTheirMean) {
  const ClassSummary all = summary_of_all({validated({in_class("a", 0, 0.2), in_class("b", 0, 0.6)})});
  EXPECT_NEAR(all.median_width.value(), 0.4, 1e-12);
}

TEST(ClassSummaries, HaveNoIntervalsThatWereNotAskedFor) {
  CaseResult one = in_class("a", 0.1, 0.2);
  one.interval = std::nullopt;
  const ClassSummary all = summary_of_all({validated({one})});
  EXPECT_FALSE(all.intervals || all.expected || all.median_width || all.layouts || all.memory);
}

// A device of 100 bytes, and a run that ended in `end`.
CaseResult holds(double bytes, RunEnd end) {
  CaseResult one = in_class("a", 0, 0);
  one.memory = Bytes(bytes);
  one.limit = Bytes(100);
  one.measured.end = end;
  return one;
}

TEST(MemoryVerdicts, CountRunsThatContradictTheirEnd) {
  const MemoryVerdicts fits =
      memory_verdicts({holds(90, RunEnd::Ran), holds(100, RunEnd::Ran), holds(104, RunEnd::Ran),
                       holds(106, RunEnd::Ran), holds(106, RunEnd::OutOfMemory),
                       holds(100, RunEnd::OutOfMemory), holds(300, RunEnd::Unknown), in_class("a", 0, 0)});
  EXPECT_EQ(fits.ran, 4u);
  EXPECT_EQ(fits.too_large, 2u);
  EXPECT_EQ(fits.far_too_large, 1u);
  EXPECT_EQ(fits.ran_out, 2u);
  EXPECT_EQ(fits.too_small, 1u);
}

}  // namespace
}  // namespace spillway
