// What a forward and a backward hide of each other, for people.
#pragma once

#include <ostream>
#include <string>

#include "traces/samples/overlap.h"

namespace spillway {

// A row for each layer, and one for the whole; times in ms. `source`: of the measurement.
void write_overlap(std::ostream& out, const std::string& source, const OverlapReport& report);

}  // namespace spillway
