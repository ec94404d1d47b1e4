// The violations of a platform found so far. Private to src/platform.
#pragma once

#include <cmath>
#include <cstdio>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "platform/platform.h"

namespace spillway {

inline std::string shortest(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", value);
  return text;
}

// Which values of a figure will do, and how a message says it.
struct Allowed {
  bool zero;
  double at_most;
  const char* expected;
};
inline constexpr double kNoLimit = std::numeric_limits<double>::infinity();
inline constexpr Allowed kAboveZero{false, kNoLimit, "a positive finite number"};
inline constexpr Allowed kFromZero{true, kNoLimit, "a finite number of at least 0"};
inline constexpr Allowed kUpToOne{false, 1, "a number above 0 and at most 1"};

class Complaints {
 public:
  void add(std::string pointer, std::string expected, std::string found) {
    all_.push_back({"", std::move(pointer), std::move(expected), std::move(found)});
  }

  void number(const std::string& pointer, double value, const Allowed& allowed) {
    const bool fits = value > 0 ? value <= allowed.at_most : allowed.zero && value == 0;
    if (!std::isfinite(value) || !fits) add(pointer, allowed.expected, shortest(value));
  }

  void source(const std::string& pointer, const std::string& source) {
    if (source.empty()) add(pointer + "/source", "where the number comes from", "nothing");
  }

  // Of a figure as its JSON form states it, in multiples of `unit`.
  template <class Value>
  void figure(const std::string& pointer, const Sourced<Value>& figure, Value unit,
              const Allowed& allowed = kAboveZero) {
    number(pointer + "/value", figure.value / unit, allowed);
    source(pointer, figure.source);
  }

  std::vector<Violation> take() && { return std::move(all_); }

 private:
  std::vector<Violation> all_;
};

// The units of the JSON form.
inline constexpr BytesPerSecond kGigabytePerSecond(1e9);

void check_accelerator(const Accelerator& accelerator, Complaints& complaints);
void check_tiers(const Platform& platform, Complaints& complaints);
// Of platform.tiers[tier].
void check_collectives(const Platform& platform, std::size_t tier, Complaints& complaints);

}  // namespace spillway
