#include "goodput/reliability.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace spillway {

FailingRun failing_run(const Reliability& reliability, std::uint32_t devices, Bytes bytes) {
  ensure(devices > 0, "a run has devices");
  const Seconds write = bytes / reliability.write;
  return {.between_failures = reliability.device_mtbf / devices,
          .restart = reliability.restart,
          .stall = reliability.blocks ? write : reliability.stall,
          .lag = reliability.blocks ? Seconds() : write};
}

std::uint64_t least_steps(const Reliability& reliability, Bytes bytes, Seconds step) {
  ensure(step > Seconds(), "a step takes time");
  if (reliability.blocks) return 1;
  const double steps = std::ceil((bytes / reliability.write - reliability.stall) / step);
  return static_cast<std::uint64_t>(std::clamp(steps, 1.0, 1e15));
}

}  // namespace spillway
