// Times of collective steps on an idle fabric, flow by flow: the slow, obvious version of the closed forms.
#pragma once

#include <algorithm>
#include <map>
#include <vector>

#include "cost/network/collective_algorithms.h"
#include "platform/platform.h"

namespace spillway {

inline Seconds step_time(const Platform& platform, const CollectiveStep& step) {
  std::map<std::pair<DeviceId, std::size_t>, Bytes> leaving, entering;  // by device and port
  for (const StepFlow& flow : step.flows) {
    const std::size_t port = tier_between(platform, flow.from, flow.to).port;
    leaving[{flow.from, port}] += flow.bytes;
    entering[{flow.to, port}] += flow.bytes;
  }
  Seconds slowest;
  for (const StepFlow& flow : step.flows) {
    const Tier& tier = tier_between(platform, flow.from, flow.to);
    Seconds moving = flow.bytes / tier.bandwidth.value;
    if (platform.contention) {
      const BytesPerSecond port = platform.ports[tier.port].bandwidth.value;
      moving = std::max(
          {moving, leaving.at({flow.from, tier.port}) / port, entering.at({flow.to, tier.port}) / port});
    }
    slowest = std::max(slowest, tier.latency_of_a_step().value + moving);
  }
  return slowest;
}

inline Seconds time_of(const Platform& platform, const std::vector<CollectiveStep>& steps) {
  Seconds total, once;
  for (const CollectiveStep& step : steps) {
    total += step_time(platform, step);
    for (const StepFlow& flow : step.flows)
      once = std::max(once, latency_once(tier_between(platform, flow.from, flow.to)));
  }
  return once + total;
}

}  // namespace spillway
