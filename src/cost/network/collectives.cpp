#include "cost/network/collectives.h"

#include <algorithm>
#include <initializer_list>
#include <utility>

#include "cost/network/collective_layout.h"
#include "cost/network/protocol_forms.h"

namespace spillway {
namespace {

using enum CollectiveOperation;

std::vector<ClosedForm> all_of(const Platform& platform, CollectiveOperation operation,
                               const DeviceGroup& group, std::initializer_list<Algorithm> algorithms) {
  std::vector<ClosedForm> all;
  for (const Algorithm algorithm : algorithms) {
    for (ClosedForm& form : closed_forms(platform, operation, algorithm, group))
      all.push_back(std::move(form));
  }
  return all;
}

std::vector<ClosedForm> of_nccl(const Platform& platform, CollectiveOperation operation,
                                const DeviceGroup& group) {
  if (operation == AllToAll) return all_of(platform, operation, group, {Algorithm::Mesh});
  return all_of(platform, operation, group, {Algorithm::Ring, Algorithm::Tree, Algorithm::Hierarchical});
}

std::vector<ClosedForm> in_a_server(const Platform& platform, CollectiveOperation operation,
                                    const DeviceGroup& group, const Tier& tier) {
  if (operation == AllToAll || tier.wiring == Wiring::Mesh)
    return all_of(platform, operation, group, {Algorithm::Mesh});
  const double mebibytes = operation == AllReduce ? 1 : 2;
  const Bytes small(mebibytes * 1048576 * group.device_count());
  std::vector<ClosedForm> forms = all_of(platform, operation, group, {Algorithm::Mesh, Algorithm::Ring});
  forms.front().most = small;
  forms.back().least = small;
  return forms;
}

std::vector<ClosedForm> of_hccl(const Platform& platform, CollectiveOperation operation,
                                const DeviceGroup& group) {
  const std::size_t widest = widest_tier(platform, devices_of(platform, group));
  if (widest <= server_tier(platform)) return in_a_server(platform, operation, group, platform.tiers[widest]);
  if (operation == AllToAll)
    return all_of(platform, operation, group, {Algorithm::Mesh, Algorithm::Hierarchical});
  return all_of(platform, operation, group,
                {Algorithm::Ring, Algorithm::HalvingDoubling, Algorithm::Hierarchical});
}

std::vector<ClosedForm> offered(const Platform& platform, CollectiveOperation operation,
                                const DeviceGroup& group) {
  if (operation == SendRecv) return closed_forms(platform, operation, Algorithm::Pairwise, group);
  return platform.library == CollectiveLibrary::Nccl ? of_nccl(platform, operation, group)
                                                     : of_hccl(platform, operation, group);
}

const Sourced<BytesPerSecond>& rate_of(const ExpertKernels& kernels, Carrier carrier) {
  if (carrier == Carrier::Combine) return kernels.combine;
  return carrier == Carrier::Fp8Dispatch && kernels.fp8_dispatch ? *kernels.fp8_dispatch : kernels.dispatch;
}

// A kernel that sends peer by peer. If its rate is not stated, the port is full, as with no library's
// all-to-all; the device's own part counts like another's. DeepEP publishes 153 to 158 of 160 GB/s among 8
// H800 and 43 to 47 of 50 among 16, 32 and 64, with the sender's own part counted. Of a stated rate, whose
// time has the latencies, the port carries only what goes to others.
std::vector<ClosedForm> of_own_kernels(const Platform& platform, const Tier& tier, std::size_t devices,
                                       double port_share, Carrier carrier) {
  const Sourced<BytesPerSecond>& port = platform.ports[tier.port].bandwidth;
  if (const auto rate = rate_of_kernels(tier, static_cast<std::uint32_t>(devices), carrier)) {
    const Seconds each = std::max(Bytes(1) / rate->value, Bytes(port_share) / port.value);
    return {{Algorithm::Pairwise, Seconds(), {{1, {{Seconds(), each}}}}, rate->evidence}};
  }
  const Evidence evidence =
      weaker(tier.latency_of_a_step().evidence, weaker(tier.latency.evidence, port.evidence));
  const StepForm step{1, {{tier.latency_of_a_step().value, Bytes(1) / port.value}}};
  return {{Algorithm::Pairwise, latency_once(tier), {step}, evidence}};
}

}  // namespace

std::optional<Sourced<BytesPerSecond>> rate_of_kernels(const Tier& tier, std::uint32_t devices,
                                                       Carrier carrier) {
  const std::vector<ExpertKernels>& known = tier.expert_kernels;
  if (known.empty()) return std::nullopt;
  const auto above = std::ranges::lower_bound(known, devices, {}, &ExpertKernels::devices);
  const auto extrapolated = [](Sourced<BytesPerSecond> rate) {
    rate.evidence = weaker(rate.evidence, Evidence::Extrapolated);
    return rate;
  };
  if (above == known.end()) return extrapolated(rate_of(known.back(), carrier));
  Sourced<BytesPerSecond> rate = rate_of(*above, carrier);
  if (above->devices == devices) return rate;
  if (above == known.begin()) return extrapolated(rate);
  const ExpertKernels& below = *(above - 1);
  const Sourced<BytesPerSecond>& from = rate_of(below, carrier);
  const double share = (devices - below.devices) * 1.0 / (above->devices - below.devices);
  rate.value = from.value * (1 - share) + rate.value * share;
  rate.evidence = weaker(weaker(rate.evidence, from.evidence), Evidence::Derived);
  return rate;
}

Seconds read_off(std::span<const std::pair<Bytes, Seconds>> points, Bytes n) {
  ensure(!points.empty(), "read_off: a sweep without points");
  if (n <= points.front().first || points.size() == 1) return points.front().second;
  const auto beyond = [&](const auto& point) { return n <= point.first; };
  auto end = std::find_if(points.begin(), points.end(), beyond);
  const bool outside = end == points.end();
  if (outside) --end;
  const auto& [to, late] = *end;
  const auto& [from, early] = *(end - 1);
  const Seconds slope = outside ? std::max(Seconds(), late - early) : late - early;
  return late + slope * ((n - to) / (to - from));
}

CollectiveTime::CollectiveTime(Sourced<std::vector<std::pair<Bytes, Seconds>>> sweep)
    : sweep_(std::move(sweep.value)), sweep_evidence_(sweep.evidence) {
  ensure(!sweep_.empty(), "CollectiveTime: a sweep without points");
}

CollectiveTime::CollectiveTime(Sourced<std::vector<std::pair<Bytes, Seconds>>> sweep, double port_share,
                               const Sourced<BytesPerSecond>& port)
    : CollectiveTime(std::move(sweep)) {
  port_share_ = port_share;
  port_ = port;
}

CollectiveTime::CollectiveTime(std::vector<ClosedForm> forms, double port_share)
    : port_share_(port_share), forms_(std::move(forms)) {
  ensure(!forms_.empty(), "CollectiveTime: no algorithm");
}

CollectiveTime CollectiveTime::sustaining(const Sourced<double>& share) && {
  if (is_stated(share)) {
    sustained_ = share.value;
    sustained_evidence_ = share.evidence;
  }
  return std::move(*this);
}

CollectiveEstimate CollectiveTime::operator()(Bytes n) const {
  const CollectiveEstimate estimate = alone(n);
  return {estimate.time / sustained_, estimate.algorithm, weaker(estimate.evidence, sustained_evidence_)};
}

CollectiveEstimate CollectiveTime::alone(Bytes n) const {
  if (!sweep_.empty()) {
    const bool inside = n <= sweep_.back().first;
    const Evidence evidence = inside ? sweep_evidence_ : weaker(sweep_evidence_, Evidence::Extrapolated);
    const Seconds measured = read_off(sweep_, n);
    const Seconds carried = port_ ? through_port(n) / port_->value : Seconds();
    if (carried > measured) return {carried, Algorithm::Measured, weaker(evidence, port_->evidence)};
    return {measured, Algorithm::Measured, evidence};
  }
  CollectiveEstimate best{Seconds(), Algorithm::Ring, Evidence::Measured};
  bool found = false;
  for (const ClosedForm& form : forms_) {
    if (n < form.least || n > form.most) continue;
    const Seconds time = form(n);
    if (!found || time < best.time) best = {time, form.algorithm, form.evidence};
    found = true;
  }
  ensure(found || forms_.empty(), "CollectiveTime: no algorithm is offered for so many bytes");
  return best;
}

namespace {

// The sweep of this operation in groups like this one: on the smallest tier that holds it, with as many
// devices, and as many of them in each group of the tier before (1 if there is none). Null if there is none.
const MeasuredCollective* sweep_of(const Platform& platform, CollectiveOperation operation,
                                   const Devices& devices) {
  const std::uint32_t neighbours = common_size(by_inner_group(platform, devices));
  for (const MeasuredCollective& sweep : platform.tiers[widest_tier(platform, devices)].collectives) {
    const bool alike = sweep.devices == devices.size() && sweep.neighbours == neighbours;
    if (sweep.operation == operation && alike) return &sweep;
  }
  return nullptr;
}

CollectiveTime time_alone(const Platform& platform, CollectiveOperation operation, const DeviceGroup& group,
                          const Devices& devices, Carrier carrier) {
  const Tier& tier = platform.tiers[widest_tier(platform, devices)];
  const bool own = carrier != Carrier::Library && operation == AllToAll;
  const bool stated = own && !tier.expert_kernels.empty();
  const MeasuredCollective* sweep = stated ? nullptr : sweep_of(platform, operation, devices);
  if (sweep) {
    return {sweep->points, port_share(platform, operation, devices, AddedUp::BySwitchesOrDevices),
            platform.ports[tier.port].bandwidth};
  }
  if (own && platform.contention) {
    const double through = port_share(platform, operation, devices, AddedUp::ByDevices);
    return {of_own_kernels(platform, tier, devices.size(), through, carrier), through};
  }
  std::vector<ClosedForm> forms = protocol_forms(platform, operation, devices);
  if (!forms.empty()) {
    const bool by_switches = platform.tiers.front().protocols->in_switch.has_value();
    const AddedUp added_up = by_switches ? AddedUp::BySwitchesOrDevices : AddedUp::ByDevices;
    return {std::move(forms), port_share(platform, operation, devices, added_up)};
  }
  return {offered(platform, operation, group), port_share(platform, operation, devices, AddedUp::ByDevices)};
}

}  // namespace

CollectiveTime collective_time(const Platform& platform, CollectiveOperation operation,
                               const DeviceGroup& group, Carrier carrier) {
  const Devices devices = devices_of(platform, group);
  if (devices.size() == 1) return {};
  ensure(operation != SendRecv || devices.size() == 2, "collective_time: a message between more than two");
  CollectiveTime alone = time_alone(platform, operation, group, devices, carrier);
  if (operation == SendRecv) return alone;
  return std::move(alone).sustaining(platform.tiers[widest_tier(platform, devices)].sustained);
}

const CollectiveTime& TimedCollectives::of(CollectiveOperation operation, const DeviceGroup& group,
                                           Carrier carrier) {
  const PlaceInTiers place = place_in_tiers(*platform_, group);
  DeviceGroup placed = group;
  placed.first = DeviceId(place.first);
  const auto same = [&](const Timed& timed) {
    return timed.operation == operation && timed.carrier == carrier && timed.spanned == place.spanned &&
           timed.group == placed;
  };
  const auto known = std::ranges::find_if(timed_, same);
  if (known != timed_.end()) return known->time;
  CollectiveTime time = collective_time(*platform_, operation, group, carrier);
  return timed_.emplace_back(Timed{operation, carrier, place.spanned, placed, std::move(time)}).time;
}

CollectiveTime point_to_point(const Platform& platform, DeviceId a, DeviceId b) {
  if (a == b) return {};
  const DeviceId first = std::min(a, b);
  return collective_time(platform, SendRecv, {first, 2, std::max(a, b).index() - first.index()});
}

}  // namespace spillway
