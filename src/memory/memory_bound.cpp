#include "memory/memory_bound.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <vector>

#include "timing/order_chains.h"

namespace spillway {
namespace {

constexpr Seconds kUnset(std::numeric_limits<double>::infinity());

// A forward and the pass that ends the life of its activations.
struct Life {
  std::optional<EventId> forward, backward;
};

class MemoryBound {
 public:
  MemoryBound(const Derived& derived, const Footprints& footprints, const Durations& durations)
      : derived_(derived),
        footprints_(footprints),
        durations_(durations),
        needed_(needed_in_every_order(derived.order)),
        head_(chain_heads(derived.order, needed_, durations)),
        tail_(chain_tails(derived.order, needed_, durations)),
        since_first_(durations.events(), durations.lanes()),
        lives_(derived.stages.size(), std::vector<Life>(derived.pipeline.microbatches)) {
    find_chains();
    for (std::uint32_t index = 0; index < derived.order.event_count(); ++index) note(EventId(index));
  }

  StepBound within(Bytes limit) const {
    StepBound bound{};
    for (std::uint32_t lane = 0; lane < durations_.lanes(); ++lane)
      for (std::uint32_t rank = 0; rank < derived_.pipeline.ranks; ++rank)
        if (const Seconds step = of_rank(RankId(rank), lane, limit); step > bound.step)
          bound = {step, RankId(rank), lane};
    return bound;
  }

 private:
  void note(EventId id) {
    const Event& event = derived_.order.event(id);
    if (!event.computes() || event.kind == EventKind::BackwardWeight) return;
    Life& life = lives_[event.stage.index()][event.microbatch.index()];
    if (event.kind == EventKind::ForwardBackward) fused_.push_back(event.rank);
    (event.runs_forward() ? life.forward : life.backward) = id;
  }

  Bytes resting(RankId rank) const {
    Bytes bytes = footprints_.workspace(rank);
    for (std::uint32_t i = 0; i < derived_.stages.size(); ++i)
      if (derived_.stages[i].rank == rank) {
        const ModelState state = footprints_.model_state(StageId(i));
        bytes += state.parameters + state.gradients + state.optimizer;
      }
    return bytes;
  }

  Seconds of_rank(RankId rank, std::uint32_t lane, Bytes limit) const {
    if (std::ranges::find(fused_, rank) != fused_.end()) return {};
    const Bytes room = limit - resting(rank);
    double byte_seconds = 0;
    Seconds first = kUnset, last = kUnset;
    for (std::uint32_t stage = 0; stage < lives_.size(); ++stage) {
      if (derived_.stages[stage].rank != rank || is_transposed(StageId(stage))) continue;
      for (std::uint32_t m = 0; m < lives_[stage].size(); ++m) {
        const Life& life = lives_[stage][m];
        if (!life.forward || !life.backward) continue;
        const Held held = footprints_.held(StageId(stage), MicrobatchId(m), ReplicaId(lane));
        byte_seconds += held.activations.value() * least_life(life, lane).value();
        first = std::min(first, head_.at(*life.forward, lane));
        last = std::min(last, tail_.at(*life.backward, lane));
      }
    }
    // Without room there is no order, and no bound either.
    if (first == kUnset || !(room > Bytes())) return {};
    return first + Seconds(byte_seconds / room.value()) + last;
  }

  bool is_transposed(StageId stage) const {
    return derived_.placement[derived_.stage(stage).region.index()].layout == Layout::Replicated;
  }

  // The forward, the backward, and what runs between them: all of it if one chain joins the two, else the
  // part of the chain before the backward, up to where other events join.
  Seconds least_life(const Life& life, std::uint32_t lane) const {
    const Seconds end = since_first_.at(*life.backward, lane) + durations_.at(*life.backward, lane);
    const bool joined = first_[life.forward->index()] == first_[life.backward->index()];
    return joined ? end - since_first_.at(*life.forward, lane) : end + durations_.at(*life.forward, lane);
  }

  // Finds the first event of each event's chain, in which each needs the one before and nothing else, and the
  // time from its start to the event's.
  void find_chains() {
    for (std::uint32_t index = 0; index < derived_.order.event_count(); ++index) {
      const EventId id(index);
      const auto needed = needed_.of(id);
      first_.push_back(needed.size() == 1 ? first_[needed.front()] : index);
      if (needed.size() != 1) continue;
      const EventId before(needed.front());
      for (std::uint32_t lane = 0; lane < durations_.lanes(); ++lane)
        since_first_.at(id, lane) = since_first_.at(before, lane) + durations_.at(before, lane);
    }
  }

  const Derived& derived_;
  const Footprints& footprints_;
  const Durations& durations_;
  const OrderRows needed_;
  const PerEvent<Seconds> head_, tail_;
  std::vector<std::uint32_t> first_;  // by event: the first of its chain
  PerEvent<Seconds> since_first_;
  std::vector<std::vector<Life>> lives_;  // by stage and microbatch
  std::vector<RankId> fused_;             // that run forwards and backwards together
};

}  // namespace

StepBound memory_bound(const Derived& derived, const Footprints& footprints, const Durations& durations,
                       Bytes limit) {
  return MemoryBound(derived, footprints, durations).within(limit);
}

}  // namespace spillway
