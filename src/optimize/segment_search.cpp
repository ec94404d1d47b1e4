// Climbs from the order of interleaved 1F1B. Each try runs one greedy step (segment_step.h), whose graph is
// known only after it has run.
//
// Source: DIP (arXiv 2504.14145), online planning: search over segment order, greedy dual-queue interleaving.
// Test: tests/systems/segment_search_test.cpp, against the same search by a plain simulation.
#include "optimize/segment_search.h"

#include <algorithm>
#include <utility>

#include "base/exact_sum.h"
#include "optimize/segment_step.h"
#include "schedule/placed_orders.h"
#include "workload/random_stream.h"

namespace spillway {
namespace {

// Returns the forwards in the order in which interleaved 1F1B takes them on the first rank. Items are
// numbered through all segments.
std::vector<std::uint32_t> by_position(const SegmentShape& shape) {
  std::vector<std::uint32_t> first{0};  // item of each segment
  for (std::uint32_t s = 0; s < shape.segments; ++s) first.push_back(first.back() + shape.items(s));
  std::vector<std::uint32_t> items;
  const std::vector<RankOrder> orders = interleaved_wholes(shape);
  for (const Slot& slot : orders.front()) {
    if (slot.action != Action::Forward) continue;
    const std::uint32_t count = shape.items_of_one(slot.chunk);
    for (std::uint32_t i = 0; i < count; ++i)
      items.push_back(first[slot.chunk] + slot.microbatch.index() * count + i);
  }
  return items;
}

// An order of forwards. A change exchanges two of them.
class ForwardOrder {
 public:
  explicit ForwardOrder(const SegmentShape& shape)
      : items_(by_position(shape)), priorities_(items_.size()), round_(shape.ranks * items_of_one(shape)) {
    for (std::uint32_t place = 0; place < items_.size(); ++place) priorities_[items_[place]] = place;
  }

  // Priorities by item.
  const std::vector<std::uint32_t>& priorities() const { return priorities_; }

  // Picks two places at random, at most P microbatches apart: the effect of such a change ends sooner than
  // that of any two places, and tells as much. Picks one place twice if there is only one.
  std::pair<std::uint32_t, std::uint32_t> pick() {
    const auto places = static_cast<std::uint32_t>(items_.size());
    const std::uint32_t farthest = std::min(round_, places - 1);
    const std::uint32_t apart = farthest > 0 ? 1 + below(farthest) : 0;
    const std::uint32_t first = below(places - apart);
    return {first, first + apart};
  }
  void exchange(std::uint32_t one, std::uint32_t other) {
    std::swap(items_[one], items_[other]);
    std::swap(priorities_[items_[one]], priorities_[items_[other]]);
  }

 private:
  static std::uint32_t items_of_one(const SegmentShape& shape) {
    std::uint32_t items = 0;
    for (std::uint32_t s = 0; s < shape.segments; ++s) items += shape.items_of_one(s);
    return items;
  }
  std::uint32_t below(std::uint32_t count) {
    return std::min(static_cast<std::uint32_t>(random_.uniform() * count), count - 1);
  }

  std::vector<std::uint32_t> items_, priorities_;  // by place; by item
  std::uint32_t round_;                            // places that P microbatches take
  RandomStream random_{{20260427}};
};

// Means over draws and replicas.
class MeanTimes {
 public:
  MeanTimes(const SegmentShape& shape, const Derived& derived, const CostModels& models)
      : shape_(shape), derived_(derived), models_(models) {}

  SegmentTimes times() const {
    SegmentTimes all{{}, {}, transfer()};
    for (std::uint32_t s = 0; s < shape_.segments; ++s) {
      auto& forward = all.forward.emplace_back(shape_.ranks);
      auto& backward = all.backward.emplace_back(shape_.ranks);
      for (std::uint32_t rank = 0; rank < shape_.ranks; ++rank)
        for (std::uint32_t item = 0; item < shape_.items(s); ++item) {
          forward[rank].push_back(pass(Pass::Forward, s, rank, item));
          backward[rank].push_back(pass(Pass::Backward, s, rank, item));
        }
    }
    return all;
  }

 private:
  // Sums the parts that the item stands for.
  Seconds pass(Pass which, std::uint32_t segment, std::uint32_t rank, std::uint32_t item) const {
    const StageId stage(segment * shape_.ranks + rank);
    const std::uint32_t parts = shape_.parts / shape_.items_of_one(segment);
    ExactSum sum;
    for (std::uint32_t part = item * parts; part < (item + 1) * parts; ++part)
      for (const auto& model : models_)
        for (std::uint32_t replica = 0; replica < derived_.pipeline.replicas; ++replica)
          sum.add(model->pass(which, stage, MicrobatchId(part), ReplicaId(replica)));
    return Seconds(sum.over(static_cast<double>(models_.size()) * derived_.pipeline.replicas));
  }

  Seconds transfer() const {
    Seconds sum;
    double count = 0;
    for (const Event& event : derived_.order.events()) {
      if (!event.transfers()) continue;
      sum += models_.front()->transfer(event, ReplicaId(0)).alone;
      ++count;
    }
    return count > 0 ? sum / count : sum;
  }

  const SegmentShape& shape_;
  const Derived& derived_;
  const CostModels& models_;
};

}  // namespace

std::vector<RankOrder> searched_segments(const SegmentShape& shape, const SegmentTimes& times,
                                         std::uint32_t tries) {
  SegmentStep step(shape, times);
  ForwardOrder order(shape);
  Seconds least = step.run(order.priorities());
  step.keep();
  for (std::uint32_t tried = 0; tried < tries; ++tried) {
    const auto [one, other] = order.pick();
    order.exchange(one, other);
    if (const Seconds end = step.run(order.priorities(), least); end < least) {
      least = end;
      step.keep();
    } else {
      order.exchange(one, other);
    }
  }
  return step.orders();
}

std::uint32_t affordable_tries(const SegmentShape& shape) {
  double items = 0;
  for (std::uint32_t s = 0; s < shape.segments; ++s) items += shape.items(s);
  const double each = items * shape.ranks * shape.ranks;
  return static_cast<std::uint32_t>(std::clamp(4e6 / each, 4.0, 48.0));
}

Schedule searched_schedule(const SegmentRule& rule, const Derived& derived, const CostModels& models) {
  const auto [ranks, microbatches, replicas] = derived.pipeline;
  const SegmentShape shape{ranks, microbatches / rule.parts, rule.segments(), rule.of_modules.front(),
                           rule.parts};
  std::vector<RankOrder> orders =
      searched_segments(shape, MeanTimes(shape, derived, models).times(), affordable_tries(shape));
  const PlacedOrders& placed = **derived.schedule.skeletons.front().listed;
  return {{listed_skeleton({placed.stage_rank, std::move(orders)})}};
}

}  // namespace spillway
