// The parts that the files of algorithms share: loads of flows for closed forms, and lists of steps. Private
// to src/cost/network.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "cost/network/collective_algorithms.h"
#include "cost/network/collective_layout.h"
#include "cost/network/flat_algorithms.h"

namespace spillway {

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

// The steps of one closed form, while they are added.
struct FormUnderWay {
  std::vector<StepForm> steps = {};
  Seconds once = {};
  Evidence evidence = Evidence::Measured;

  void add(const FlowLoads& loads, double count);
};

// An all-reduce by an algorithm that reduces and scatters, and then gathers, takes both.
constexpr std::size_t passes(CollectiveOperation operation) {
  return operation == CollectiveOperation::AllReduce ? 2 : 1;
}

// Returns true for an all-gather, a reduce-scatter, and an all-reduce, which is both.
constexpr bool gathers_or_scatters(CollectiveOperation operation) {
  using enum CollectiveOperation;
  return operation == AllReduce || operation == AllGather || operation == ReduceScatter;
}

// Returns true if every device has a part of the vector for, or from, every other.
constexpr bool exchanges_parts(CollectiveOperation operation) {
  return gathers_or_scatters(operation) || operation == CollectiveOperation::AllToAll;
}

using Steps = std::vector<CollectiveStep>;

// Returns the steps of a scatter from those of a gather, or the other way round.
Steps backwards(Steps steps);
Steps one_after_the_other(Steps first, const Steps& second);

}  // namespace spillway
