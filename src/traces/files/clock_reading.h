// A time stamp of a trace: microseconds since an epoch that may lie 1.7e15 of them back, kept so that
// hundredths survive, which one double would not. Private to src/traces.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/quantity.h"

namespace spillway {

class ClockReading {
 public:
  ClockReading() = default;

  // As JSON writes numbers; nothing where the text is none, or beyond 2^63 microseconds.
  static std::optional<ClockReading> parse(std::string_view microseconds);

  // What passed since an earlier reading of the same clock; negative where it is a later one.
  Seconds since(const ClockReading& earlier) const;

  double seconds() const;

 private:
  std::int64_t whole_ = 0;
  double rest_ = 0;  // below 1 in size, of whole_'s sign
};

}  // namespace spillway
