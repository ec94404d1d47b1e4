// Memory's rate and an operator's latency, from matrix products that hardly compute. Private to src/calibrate.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "calibrate/fitted.h"
#include "calibrate/roofline_fit.h"
#include "platform/platform.h"

namespace spillway {

struct MemoryFit {
  std::optional<BytesPerSecond> memory;
  std::optional<Seconds> latency;
  Fits fits;  // of /accelerator/efficiency/memory and /accelerator/memory_latency_us
};

// As fit_operators.h says. Undetermined where fewer than three products are of that kind, or where an
// interval holds 0: all are so large that their latency does not show, or so small that their bytes do not.
MemoryFit memory_fit(const std::vector<TimedWork>& products, const Accelerator& accelerator,
                     const std::string& source);

}  // namespace spillway
