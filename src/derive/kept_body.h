// The pipelined regions of a schedule as they would run were nothing transposed between and behind them.
// Private to src/derive.
#pragma once

#include <vector>

#include "derive/assemble.h"

namespace spillway {

// All of them in their skeleton's own order; where the last region runs in Turns, with the forwards as far
// ahead as these need. A skeleton that plans is told of what runs in place. Contract: options.inner is one of
// inner_orders, and not Listed.
Body kept_body(const Schedule& schedule, const std::vector<Stage>& stages, const DeriveOptions& options);

}  // namespace spillway
