// Finds the dependencies between a measured step's operations.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "straggler_model.h"

namespace spillway {

using OperationKey = std::tuple<std::uint32_t, StepWork, std::uint32_t>;  // stage, work, index
using OperationNumbers = std::map<OperationKey, std::uint32_t>;           // index into StepModel::operations

// Fills in `after` and `meetings`. `started` has the start of each operation in one step and replica, and so
// the order of a rank's passes. Returns false if a transfer has one side only or operations wait in a circle.
bool add_dependencies(StepModel& model, const OperationNumbers& numbers, const std::vector<Seconds>& started);

}  // namespace spillway
