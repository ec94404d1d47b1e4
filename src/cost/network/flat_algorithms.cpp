#include "cost/network/flat_algorithms.h"

#include <algorithm>

#include "cost/network/flow_loads.h"

namespace spillway {
namespace {

using Groups = std::vector<Devices>;

// The steps of one closed form, under way.
struct FormUnderWay {
  std::vector<StepForm> steps = {};
  Seconds once = {};
  Evidence evidence = Evidence::Measured;

  void add(const FlowLoads& loads, double count) {
    steps.push_back(loads.step(count));
    once = std::max(once, loads.once());
    evidence = weaker(evidence, loads.evidence());
  }
};

// Rings side by side through devices 0, 1, ... of every part, `rings` of them: each enters a part behind its
// own device there, passes all others and leaves from it. So the link from device i to the next carries every
// ring but the i-th.
void add_ring(const Platform& platform, const Devices& devices, FlowLoads& loads) {
  const Groups parts = by_inner_group(platform, devices);
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

FormUnderWay ring(const Platform& platform, const Groups& groups, double passes) {
  FlowLoads loads(platform);
  for (const Devices& devices : groups) add_ring(platform, devices, loads);
  FormUnderWay result;
  result.add(loads, passes * (static_cast<double>(groups.front().size()) - 1));
  return result;
}

FormUnderWay tree(const Platform& platform, const Groups& groups) {
  FormUnderWay result;
  const std::size_t size = groups.front().size();
  for (std::size_t distance = 1; distance < size; distance *= 2) {
    FlowLoads loads(platform);
    for (const Devices& devices : groups) {
      for (std::size_t i = 0; i + distance < size; i += 2 * distance) {
        loads.add(tier_index(platform, devices[i], devices[i + distance]), 1);
      }
    }
    result.add(loads, 2);
  }
  return result;
}

// How many share a group of the tier with each device, itself included.
std::vector<double> sharing(const Devices& devices, const Tier& tier) {
  std::vector<double> counts(devices.size());
  for (std::size_t begin = 0, end = 0; begin < devices.size(); begin = end) {
    const std::uint32_t group = devices[begin].index() / tier.devices;
    while (end < devices.size() && devices[end].index() / tier.devices == group) ++end;
    std::fill(counts.begin() + begin, counts.begin() + end, static_cast<double>(end - begin));
  }
  return counts;
}

// Everyone's peers at each tier; those that lie behind one port share it.
void add_peers(const Platform& platform, const Devices& devices, FlowLoads& loads) {
  const double part = 1.0 / static_cast<double>(devices.size());
  std::vector<std::vector<double>> within;
  for (const Tier& tier : platform.tiers) within.push_back(sharing(devices, tier));
  const auto peers = [&](std::size_t tier, std::size_t i) {
    return within[tier][i] - (tier > 0 ? within[tier - 1][i] : 1);
  };
  std::vector<double> behind(platform.ports.size());
  for (std::size_t i = 0; i < devices.size(); ++i) {
    std::fill(behind.begin(), behind.end(), 0);
    for (std::size_t t = 0; t < within.size(); ++t) behind[platform.tiers[t].port] += peers(t, i) * part;
    for (std::size_t t = 0; t < within.size(); ++t) {
      if (peers(t, i) > 0) loads.add(t, part, behind[platform.tiers[t].port]);
    }
  }
}

FormUnderWay mesh(const Platform& platform, const Groups& groups, double passes) {
  FlowLoads loads(platform);
  for (const Devices& devices : groups) add_peers(platform, devices, loads);
  FormUnderWay result;
  result.add(loads, passes);
  return result;
}

FormUnderWay halving_doubling(const Platform& platform, const Groups& groups, double passes) {
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
    result.add(loads, passes);
  }
  return result;
}

// Peers at each tier take as many steps where they are as many for all; a tier with unequal groups takes its
// steps with the next one's.
FormUnderWay pairwise(const Platform& platform, const Groups& groups) {
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
FormUnderWay send(const Platform& platform, const Groups& groups) {
  FlowLoads loads(platform);
  for (const Devices& pair : groups) loads.add(widest_tier(platform, pair), 1);
  FormUnderWay result;
  result.add(loads, 1);
  return result;
}

}  // namespace

std::vector<ClosedForm> flat_form(const Platform& platform, CollectiveOperation operation,
                                  Algorithm algorithm, const Groups& groups) {
  if (!runs(algorithm, operation)) return {};
  const double passes = operation == CollectiveOperation::AllReduce ? 2 : 1;
  const auto steps = [&] {
    switch (algorithm) {
      case Algorithm::Ring:
        return ring(platform, groups, passes);
      case Algorithm::Tree:
        return tree(platform, groups);
      case Algorithm::Mesh:
        return mesh(platform, groups, passes);
      case Algorithm::HalvingDoubling:
        return halving_doubling(platform, groups, passes);
      case Algorithm::Pairwise:
        return operation == CollectiveOperation::SendRecv ? send(platform, groups)
                                                          : pairwise(platform, groups);
      default:
        throw ContractBreach("flat_form: not an algorithm without levels");
    }
  };
  FormUnderWay result = steps();
  return {{algorithm, result.once, std::move(result.steps), result.evidence}};
}

}  // namespace spillway
