#include "timing/attribution.h"

#include <algorithm>

#include "timing/critical_path.h"
#include "timing/idle_before.h"

namespace spillway {
namespace {

bool is_pipelined(const Outline& derived, const Event& event) {
  return derived.placement[derived.stage(event.stage).region.index()].layout == Layout::Sharded;
}

// Returns true if `awaited` delivers the input of the event's forward.
bool needs_activation(const Event& event, const Event& awaited) {
  if (event.kind != EventKind::ForwardBackward) return event.kind == EventKind::Forward;
  return awaited.kind == EventKind::Collective && awaited.peer_stage == event.stage &&
         awaited.microbatch == event.microbatch;
}

// The computing events of one rank on one lane, in execution order, with the bounds of its pipelined part.
class RankWaits {
 public:
  RankWaits(const Derived& derived, const Timeline& timeline, RankId rank, std::uint32_t lane)
      : derived_(derived), timeline_(timeline), rank_(rank), lane_(lane) {
    for (EventId id : derived.order.nodes(rank)) {
      if (derived.order.event(id).computes()) computing_.push_back(id);
    }
    const auto pipelined = [&](EventId id) { return is_pipelined(derived, derived.order.event(id)); };
    first_ = std::find_if(computing_.begin(), computing_.end(), pipelined) - computing_.begin();
    last_ = computing_.rend() - std::find_if(computing_.rbegin(), computing_.rend(), pipelined);
  }

  BubbleCauses causes(Seconds makespan) const {
    BubbleCauses causes{};
    causes.replica = ReplicaId(lane_);
    causes.rank = rank_;
    Seconds free;
    for (std::ptrdiff_t i = 0; i < std::ssize(computing_); ++i) {
      const EventId id = computing_[static_cast<std::size_t>(i)];
      causes.*cause(i) += timeline_.start.at(id, lane_) - free;
      free = timeline_.end.at(id, lane_);
    }
    causes.drain += makespan - free;
    return causes;
  }

  std::vector<IdleBefore> idle_before() const {
    std::vector<IdleBefore> all;
    for (std::ptrdiff_t i = 0; i < std::ssize(computing_); ++i)
      all.push_back({computing_[static_cast<std::size_t>(i)], cause(i)});
    return all;
  }

 private:
  Seconds BubbleCauses::*cause(std::ptrdiff_t position) const {
    if (position <= first_) return &BubbleCauses::fill;
    if (position >= last_) return &BubbleCauses::drain;
    const EventId id = computing_[static_cast<std::size_t>(position)], before = last_predecessor(id);
    const Event& event = derived_.order.event(id);
    if (event.joined_replicas > 1 && timeline_.end.at(before, lane_) < timeline_.start.at(id, lane_)) {
      return &BubbleCauses::replicas;
    }
    const Event& awaited = derived_.order.event(before);
    if (awaited.transfers() && awaited.rank == rank_) {
      return &BubbleCauses::sending;
    }
    return needs_activation(event, awaited) ? &BubbleCauses::activations : &BubbleCauses::gradients;
  }

  // The predecessor that ends last on this lane.
  EventId last_predecessor(EventId id) const {
    const auto before = derived_.order.predecessors(id);
    return EventId(*std::max_element(before.begin(), before.end(), [&](std::uint32_t a, std::uint32_t b) {
      return timeline_.end.at(EventId(a), lane_) < timeline_.end.at(EventId(b), lane_);
    }));
  }

  const Derived& derived_;
  const Timeline& timeline_;
  RankId rank_;
  std::uint32_t lane_;
  std::vector<EventId> computing_;
  std::ptrdiff_t first_;  // position of the first pipelined event
  std::ptrdiff_t last_;   // position after the last one
};

Seconds& share_of(const Outline& derived, const Event& event, CriticalPathShares& shares) {
  if (event.kind == EventKind::ForwardBackward) return shares.overlapped;
  if (event.kind == EventKind::Collective) return shares.transfers;
  if (!event.computes()) return shares.reductions;
  const bool pipelined = is_pipelined(derived, event);
  if (event.kind == EventKind::Forward) return pipelined ? shares.forward : shares.transposed_forward;
  return pipelined ? shares.backward : shares.transposed_backward;
}

}  // namespace

CriticalPathShares critical_path_shares(const Derived& derived, const Durations& durations,
                                        const Timeline& timeline, const InsideEvent& inside) {
  CriticalPathShares shares{};
  for (const CriticalEvent& at : critical_path(derived.order, timeline)) {
    const Event& event = derived.order.event(at.event);
    share_of(derived, event, shares) += durations.at(at.event, at.lane);
    if (inside && event.computes()) shares.inside += inside(event, ReplicaId(at.lane));
  }
  return shares;
}

std::vector<BubbleCauses> bubble_causes(const Derived& derived, const Timeline& timeline) {
  const Seconds makespan = timeline.makespan();
  std::vector<BubbleCauses> all;
  for (std::uint32_t lane = 0; lane < timeline.end.lanes(); ++lane) {
    for (std::uint32_t rank = 0; rank < derived.order.rank_count(); ++rank) {
      all.push_back(RankWaits(derived, timeline, RankId(rank), lane).causes(makespan));
    }
  }
  return all;
}

std::vector<IdleBefore> idle_before(const Derived& derived, const Timeline& timeline, RankId rank,
                                    ReplicaId replica) {
  return RankWaits(derived, timeline, rank, replica.index()).idle_before();
}

}  // namespace spillway
