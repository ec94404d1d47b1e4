// Converts measured operators to work and time. Private to src/calibrate.
#pragma once

#include <vector>

#include "calibrate/roofline_fit.h"
#include "platform/measured_operators.h"

namespace spillway {

std::vector<TimedWork> timed_works(const std::vector<MeasuredGemm>& table);
std::vector<TimedWork> timed_works(const std::vector<MeasuredGroupedGemm>& table);
// Only the forwards or only the backwards.
std::vector<TimedWork> timed_works(const std::vector<MeasuredAttention>& table, bool backward);

struct Halves {
  std::vector<TimedWork> fitted;
  std::vector<TimedWork> held_back;
};

// Splits the works, in ascending order, alternately into two halves. Both halves then cover the range,
// whatever the rows' order. Equal works stay together, because a repetition is no test of a fit.
Halves halved(std::vector<TimedWork> works);

}  // namespace spillway
