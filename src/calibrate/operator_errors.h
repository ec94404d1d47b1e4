// How far prices of operators are off from what they took. Private to src/calibrate.
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

// What the platform's own price of the measured operators, each alone, is off by: one for each kind.
std::vector<HeldBackError> operator_errors(const Platform& platform, const Samples& measured);

}  // namespace spillway
