#include "cost/slab_collective.h"

#include "cost/cost_model.h"

namespace spillway {

SlabCollectives::SlabCollectives(const Derived& derived, const Breakdown& breakdown)
    : lanes_(derived.pipeline.replicas), first_{0} {
  for (const Event& event : derived.order.events()) {
    for (std::uint32_t lane = 0; lane < lanes_; ++lane) {
      if (event.computes())
        for (const SlabCollective& collective : breakdown.collectives(event, ReplicaId(lane)))
          all_.push_back(collective);
      first_.push_back(all_.size());
    }
  }
}

std::span<const SlabCollective> SlabCollectives::of(EventId event, std::uint32_t lane) const {
  const std::size_t at = std::size_t{event.index()} * lanes_ + lane;
  return std::span(all_).subspan(first_[at], first_[at + 1] - first_[at]);
}

}  // namespace spillway
