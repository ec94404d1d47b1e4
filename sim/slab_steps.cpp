#include "sim/slab_steps.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/error.h"
#include "cost/network/collective_layout.h"
#include "cost/network/collectives.h"

namespace spillway {
namespace {

Algorithm algorithm_of(const SlabCollective& collective) {
  if (has_steps(collective.algorithm)) return collective.algorithm;
  if (collective.operation == CollectiveOperation::AllToAll) return Algorithm::Mesh;
  if (collective.operation == CollectiveOperation::SendRecv) return Algorithm::Pairwise;
  return Algorithm::Ring;
}

DeviceGroup group_of(const SlabCollective& collective, std::uint32_t i) {
  DeviceGroup group = collective.group;
  group.first = DeviceId(group.first.index() + i * collective.group_stride);
  return group;
}

bool same_devices(const DeviceGroup& a, const DeviceGroup& b) {
  return a.first == b.first && a.size == b.size && a.stride == b.stride && a.blocks == b.blocks &&
         a.block_stride == b.block_stride;
}

// Returns the bytes that leave a device over the group's widest tier, for the device that sends most.
Bytes over_widest(const Platform& platform, const DeviceGroup& group,
                  const std::vector<CollectiveStep>& steps) {
  const std::size_t widest = widest_tier(platform, devices_of(platform, group));
  std::map<DeviceId, Bytes> leaving;
  for (const CollectiveStep& step : steps)
    for (const StepFlow& flow : step.flows)
      if (tier_index(platform, flow.from, flow.to) == widest) leaving[flow.from] += flow.bytes;
  Bytes most;
  for (const auto& [device, bytes] : leaving) most = std::max(most, bytes);
  return most;
}

// Flows of the i-th step of all groups run at the same time.
void overlay(const std::vector<CollectiveStep>& more, double times, std::vector<SlabStep>& steps) {
  if (steps.size() < more.size()) steps.resize(more.size());
  for (std::size_t i = 0; i < more.size(); ++i)
    for (const StepFlow& flow : more[i].flows)
      if (flow.bytes > Bytes(0)) steps[i].flows.push_back({flow.from, flow.to, flow.bytes * times});
}

Seconds latency_of(const Platform& platform, const SlabStep& step) {
  Seconds most;
  for (const StepFlow& flow : step.flows)
    most = std::max(most, tier_between(platform, flow.from, flow.to).latency_of_a_step().value);
  return most;
}

Seconds once(const Platform& platform, const std::vector<SlabStep>& steps) {
  Seconds most;
  for (const SlabStep& step : steps)
    for (const StepFlow& flow : step.flows)
      most = std::max(most, latency_once(tier_between(platform, flow.from, flow.to)));
  return most;
}

Seconds total(const Platform& platform, const std::vector<SlabStep>& steps) {
  Seconds sum;
  for (const SlabStep& step : steps) sum += idle_time(platform, step);
  return sum;
}

void shorten(std::vector<SlabStep>& steps, double factor) {
  for (SlabStep& step : steps) {
    step.latency = step.latency * factor;
    for (StepFlow& flow : step.flows) flow.bytes = flow.bytes * factor;
  }
}

// The collectives that the replicas run at the same time: one of each replica, shared ones once.
class Together {
 public:
  explicit Together(const Platform& platform) : platform_(platform) {}

  void add(const SlabCollective& collective) {
    if (collective.group.device_count() < 2) return;
    for (std::uint32_t i = 0; i < collective.groups; ++i) add(collective, group_of(collective, i));
  }

  std::vector<SlabStep> steps() && {
    std::erase_if(steps_, [](const SlabStep& step) { return step.flows.empty(); });
    if (steps_.empty()) return {};
    if (!whole_) {
      for (SlabStep& step : steps_) step.latency = latency_of(platform_, step) * times_;
      steps_.front().latency += once(platform_, steps_) * times_;
    }
    for (SlabStep& step : steps_) step.whole_port = whole_;
    take_the_price();
    return std::move(steps_);
  }

 private:
  void take_the_price() {
    const Seconds idle = total(platform_, steps_);
    if (idle > priced_) return shorten(steps_, priced_ / idle);
    steps_.front().latency += priced_ - idle;
  }

  void add(const SlabCollective& collective, const DeviceGroup& group) {
    for (const DeviceGroup& known : groups_)
      if (same_devices(known, group)) return;
    groups_.push_back(group);
    const CollectiveTime time = collective_time(platform_, collective.operation, group, collective.carrier);
    priced_ = std::max(priced_, time(collective.bytes).time * collective.times);
    times_ = std::max(times_, collective.times);
    if (collective.bytes == Bytes(0)) return;
    const auto steps =
        collective_steps(platform_, collective.operation, algorithm_of(collective), group, collective.bytes);
    whole_ = !has_steps(collective.algorithm);
    const double carried =
        whole_ ? time.through_port(collective.bytes) / over_widest(platform_, group, steps) : 1;
    overlay(steps, collective.times * carried, steps_);
  }

  const Platform& platform_;
  std::vector<DeviceGroup> groups_;
  std::vector<SlabStep> steps_;
  Seconds priced_;
  double times_ = 0;
  bool whole_ = false;  // collectives are priced without steps
};

}  // namespace

Seconds idle_time(const Platform& platform, const SlabStep& step) {
  using End = std::pair<DeviceId, std::size_t>;  // a port of a device
  std::map<End, Bytes> leaving, entering;
  for (const StepFlow& flow : step.flows) {
    const std::size_t port = tier_between(platform, flow.from, flow.to).port;
    leaving[{flow.from, port}] += flow.bytes;
    entering[{flow.to, port}] += flow.bytes;
  }
  Seconds slowest;
  for (const StepFlow& flow : step.flows) {
    const Tier& tier = tier_between(platform, flow.from, flow.to);
    const BytesPerSecond port = platform.ports[tier.port].bandwidth.value;
    slowest =
        std::max({slowest, leaving[{flow.from, tier.port}] / port, entering[{flow.to, tier.port}] / port});
    if (!step.whole_port) slowest = std::max(slowest, flow.bytes / tier.bandwidth.value);
  }
  return step.latency + slowest;
}

SlabSteps slab_steps(const Platform& platform, const Breakdown& inside, const Event& event,
                     std::uint32_t lane) {
  SlabSteps all;
  std::vector<std::vector<SlabCollective>> listed;  // by replica
  for (std::uint32_t replica = lane; replica < lane + event.joined_replicas; ++replica)
    listed.push_back(inside.collectives(event, ReplicaId(replica)));
  const std::vector<SlabCollective>& first = listed.front();
  for (std::size_t i = 0; i < first.size(); ++i) {
    Together together(platform);
    for (const std::vector<SlabCollective>& own : listed) {
      ensure(own.size() == first.size() && own[i].operation == first[i].operation &&
                 own[i].hidden == first[i].hidden,
             "joined replicas list the same collectives");
      together.add(own[i]);
    }
    std::vector<SlabStep> steps = std::move(together).steps();
    std::vector<SlabStep>& chain = first[i].hidden ? all.hidden : all.exposed;
    if (!first[i].hidden) all.exposed_time += total(platform, steps);
    std::move(steps.begin(), steps.end(), std::back_inserter(chain));
  }
  return all;
}

std::vector<SlabSteps> slab_steps(const Platform& platform, const Breakdown& inside, const Order& order,
                                  std::uint32_t lanes) {
  std::vector<SlabSteps> steps(order.event_count() * lanes);
  for (std::uint32_t index = 0; index < order.event_count(); ++index) {
    const Event& event = order.event(EventId(index));
    if (!event.computes()) continue;
    for (std::uint32_t lane = 0; lane < lanes; lane += event.joined_replicas)
      steps[std::size_t{index} * lanes + lane] = slab_steps(platform, inside, event, lane);
  }
  return steps;
}

}  // namespace spillway
