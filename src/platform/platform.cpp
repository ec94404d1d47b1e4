#include "platform/platform.h"

#include <cmath>

namespace spillway {

Seconds on_host(Seconds stated, const Accelerator& accelerator) {
  return accelerator.host_speed ? stated / accelerator.host_speed->value : stated;
}

Sourced<double> clock_kept(const Accelerator& accelerator) {
  if (!accelerator.power_limit) return not_stated(1.0);
  if (accelerator.clock_under_limit) return *accelerator.clock_under_limit;
  return {std::cbrt(accelerator.power_limit->value), Evidence::Assumed,
          "the cube root of the share of power that is left"};
}

const Tier& tier_between(const Platform& platform, DeviceId a, DeviceId b) {
  for (const Tier& tier : platform.tiers) {
    if (a.index() / tier.devices == b.index() / tier.devices) return tier;
  }
  throw ContractBreach("tier_between: a device outside the platform");
}

}  // namespace spillway
