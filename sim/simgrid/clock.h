// SimGrid's clock is a double in seconds that SimGrid only increases. Each run resets it to 0, so earlier
// runs cause no rounding errors. It advances while flows share links, and otherwise stands still. Two
// mechanisms keep it exact, also where it cannot be reset.
//
// SlowMotion: one second of a run is 2^k seconds of the engine, so that the run lasts at least one engine
// second. A clock far ahead needs a larger k, or the run would vanish in the last digits. Each date is
// rounded to the clock, and errors of consecutive dates add up. So a run of many short dates needs a larger k
// than a run of few.
//
// Precision: SimGrid treats two dates closer than surf/precision (absolute, in seconds) as one. If it is too
// coarse, events of short steps merge. If it is finer than a few units in the last place of the clock, a date
// that rounding put one unit behind the clock is never reached again. The precision is therefore 8 units in
// the last place. It holds up to a horizon, where the caller has to request the next one.
#pragma once

#include <cstdint>

#include "base/quantity.h"

namespace spillway {

class SlowMotion {
 public:
  // For a run that starts at `clock` in engine seconds, lasts at least `least` and has at most `dates`
  // consecutive dates. The last date is then exact to 2^-30 of `least`, for up to 200,000 dates (with more, a
  // clock from 0 is no more exact). A run of a thousand dates makes the clock at most a hundredth longer, so
  // the clock does not run away.
  SlowMotion(Seconds least, std::uint64_t dates, double clock);

  int exponent() const { return exponent_; }
  // Converts a duration to engine seconds, and back.
  double engine(Seconds length) const { return length.value() * factor_; }
  Seconds length(double engine) const { return Seconds(engine / factor_); }

 private:
  int exponent_;
  double factor_;
};

// Resets the clock to the date it has in a new process, so that rounding is the same as there. Does nothing
// if SimGrid's clock is not found by its known symbol. Contract: no activity is running.
void restart_clock();

// Sets the precision for a clock at `date`. Returns the horizon up to which it holds, between one and two
// times `date`.
double set_precision(double date);

}  // namespace spillway
