// Sums up the cases of several tables by the class of job that they state.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "evaluate/binomial.h"
#include "evaluate/layout_groups.h"
#include "evaluate/run_cases.h"

namespace spillway {

struct ValidatedCases {
  CaseTable table;
  std::vector<CaseResult> cases;
};

// If each interval holds with the stated probability, the number that hold is in the central 95 % of a
// binomial distribution.
inline constexpr double kCoverageBand = 0.95;

struct ClassSummary {
  std::string name;    // empty: cases that state no class, or all classes together
  std::size_t fitted;  // measured cases that a number was fitted to; errors and intervals leave them out
  std::optional<ErrorSummary> time;
  std::optional<Coverage> intervals;
  std::optional<CountBand> expected;   // of intervals->of, how many should hold
  std::optional<double> median_width;  // of these intervals: their ends' distance over the predicted step
  std::optional<ErrorSummary> memory;
  MemoryVerdicts fits;
  std::optional<Ranking> layouts;
};

// Returns a summary for each class, in the order of their first cases.
std::vector<ClassSummary> class_summaries(const std::vector<ValidatedCases>& tables);
ClassSummary summary_of_all(const std::vector<ValidatedCases>& tables);

}  // namespace spillway
