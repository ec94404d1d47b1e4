#include "optimize/segment_plan.h"

#include "base/exact_sum.h"
#include "optimize/segment_search.h"
#include "schedule/placed_orders.h"

namespace spillway {
namespace {

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
  // Of every part that the item stands for.
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
