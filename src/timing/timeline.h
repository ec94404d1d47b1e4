// The result of an engine: start and end of every event.
#pragma once

#include <algorithm>

#include "order/durations.h"

namespace spillway {

// When each event starts and ends, from the start of the step.
struct Timeline {
  PerEvent<Seconds> start;
  PerEvent<Seconds> end;

  // The end of the last event over all lanes.
  Seconds makespan() const {
    Seconds last;
    for (Seconds t : end.flat()) last = std::max(last, t);
    return last;
  }
};

}  // namespace spillway
