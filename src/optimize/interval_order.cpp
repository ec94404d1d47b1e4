// MicrobatchOrder::FillIntervals, after DistTrain's inter-microbatch reordering (arXiv 2408.04275). Forwards
// of the first stage, which is usually an encoder's, fill its waits between backwards. DistTrain's algorithm
// was not available: the idea is theirs, the closed forms of the intervals are ours.
//
//   stage 0  F1 | F2 F3 F4 . B1 | F5 . B2 | F6 B3 | . B4 | . B5 | . B6
//                 the first        one each           none left
//
// With four stages, three forwards fill the first interval, and one forward fills each later one.
//
// 1. The lightest microbatch comes first, so that all stages begin soon. 2. The next lightest, one for each
// stage but the first, come last: no forward fills their intervals. 3. Each place between them takes the
// microbatch whose forward is nearest to its interval. The first interval is the forward and backward time of
// the other stages for a microbatch, divided among its forwards. A later interval is the forward and backward
// time of the slowest of these stages, without the previous backward of the first stage. Microbatches of
// equal time stay as sampled. With one stage there are no waits, and microbatches stay as sampled. Takes
// O(M^2 + M x stages) for each replica. Test: tests/systems/reordering_test.cpp.
#include <algorithm>
#include <set>
#include <utility>

#include "optimize/microbatch_rules.h"

namespace spillway {
namespace {

// Returns one stage for each step of a microbatch through the pipelined regions, input first.
std::vector<StageId> pipelined_way(const Outline& derived) {
  std::vector<StageId> way;
  std::set<std::pair<std::uint32_t, std::uint32_t>> known;
  for (std::uint32_t id = 0; id < derived.stages.size(); ++id) {
    const Stage& stage = derived.stages[id];
    if (derived.placement[stage.region.index()].layout != Layout::Sharded) continue;
    if (known.emplace(stage.region.index(), stage.index).second) way.emplace_back(id);
  }
  return way;
}

Permutation in_turn(std::uint32_t microbatches) {
  Permutation order;
  for (std::uint32_t m = 0; m < microbatches; ++m) order.emplace_back(m);
  return order;
}

// The times of a microbatch in the first stage and in those behind it.
struct WayTimes {
  Seconds forward, backward;
  Seconds behind;   // forward and backward of the stages behind the first
  Seconds slowest;  // forward and backward of the slowest stage behind the first
};

WayTimes way_times(const std::vector<StageId>& way, const Pricing& pricing, MicrobatchId m,
                   ReplicaId replica) {
  WayTimes times;
  for (const StageId stage : way) {
    const Seconds forward = pricing.pass(Pass::Forward, stage, m, replica);
    const Seconds backward = pricing.pass(Pass::Backward, stage, m, replica);
    if (stage == way.front()) {
      times.forward = forward;
      times.backward = backward;
      continue;
    }
    times.behind += forward + backward;
    times.slowest = std::max(times.slowest, forward + backward);
  }
  return times;
}

class IntervalOrder {
 public:
  // Contract: at least two stages.
  IntervalOrder(std::vector<WayTimes> times, std::size_t stages) : times_(std::move(times)), stages_(stages) {
    for (std::uint32_t m = 0; m < times_.size(); ++m) left_.push_back(m);
  }

  Permutation order() && {
    take(lightest());
    const std::vector<std::uint32_t> last = reserve_last();
    while (!left_.empty()) take(nearest(interval()));
    for (const std::uint32_t m : last) order_.emplace_back(m);
    return std::move(order_);
  }

 private:
  const WayTimes& at(std::size_t place) const { return times_[order_[place].index()]; }

  std::uint32_t lightest() const {
    return *std::ranges::min_element(left_, {}, [&](std::uint32_t m) { return times_[m].forward; });
  }

  // Takes out the lightest microbatches and returns them, heavier ones first. Among equals, it takes those
  // sampled last.
  std::vector<std::uint32_t> reserve_last() {
    std::vector<std::uint32_t> last(left_.rbegin(), left_.rend());
    std::ranges::stable_sort(last, {}, [&](std::uint32_t m) { return times_[m].forward; });
    last.resize(std::min(last.size(), stages_ - 1));
    std::ranges::reverse(last);
    for (const std::uint32_t m : last) std::erase(left_, m);
    return last;
  }

  // Returns the time that the next forward is to fill.
  Seconds interval() const {
    const std::size_t place = order_.size();
    if (place >= stages_) {
      const std::size_t returning = place - stages_ + 1;
      return at(returning).slowest - at(returning - 1).backward;
    }
    Seconds open = at(0).behind;
    for (std::size_t filled = 1; filled < place; ++filled) open -= at(filled).forward;
    return open / static_cast<double>(stages_ - place);
  }

  std::uint32_t nearest(Seconds interval) const {
    return *std::ranges::min_element(left_, {}, [&](std::uint32_t m) {
      return std::max(times_[m].forward - interval, interval - times_[m].forward);
    });
  }

  void take(std::uint32_t m) {
    order_.emplace_back(m);
    std::erase(left_, m);
  }

  std::vector<WayTimes> times_;  // by microbatch
  std::size_t stages_;
  std::vector<std::uint32_t> left_;  // ascending
  Permutation order_;
};

}  // namespace

std::vector<Permutation> order_for_intervals(const Outline& derived, const Pricing& pricing) {
  const std::vector<StageId> way = pipelined_way(derived);
  if (way.size() < 2) return std::vector(derived.pipeline.replicas, in_turn(derived.pipeline.microbatches));
  std::vector<Permutation> orders(derived.pipeline.replicas);
  for (std::uint32_t replica = 0; replica < orders.size(); ++replica) {
    std::vector<WayTimes> times;
    for (std::uint32_t m = 0; m < derived.pipeline.microbatches; ++m)
      times.push_back(way_times(way, pricing, MicrobatchId(m), ReplicaId(replica)));
    orders[replica] = IntervalOrder(std::move(times), way.size()).order();
  }
  return orders;
}

}  // namespace spillway
