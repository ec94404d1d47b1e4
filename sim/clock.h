// The engine's clock: seconds in a double that SimGrid only ever lets grow. Each run puts it back to 0, so
// that none is rounded by what ran before. It moves while flows share links, and stands otherwise. Two things
// keep it exact, also where it cannot be put back.
//
// SlowMotion: a run is played at 2^k seconds of the engine to the second, so that it takes a second at least,
// and more where the clock is so far ahead that it would be lost in the last digits. Each date is rounded to
// the clock, and those that follow each other sum up their errors: a run of many short dates needs more of it
// than one of few.
//
// Precision: SimGrid takes two dates closer than surf/precision (absolute, in seconds) for one. Too
// coarse, and the events of short steps melt together; finer than a few units in the last place of the clock,
// and a date that rounding put one unit behind the clock is never reached again. It is kept at 8 units in the
// last place: it holds up to a horizon, where somebody has to ask for the next.
#pragma once

#include <cstdint>

#include "base/quantity.h"

namespace spillway {

class SlowMotion {
 public:
  // From the clock as it stands, for a run that takes `least` at least and in which at most `dates` follow
  // each other: the last is known to 2^-30 of `least`, up to 200,000 dates (beyond them a clock from 0 is no
  // more exact). A run of a thousand dates lengthens a clock by a hundredth at most, so it does not run away.
  SlowMotion(Seconds least, std::uint64_t dates);

  int exponent() const { return exponent_; }
  // Engine seconds of a length of time, and back.
  double engine(Seconds length) const { return length.value() * factor_; }
  Seconds length(double engine) const { return Seconds(engine / factor_); }

 private:
  int exponent_;
  double factor_;
};

// Puts the clock back to where it stands in a new process, where SimGrid has it by the name that is known
// here: what follows is rounded as it is there. Contract: nothing is under way.
void restart_clock();

// Sets the precision for a clock at this date, and says up to when it holds: between once and twice as far.
double set_precision(double date);

}  // namespace spillway
