// Halving-doubling: ceil(log2 N) steps, twice for an all-reduce. A reduce-scatter halves the rest of the
// vector with partners at distance 1, 2, 4, ...; an all-gather goes the way back. If N is no power of two,
// the partners are at those distances round the ring, and the last step moves the parts that are left (Bruck
// et al. 1997, https://doi.org/10.1109/71.642949). That is N-1 parts of n/N in any case.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>

#include "cost/network/algorithm_parts.h"

namespace spillway {
namespace {

// The device that device i of `size` sends to at `distance`, in an all-gather by halving-doubling.
std::uint32_t partner(std::uint32_t i, std::uint32_t distance, std::uint32_t size) {
  return std::has_single_bit(size) ? i ^ distance : (i + distance) % size;
}

// The distances of an all-gather, farthest first, with the parts of n/N sent at each.
struct Doubling {
  std::uint32_t distance;
  std::uint32_t parts;
};

std::vector<Doubling> doublings(std::uint32_t size) {
  std::vector<Doubling> result;
  std::vector<bool> held(size, false);  // parts of device 0; all others are alike
  held[0] = true;
  for (std::uint32_t distance = std::bit_ceil(size) / 2; distance > 0; distance /= 2) {
    std::vector<bool> next = held;
    std::uint32_t parts = 0;
    for (std::uint32_t part = 0; part < size; ++part) {
      const std::uint32_t at = (part + distance) % size;  // its index on the device `distance` before
      if (!held[at] || held[part]) continue;
      next[part] = true;
      ++parts;
    }
    held = std::move(next);
    result.push_back({distance, parts});
  }
  return result;
}

FormUnderWay doubling_form(const Platform& platform, CollectiveOperation operation,
                           const std::vector<Devices>& groups) {
  FormUnderWay result;
  const auto size = static_cast<std::uint32_t>(groups.front().size());
  for (const Doubling& step : doublings(size)) {
    FlowLoads loads(platform);
    for (const Devices& devices : groups) {
      for (std::uint32_t i = 0; i < size; ++i) {
        const DeviceId other = devices[partner(i, step.distance, size)];
        loads.add(tier_index(platform, devices[i], other), static_cast<double>(step.parts) / size);
      }
    }
    result.add(loads, static_cast<double>(passes(operation)));
  }
  return result;
}

Steps gather_steps(const Devices& devices, Bytes n) {
  Steps steps;
  const auto size = static_cast<std::uint32_t>(devices.size());
  for (const Doubling& doubling : doublings(size)) {
    steps.emplace_back();
    for (std::uint32_t i = 0; i < size; ++i) {
      steps.back().flows.push_back({devices[i], devices[partner(i, doubling.distance, size)],
                                    n * (static_cast<double>(doubling.parts) / size)});
    }
  }
  return steps;
}

Steps doubling_steps(const Platform&, CollectiveOperation operation, const Devices& devices, Bytes n) {
  const Steps gather = gather_steps(devices, n), scatter = backwards(gather);
  if (operation == CollectiveOperation::AllReduce) return one_after_the_other(scatter, gather);
  return operation == CollectiveOperation::AllGather ? gather : scatter;
}

}  // namespace

const FlatAlgorithm kHalvingDoubling = {gathers_or_scatters, doubling_form, doubling_steps};

}  // namespace spillway
