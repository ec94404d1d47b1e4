#include "cost/alpha_beta.h"

#include <algorithm>

namespace spillway {
namespace {

AlphaBeta round(const Platform& platform, const DeviceGroup& ring) {
  if (ring.size < 2) return {};
  const Tier& tier = tier_between(platform, ring.first, ring.device(ring.size - 1));
  const double steps = ring.size - 1;
  return {tier.latency.value * steps, tier.bandwidth.value * (ring.size / steps)};
}

// How many of the group share a block of `devices` devices with `device`.
std::uint32_t neighbours(const DeviceGroup& group, DeviceId device, std::uint32_t devices) {
  const std::uint64_t begin = std::uint64_t{device.index() / devices} * devices;
  const std::uint64_t end = begin + devices;
  const auto below = [&](std::uint64_t bound) -> std::uint64_t {
    if (bound <= group.first.index()) return 0;
    return std::min<std::uint64_t>(group.size,
                                   (bound - group.first.index() + group.stride - 1) / group.stride);
  };
  return static_cast<std::uint32_t>(below(end) - below(begin));
}

AlphaBeta exchanges_of(const Platform& platform, const DeviceGroup& group, DeviceId device) {
  Seconds alpha;
  Seconds per_byte;
  std::uint32_t nearer = 1;  // the device itself
  for (const Tier& tier : platform.tiers) {
    const std::uint32_t within = neighbours(group, device, tier.devices);
    const double peers = within - nearer;
    alpha += tier.latency.value * peers;
    per_byte += Bytes(1) / tier.bandwidth.value * (peers / group.size);
    nearer = within;
  }
  ensure(nearer == group.size, "all-to-all: a device outside the platform");
  return {alpha, BytesPerSecond(1 / per_byte.value())};
}

}  // namespace

AlphaBeta all_gather(const Platform& platform, const DeviceGroup& group) {
  return round(platform, group);
}
AlphaBeta reduce_scatter(const Platform& platform, const DeviceGroup& group) {
  return round(platform, group);
}

AlphaBeta all_to_all(const Platform& platform, const DeviceGroup& group) {
  if (group.size < 2) return {};
  AlphaBeta slowest = exchanges_of(platform, group, group.first);
  for (std::uint32_t i = 1; i < group.size; ++i) {
    slowest = slower(slowest, exchanges_of(platform, group, group.device(i)));
  }
  return slowest;
}

}  // namespace spillway
