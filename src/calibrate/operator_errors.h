// Compares prices of operators with their measured times. Private to src/calibrate.
#pragma once

#include <vector>

#include "calibrate/fitted.h"
#include "platform/platform.h"
#include "traces/samples/samples.h"

namespace spillway {

// Puts every other measured shape into a table (Accelerator::operators) and returns the cost model's errors
// on the shapes between. They show what a platform gains by the table over an efficiency alone. Each kind of
// operator with at least two shapes has one entry.
std::vector<HeldBackError> table_errors(const OperatorTables& tables, const Accelerator& accelerator);

// Returns the errors of the platform's own price of each measured operator, run alone. Each kind has one
// entry.
std::vector<HeldBackError> operator_errors(const Platform& platform, const Samples& measured);

}  // namespace spillway
