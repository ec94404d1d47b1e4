// Private to src/calibrate.
#pragma once

#include <vector>

#include "calibrate/fitted.h"
#include "platform/platform.h"
#include "traces/samples/samples.h"

namespace spillway {

// How far off the cost model is with every other measured shape as a table (Accelerator::operators) on the
// shapes between: what a platform gains by the table over an efficiency alone. One for each kind of operator
// that has at least two shapes.
std::vector<HeldBackError> table_errors(const OperatorTables& tables, const Accelerator& accelerator);

// How far off the accelerator's own prices are, for each kind of operator that was measured.
std::vector<HeldBackError> errors_of_prices(const Accelerator& accelerator, const OperatorTables& measured);

}  // namespace spillway
