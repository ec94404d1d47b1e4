// Checks of a platform's figures. Private to src/platform.
#pragma once

#include <cmath>
#include <cstdio>
#include <limits>
#include <string>

#include "base/findings.h"
#include "platform/platform.h"

namespace spillway {

inline std::string shortest(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", value);
  return text;
}

// The allowed values of a figure, and their description in messages.
struct Allowed {
  bool zero;
  double at_most;
  const char* expected;
};
inline constexpr double kNoLimit = std::numeric_limits<double>::infinity();
inline constexpr Allowed kAboveZero{false, kNoLimit, "a positive finite number"};
inline constexpr Allowed kFromZero{true, kNoLimit, "a finite number of at least 0"};
inline constexpr Allowed kUpToOne{false, 1, "a number above 0 and at most 1"};

inline void check_number(const std::string& pointer, double value, const Allowed& allowed,
                         Findings& findings) {
  const bool fits = value > 0 ? value <= allowed.at_most : allowed.zero && value == 0;
  if (!std::isfinite(value) || !fits) findings.add(pointer, allowed.expected, shortest(value));
}

inline void check_source(const std::string& pointer, const std::string& source, Findings& findings) {
  if (source.empty()) findings.add(pointer + "/source", "where the number comes from", "nothing");
}

// Checks a figure as its JSON form states it, in multiples of `unit`.
template <class Value>
void check_figure(const std::string& pointer, const Sourced<Value>& figure, Value unit, Findings& findings,
                  const Allowed& allowed = kAboveZero) {
  check_number(pointer + "/value", figure.value / unit, allowed, findings);
  check_source(pointer, figure.source, findings);
}

// The units of the JSON form.
inline constexpr BytesPerSecond kGigabytePerSecond(1e9);

void check_accelerator(const Accelerator& accelerator, Findings& findings);
void check_tiers(const Platform& platform, Findings& findings);
// Checks the collectives of platform.tiers[tier].
void check_collectives(const Platform& platform, std::size_t tier, Findings& findings);

}  // namespace spillway
