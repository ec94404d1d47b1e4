// Pairwise: a send-recv is one message. An all-to-all takes N-1 steps of n/N, first with the nearest devices,
// then further out if the group has as many members in every group of a tier, else round the ring.
#include <algorithm>

#include "cost/network/algorithm_parts.h"

namespace spillway {
namespace {

// The peers at each tier take one step each if every device has equally many. A tier with unequal groups
// takes its steps together with the next tier's.
FormUnderWay exchange_form(const Platform& platform, const std::vector<Devices>& groups) {
  FormUnderWay result;
  const double size = static_cast<double>(groups.front().size());
  double nearer = 1;
  for (std::size_t t = 0; t < platform.tiers.size() && nearer < size; ++t) {
    const std::uint32_t within = common_size(by_group(groups.front(), platform.tiers[t]));
    if (within <= nearer) continue;
    FlowLoads loads(platform);
    loads.add(t, 1 / size);
    result.add(loads, within - nearer);
    nearer = within;
  }
  return result;
}

// One message.
FormUnderWay message_form(const Platform& platform, const std::vector<Devices>& groups) {
  FlowLoads loads(platform);
  for (const Devices& pair : groups) loads.add(widest_tier(platform, pair), 1);
  FormUnderWay result;
  result.add(loads, 1);
  return result;
}

FormUnderWay pairwise_form(const Platform& platform, CollectiveOperation operation,
                           const std::vector<Devices>& groups) {
  return operation == CollectiveOperation::SendRecv ? message_form(platform, groups)
                                                    : exchange_form(platform, groups);
}

// The block sizes of every tier with equal groups; peers inside a block are met before those beyond.
std::vector<std::size_t> nested_blocks(const Platform& platform, const Devices& devices) {
  std::vector<std::size_t> blocks;
  for (const Tier& tier : platform.tiers) {
    const std::size_t block = common_size(by_group(devices, tier));
    if (block > (blocks.empty() ? 1 : blocks.back())) blocks.push_back(block);
  }
  return blocks;
}

// Shifts i by `shift`; each digit of the mixed radix of `blocks` turns independently.
std::size_t shifted(std::size_t i, std::size_t shift, const std::vector<std::size_t>& blocks) {
  std::size_t result = 0, unit = 1;
  for (const std::size_t block : blocks) {
    result += (i % block / unit + shift % block / unit) % (block / unit) * unit;
    unit = block;
  }
  return result;
}

Steps exchange_steps(const Platform& platform, const Devices& devices, Bytes n) {
  const std::vector<std::size_t> blocks = nested_blocks(platform, devices);
  Steps steps(devices.size() - 1);
  for (std::size_t shift = 1; shift < devices.size(); ++shift) {
    for (std::size_t i = 0; i < devices.size(); ++i) {
      steps[shift - 1].flows.push_back(
          {devices[i], devices[shifted(i, shift, blocks)], n / static_cast<double>(devices.size())});
    }
  }
  return steps;
}

Steps pairwise_steps(const Platform& platform, CollectiveOperation operation, const Devices& devices,
                     Bytes n) {
  if (operation == CollectiveOperation::SendRecv) return {{{{devices[0], devices[1], n}}}};
  return exchange_steps(platform, devices, n);
}

}  // namespace

const FlatAlgorithm kPairwise = {[](CollectiveOperation operation) {
                                   return operation == CollectiveOperation::AllToAll ||
                                          operation == CollectiveOperation::SendRecv;
                                 },
                                 pairwise_form, pairwise_steps};

}  // namespace spillway
