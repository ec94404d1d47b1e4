#include "cost/network/collective_algorithms.h"

#include <algorithm>
#include <vector>

#include "cost/network/collective_layout.h"

namespace spillway {
namespace {

// The load of the flows of one kind of step, tier by tier, in shares of n.
class FlowLoads {
 public:
  explicit FlowLoads(const Platform& platform) : platform_(&platform), tiers_(platform.tiers.size()) {}

  // A flow over the tier carries `pair` of n. Its busiest port carries `port` of n, this flow included.
  void add(std::size_t tier, double pair, double port) {
    tiers_[tier].pair = std::max(tiers_[tier].pair, pair);
    tiers_[tier].port = std::max(tiers_[tier].port, port);
  }
  void add(std::size_t tier, double alone) { add(tier, alone, alone); }

  StepForm step(double count) const;
  // The time that the collective takes once (cost/network/collective_algorithms.h).
  Seconds once() const;
  // The evidence of the numbers that step() and once() rest on.
  Evidence evidence() const;

 private:
  struct Load {
    double pair = 0;
    double port = 0;
  };

  Seconds over_pair(std::size_t tier) const;  // per byte of n
  Seconds over_port(std::size_t tier) const;

  const Platform* platform_;
  std::vector<Load> tiers_;
};

Seconds FlowLoads::over_pair(std::size_t tier) const {
  return Bytes(tiers_[tier].pair) / platform_->tiers[tier].bandwidth.value;
}

Seconds FlowLoads::over_port(std::size_t tier) const {
  if (!platform_->contention) return {};
  return Bytes(tiers_[tier].port) / platform_->ports[platform_->tiers[tier].port].bandwidth.value;
}

StepForm FlowLoads::step(double count) const {
  StepForm form{count, {}};
  for (std::size_t tier = 0; tier < tiers_.size(); ++tier) {
    if (tiers_[tier].pair == 0) continue;
    form.flows.push_back(
        {platform_->tiers[tier].latency_of_a_step().value, std::max(over_pair(tier), over_port(tier))});
  }
  return form;
}

Seconds FlowLoads::once() const {
  Seconds most;
  for (std::size_t tier = 0; tier < tiers_.size(); ++tier) {
    if (tiers_[tier].pair > 0) most = std::max(most, latency_once(platform_->tiers[tier]));
  }
  return most;
}

Evidence FlowLoads::evidence() const {
  Evidence evidence = Evidence::Measured;
  for (std::size_t i = 0; i < tiers_.size(); ++i) {
    if (tiers_[i].pair == 0) continue;
    const Tier& tier = platform_->tiers[i];
    const Evidence bandwidth = over_port(i) > over_pair(i) ? platform_->ports[tier.port].bandwidth.evidence
                                                           : tier.bandwidth.evidence;
    evidence = weaker(evidence, weaker(tier.latency.evidence, bandwidth));
    evidence = weaker(evidence, tier.latency_of_a_step().evidence);
  }
  return evidence;
}

using Groups = std::vector<Devices>;

// The steps of one closed form, while they are added.
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

// `rings` rings run side by side through devices 0, 1, ... of every part. Each ring enters a part after its
// own device there, passes all others and leaves from its own. So the link from device i to the next carries
// every ring except the i-th.
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

// The peers at each tier take one step each if every device has equally many. A tier with unequal groups
// takes its steps together with the next tier's.
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

// The closed forms of the algorithms without levels, for groups of one size that run side by side and share
// no device. A step lasts as long as the slowest group's. None if the algorithm cannot run the operation.
// Contract: at least two devices in each group; not Measured or Hierarchical.
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

ClosedForm two_levels(const Platform& platform, CollectiveOperation operation, const Hierarchy& hierarchy) {
  ClosedForm whole{Algorithm::Hierarchical, Seconds(), {}, Evidence::Measured};
  for (const HierarchicalPhase& phase : phases(hierarchy, operation)) {
    for (ClosedForm& form : flat_form(platform, phase.operation, phase.algorithm, phase.groups)) {
      for (StepForm& step : form.steps) {
        for (StepForm::Flow& flow : step.flows) flow.per_byte = flow.per_byte * phase.share;
        whole.steps.push_back(std::move(step));
      }
      whole.once = std::max(whole.once, form.once);
      whole.evidence = weaker(whole.evidence, form.evidence);
    }
  }
  return whole;
}

}  // namespace

Seconds ClosedForm::operator()(Bytes n) const {
  Seconds total = once;
  for (const StepForm& step : steps) {
    Seconds slowest;
    for (const StepForm::Flow& flow : step.flows) {
      slowest = std::max(slowest, flow.latency + flow.per_byte * n.value());
    }
    total += slowest * step.count;
  }
  return total;
}

Seconds latency_once(const Tier& tier) {
  return tier.latency.value - tier.latency_of_a_step().value;
}

std::vector<ClosedForm> closed_forms(const Platform& platform, CollectiveOperation operation,
                                     Algorithm algorithm, const DeviceGroup& group) {
  const Devices devices = devices_of(platform, group);
  ensure(devices.size() > 1, "closed_forms: a group of one");
  if (!runs(algorithm, operation)) return {};
  if (algorithm != Algorithm::Hierarchical) return flat_form(platform, operation, algorithm, {devices});
  std::vector<ClosedForm> forms;
  for (const Hierarchy& hierarchy : hierarchies(platform, operation, devices)) {
    forms.push_back(two_levels(platform, operation, hierarchy));
  }
  return forms;
}

}  // namespace spillway
