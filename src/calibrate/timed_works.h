// Measured operators as work and time. Private to src/calibrate.
#pragma once

#include <vector>

#include "calibrate/roofline_fit.h"
#include "platform/measured_operators.h"

namespace spillway {

std::vector<TimedWork> timed_works(const std::vector<MeasuredGemm>& table);
std::vector<TimedWork> timed_works(const std::vector<MeasuredGroupedGemm>& table);
// Forwards or backwards of it.
std::vector<TimedWork> timed_works(const std::vector<MeasuredAttention>& table, bool backward);

struct Halves {
  std::vector<TimedWork> fitted;
  std::vector<TimedWork> held_back;
};

// Every other work, ascending, so that both halves cover the range, whatever the rows' order; equal works
// stay together, for a repetition is no test of a fit.
Halves halved(std::vector<TimedWork> works);

}  // namespace spillway
