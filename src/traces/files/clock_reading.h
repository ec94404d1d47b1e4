// A time stamp of a trace, in microseconds. Its epoch may lie 1.7e15 us back. One double would lose the
// hundredths, so whole microseconds and the rest are kept apart. Private to src/traces.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/quantity.h"

namespace spillway {

class ClockReading {
 public:
  ClockReading() = default;

  // Reads a number as JSON writes it. Returns nothing if the text is no number or is beyond 2^63
  // microseconds.
  static std::optional<ClockReading> parse(std::string_view microseconds);

  // The time since an earlier reading of the same clock. It is negative if `earlier` is later.
  Seconds since(const ClockReading& earlier) const;

  double seconds() const;

 private:
  std::int64_t whole_ = 0;
  double rest_ = 0;  // below 1 in size, with the sign of whole_
};

}  // namespace spillway
