// How sure a step is, in words. Private to src/report.
#pragma once

#include <cstddef>
#include <string>

#include "evaluate/evaluation.h"

namespace spillway {

// "  how sure: what is not known of the machine and the software puts mpipe at 12.1 s to 15.3 s (90 % of 100
// draws), ..." Empty where durations are given.
std::string interval_lines(const Evaluation& evaluation, std::size_t columns);

}  // namespace spillway
