// Numbers of an axis that follow a rule. Private to src/sweep/grid.
//
//   { "from": 8, "to": 64, "step": 8 }                    8, 16, ..., 64
//   { "from": 8, "to": 64, "factor": 2 }                  8, 16, 32, 64
//   { "from": 0.1, "to": 10, "count": 5, "scale": "log" } 0.1 and 10, and three between them
//
// The range includes `to` if the rule reaches it within rounding. If `from` is written without a fraction, so
// are all whole values. A sum of steps has no more decimals than `from` and `step` have.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "json/place.h"

namespace spillway {

struct SweepRange {
  enum class Rule { Step, Factor, Linear, Logarithmic };

  double from;
  double to;
  bool whole;  // true if `from` is written without a fraction
  Rule rule;
  double by;            // the step or the factor
  std::uint64_t count;  // of a linear or logarithmic range
};

std::optional<SweepRange> read_sweep_range(const Place& place);

// Counts the numbers without making any. Returns the largest 64-bit number if there are more.
std::uint64_t length(const SweepRange& range);

std::vector<Node> values(const SweepRange& range);

}  // namespace spillway
