// Mesh: one step, n/N from every device to every device; an all-reduce takes two.
#include <algorithm>

#include "cost/network/algorithm_parts.h"

namespace spillway {
namespace {

// For each device, the number of devices that share its group of the tier, itself included.
std::vector<double> sharing(const Devices& devices, const Tier& tier) {
  std::vector<double> counts(devices.size());
  for (std::size_t begin = 0, end = 0; begin < devices.size(); begin = end) {
    const std::uint32_t group = devices[begin].index() / tier.devices;
    while (end < devices.size() && devices[end].index() / tier.devices == group) ++end;
    std::fill(counts.begin() + begin, counts.begin() + end, static_cast<double>(end - begin));
  }
  return counts;
}

// Every device's peers at each tier; peers behind one port share it.
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

FormUnderWay mesh_form(const Platform& platform, CollectiveOperation operation,
                       const std::vector<Devices>& groups) {
  FlowLoads loads(platform);
  for (const Devices& devices : groups) add_peers(platform, devices, loads);
  FormUnderWay result;
  result.add(loads, static_cast<double>(passes(operation)));
  return result;
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

Steps mesh_steps(const Platform&, CollectiveOperation operation, const Devices& devices, Bytes n) {
  return Steps(passes(operation), mesh_step(devices, n));
}

}  // namespace

const FlatAlgorithm kMesh = {exchanges_parts, mesh_form, mesh_steps};

}  // namespace spillway
