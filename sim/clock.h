// The engine's clock: seconds in a double that only ever grows, from run to run. Two things keep it exact.
//
// SlowMotion: where earlier runs have left the clock so far ahead that a run would be lost in its last
// digits, the run is played in slow motion, at 2^k seconds of the engine to the second. Each date is rounded
// to the clock, and those that follow each other sum up their errors: a run of many short dates needs more of
// it than one of few.
//
// ClockPrecision: SimGrid takes two dates closer than surf/precision (absolute, in seconds) for one. Too
// coarse, and the events of short steps melt together; finer than a few units in the last place of the clock,
// and a date that rounding put one unit behind the clock is never reached again. It is kept at 8 units in the
// last place: it holds up to a horizon, where a timer doubles both; no event can jump over a timer.
#pragma once

#include <simgrid/forward.h>

#include <cstdint>
#include <simgrid/kernel/Timer.hpp>
#include <simgrid/s4u/Engine.hpp>

#include "base/quantity.h"

namespace spillway {

class SlowMotion {
 public:
  // From the clock as it stands, for a run that takes `least` at least and in which at most `dates` follow
  // each other: the last is known to 2^-30 of `least`, up to 200,000 dates (beyond them a clock from 0 is no
  // more exact). A run of a thousand dates lengthens the clock by a hundredth at most, so it does not run
  // away.
  SlowMotion(Seconds least, std::uint64_t dates);

  int exponent() const { return exponent_; }
  // Engine seconds of a length of time.
  double engine(Seconds length) const { return length.value() * factor_; }
  // Since the run started.
  Seconds now() const;

 private:
  double origin_;
  int exponent_;
  double factor_;
};

// A delay that occupies nothing: a timer of the simulation kernel.
template <class Then>
void after(double engine_seconds, Then then) {
  simgrid::kernel::timer::Timer::set(simgrid::s4u::Engine::get_clock() + engine_seconds, then);
}

class ClockPrecision {
 public:
  // From now on, for a run whose longest event takes `scale` engine seconds.
  void start(double scale);
  // Takes the timer away, so that the run can end.
  void stop();

 private:
  void reach(double horizon);

  simgrid::kernel::timer::Timer* timer_ = nullptr;
};

}  // namespace spillway
