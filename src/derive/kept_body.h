// The pipelined regions of a schedule in the order that they have without the transposed regions. Private to
// src/derive.
#pragma once

#include <vector>

#include "derive/assemble.h"

namespace spillway {

// All pipelined regions in their skeleton's own order. If the last region runs in Turns, the forwards run
// ahead as far as the turns need. A planned skeleton gets the work that runs in place in its expectations.
// Contract: options.inner is one of inner_orders, and not Listed.
Body kept_body(const Schedule& schedule, const std::vector<Stage>& stages, const DeriveOptions& options);

}  // namespace spillway
