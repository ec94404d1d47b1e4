#include "platform/platform.h"

namespace spillway {

const Tier& tier_between(const Platform& platform, DeviceId a, DeviceId b) {
  for (const Tier& tier : platform.tiers) {
    if (a.index() / tier.devices == b.index() / tier.devices) return tier;
  }
  throw ContractBreach("tier_between: a device outside the platform");
}

}  // namespace spillway
