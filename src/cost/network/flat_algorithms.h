// The closed forms of the algorithms without levels, for groups of one size that run side by side and share
// no device: a step lasts as long as the slowest group's.
#pragma once

#include <vector>

#include "cost/network/collective_layout.h"

namespace spillway {

// None where the algorithm cannot run the operation. Contract: two devices at least in each group; not
// Measured or Hierarchical.
std::vector<ClosedForm> flat_form(const Platform& platform, CollectiveOperation operation,
                                  Algorithm algorithm, const std::vector<Devices>& groups);

}  // namespace spillway
