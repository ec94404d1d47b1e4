// SimGrid takes two dates closer than surf/precision (absolute, in seconds) for one. Too coarse, and events
// of short steps melt together; finer than a few units in the last place of the clock, and a date that
// rounding put one unit behind the clock is never reached again. ClockPrecision keeps it at 8 units in the
// last place: it holds up to a horizon, where a timer doubles it; no event can jump over a timer.
#pragma once

#include <simgrid/forward.h>

#include "base/quantity.h"

namespace spillway {

class ClockPrecision {
 public:
  // From now on, for a run whose longest event lasts `scale`.
  void start(Seconds scale);
  // Takes the timer away, so that the run can end.
  void stop();

 private:
  void reach(double horizon);

  simgrid::kernel::timer::Timer* timer_ = nullptr;
};

}  // namespace spillway
