// Ring: N-1 steps of n/N, twice for an all-reduce, each device to the next. A group over several groups of a
// tier runs several rings side by side, as many as the smallest of those has members. Each ring passes
// through another member of each, as NCCL's channels do.
#include <algorithm>
#include <map>
#include <utility>

#include "cost/network/algorithm_parts.h"

namespace spillway {
namespace {

// `rings` rings run side by side through devices 0, 1, ... of every part. Each ring enters a part after its
// own device there, passes all others and leaves from its own. So the link from device i to the next carries
// every ring except the i-th.
void add_ring(const Platform& platform, const Devices& devices, FlowLoads& loads) {
  const std::vector<Devices> parts = by_inner_group(platform, devices);
  const std::size_t widest = widest_tier(platform, devices);
  const std::size_t rings = ring_count(parts);
  const double whole = 1.0 / static_cast<double>(devices.size());
  const double one_ring = whole / static_cast<double>(rings);
  bool shared_port = false;
  for (const Devices& part : parts) {
    for (std::size_t i = 0; part.size() > 1 && i < part.size(); ++i) {
      const std::size_t tier = tier_index(platform, part[i], part[(i + 1) % part.size()]);
      const double carried = i < rings ? whole - one_ring : whole;
      if (i < rings && rings == 1) continue;
      const bool same_port = platform.tiers[tier].port == platform.tiers[widest].port;
      loads.add(tier, carried, same_port ? whole : carried);
      shared_port = shared_port || (i < rings && same_port);
    }
  }
  loads.add(widest, one_ring, shared_port ? whole : one_ring);
}

FormUnderWay ring_form(const Platform& platform, CollectiveOperation operation,
                       const std::vector<Devices>& groups) {
  FlowLoads loads(platform);
  for (const Devices& devices : groups) add_ring(platform, devices, loads);
  FormUnderWay result;
  result.add(loads,
             static_cast<double>(passes(operation)) * (static_cast<double>(groups.front().size()) - 1));
  return result;
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

Steps ring_steps(const Platform& platform, CollectiveOperation operation, const Devices& devices, Bytes n) {
  return Steps(passes(operation) * (devices.size() - 1), ring_step(platform, devices, n));
}

}  // namespace

const FlatAlgorithm kRing = {gathers_or_scatters, ring_form, ring_steps};

}  // namespace spillway
