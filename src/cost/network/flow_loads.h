// What the flows of one kind of step load, tier by tier, in shares of n.
#pragma once

#include <algorithm>
#include <vector>

#include "cost/network/collective_algorithms.h"
#include "platform/platform.h"

namespace spillway {

class FlowLoads {
 public:
  explicit FlowLoads(const Platform& platform) : platform_(&platform), tiers_(platform.tiers.size()) {}

  // A flow over the tier carries `pair` of n, and its busiest port `port` of n, itself included.
  void add(std::size_t tier, double pair, double port) {
    tiers_[tier].pair = std::max(tiers_[tier].pair, pair);
    tiers_[tier].port = std::max(tiers_[tier].port, port);
  }
  void add(std::size_t tier, double alone) { add(tier, alone, alone); }

  StepForm step(double count) const;
  // What the collective takes besides its steps (cost/network/collective_algorithms.h).
  Seconds once() const;
  // Of the numbers that step() and once() rest on.
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

}  // namespace spillway
