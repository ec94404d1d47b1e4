// The steps of every algorithm, flow by flow, as cost/network/collective_algorithms.h states them.
#include <algorithm>
#include <map>

#include "cost/network/collective_algorithms.h"
#include "cost/network/collective_layout.h"

namespace spillway {
namespace {

using Steps = std::vector<CollectiveStep>;

Steps times(std::size_t count, const CollectiveStep& step) {
  return Steps(count, step);
}

Steps backwards(Steps steps) {
  std::reverse(steps.begin(), steps.end());
  for (CollectiveStep& step : steps) {
    for (StepFlow& flow : step.flows) std::swap(flow.from, flow.to);
  }
  return steps;
}

Steps one_after_the_other(Steps first, const Steps& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

// One turn of every ring. Ring r passes the members of a part on from its own, r. It enters the next part one
// member further on, so that no device receives twice from outside.
CollectiveStep ring_step(const Platform& platform, const Devices& devices, Bytes n) {
  const std::vector<Devices> parts = by_inner_group(platform, devices);
  const std::size_t rings = ring_count(parts);
  std::map<std::pair<DeviceId, DeviceId>, Bytes> carried;
  for (std::size_t r = 0; r < rings; ++r) {
    Devices turn;
    for (const Devices& part : parts) {
      for (std::size_t i = 1; i <= part.size(); ++i) turn.push_back(part[(r + i) % part.size()]);
    }
    for (std::size_t i = 0; i < turn.size(); ++i) {
      carried[{turn[i], turn[(i + 1) % turn.size()]}] +=
          n / (static_cast<double>(turn.size()) * static_cast<double>(rings));
    }
  }
  CollectiveStep step;
  for (const auto& [pair, bytes] : carried) step.flows.push_back({pair.first, pair.second, bytes});
  return step;
}

// Up the tree, children at distance 1, 2, 4, ... send the whole vector.
Steps up_the_tree(const Devices& devices, Bytes n) {
  Steps steps;
  for (std::size_t distance = 1; distance < devices.size(); distance *= 2) {
    steps.emplace_back();
    for (std::size_t i = 0; i + distance < devices.size(); i += 2 * distance) {
      steps.back().flows.push_back({devices[i + distance], devices[i], n});
    }
  }
  return steps;
}

CollectiveStep mesh_step(const Devices& devices, Bytes n) {
  CollectiveStep step;
  for (const DeviceId from : devices) {
    for (const DeviceId to : devices) {
      if (from != to) step.flows.push_back({from, to, n / static_cast<double>(devices.size())});
    }
  }
  return step;
}

Steps doubling_steps(const Devices& devices, Bytes n) {
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

Steps pairwise_steps(const Platform& platform, const Devices& devices, Bytes n) {
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

Steps flat_steps(const Platform& platform, CollectiveOperation operation, Algorithm algorithm,
                 const Devices& devices, Bytes n) {
  const bool both = operation == CollectiveOperation::AllReduce;
  switch (algorithm) {
    case Algorithm::Ring:
      return times((both ? 2 : 1) * (devices.size() - 1), ring_step(platform, devices, n));
    case Algorithm::Tree:
      return one_after_the_other(up_the_tree(devices, n), backwards(up_the_tree(devices, n)));
    case Algorithm::Mesh:
      return times(both ? 2 : 1, mesh_step(devices, n));
    case Algorithm::HalvingDoubling: {
      const Steps gather = doubling_steps(devices, n), scatter = backwards(gather);
      if (both) return one_after_the_other(scatter, gather);
      return operation == CollectiveOperation::AllGather ? gather : scatter;
    }
    case Algorithm::Pairwise:
      if (operation == CollectiveOperation::SendRecv) return {{{{devices[0], devices[1], n}}}};
      return pairwise_steps(platform, devices, n);
    default:
      throw ContractBreach("flat_steps: not an algorithm without levels");
  }
}

Steps hierarchical_steps(const Platform& platform, CollectiveOperation operation, const Hierarchy& hierarchy,
                         Bytes n) {
  Steps all;
  for (const HierarchicalPhase& phase : phases(hierarchy, operation)) {
    Steps together;
    for (const Devices& devices : phase.groups) {
      const Steps steps = flat_steps(platform, phase.operation, phase.algorithm, devices, n * phase.share);
      together.resize(steps.size());
      for (std::size_t i = 0; i < steps.size(); ++i) {
        together[i].flows.insert(together[i].flows.end(), steps[i].flows.begin(), steps[i].flows.end());
      }
    }
    all = one_after_the_other(std::move(all), together);
  }
  return all;
}

}  // namespace

Steps collective_steps(const Platform& platform, CollectiveOperation operation, Algorithm algorithm,
                       const DeviceGroup& group, Bytes n) {
  const std::vector<ClosedForm> ways = closed_forms(platform, operation, algorithm, group);
  ensure(!ways.empty(), "collective_steps: the algorithm cannot run this here");
  const Devices devices = devices_of(platform, group);
  if (algorithm != Algorithm::Hierarchical) return flat_steps(platform, operation, algorithm, devices, n);
  const auto faster = [&](const ClosedForm& a, const ClosedForm& b) { return a(n) < b(n); };
  const auto fastest = std::min_element(ways.begin(), ways.end(), faster) - ways.begin();
  return hierarchical_steps(platform, operation,
                            hierarchies(platform, operation, devices)[static_cast<std::size_t>(fastest)], n);
}

}  // namespace spillway
