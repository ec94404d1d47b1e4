// The clock that all ranks of one machine share, and waits that leave the processor to other ranks. Private
// to src/execute.
#pragma once

#include "base/quantity.h"

namespace spillway {

// CLOCK_MONOTONIC.
Seconds now();

// Sleeps; returns at or after `then`.
void sleep_until(Seconds then);

// Lets sleeps end within microseconds of their time; Linux adds 50 us to them otherwise.
void sleep_precisely();

// The naps between looks at messages on their way. They are short after something moved, because large
// messages move only while both ends look. Otherwise they double, up to `longest`.
class Naps {
 public:
  explicit Naps(Seconds longest) : longest_(longest) {}

  // Sleeps for one nap, at most until `then`.
  void nap(Seconds then);
  void moved() { next_ = kShortest; }

 private:
  static constexpr Seconds kShortest = microseconds(20);

  Seconds longest_;
  Seconds next_ = kShortest;
};

}  // namespace spillway
