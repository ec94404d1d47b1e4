// Doubts about measured passes: what contradicts itself, or cannot be.
#pragma once

#include <vector>

#include "base/warning.h"
#include "experiment/experiment.h"

namespace spillway {

inline constexpr const char* kMeasuredDoubt = "measured-doubt";

// Returns warnings of that code for passes that were measured, with their files and lines. Of several of one
// kind, the worst is told and the others are counted.
//   beyond the peak  faster than the products of the pass take at the peak of the device
//   far from it      a hundred times the roofline's time
//   halves           the two parts of a backward take 1.5 times the whole one measured beside them, or less
//                    than it over 1.5
//   falls            less time for more tokens and patches, beyond the spread of repeats; fewer bytes
// Empty without measured passes.
std::vector<Warning> measured_doubts(const Experiment& experiment);

}  // namespace spillway
