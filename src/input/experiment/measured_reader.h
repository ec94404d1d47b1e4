// Reads the measured passes of an experiment, with architectures: a CSV file, or rows in the document.
// Private to src/input.
#pragma once

#include "cost/analytic_costs.h"
#include "json/place.h"

namespace spillway {

// Puts the passes at `place` into the costs, which are whole otherwise.
void read_measured(const Place& place, const Model& model, AnalyticCosts& costs);

}  // namespace spillway
