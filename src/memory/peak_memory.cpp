#include "memory/peak_memory.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "cost/slabs/footprint.h"
#include "derive/derive.h"
#include "memory/lifetime.h"
#include "timing/timeline.h"

namespace spillway {
namespace {

// Data that has arrived at a rank and waits for its pass: an output of a transposed region, or a gradient
// that returns to one.
struct Arrival {
  Seconds since;  // the start of its transfer, which writes it
  Bytes bytes;
  EventId taken_by;  // the computing event whose start ends the wait
};

// The pass of this step that receives a transfer; none if the transfer is for the next step.
std::optional<EventId> receiver_of(const Order& order, EventId transfer) {
  const Event& sent = order.event(transfer);
  for (const std::uint32_t successor : order.successors(transfer)) {
    const Event& event = order.event(EventId(successor));
    const bool works_on = event.microbatch == sent.microbatch || event.peer_microbatch == sent.microbatch;
    if (event.computes() && event.rank == sent.peer_rank && works_on) return EventId(successor);
  }
  return std::nullopt;
}

// The pass of this step that takes the data that the same transfer brought in the step before.
EventId taker_of(const Order& order, const Event& sent) {
  for (const EventId id : order.nodes(sent.peer_rank)) {
    const Event& event = order.event(id);
    if (event.runs_forward() && event.stage == sent.peer_stage && event.microbatch == sent.microbatch)
      return id;
  }
  throw ContractBreach("a transfer has a receiver");
}

// The backward, on the receiving rank, that uses the encoder's input.
EventId backward_of(const Derived& derived, const Event& sent) {
  for (const EventId id : derived.order.nodes(sent.peer_rank)) {
    const Event& event = derived.order.event(id);
    const bool is_backward = event.kind == EventKind::Backward || event.kind == EventKind::BackwardInput;
    if (is_backward && event.microbatch == sent.microbatch &&
        derived.stage(event.stage).region == derived.stage(sent.stage).region)
      return id;
  }
  throw ContractBreach("what is sent for a backward has one");
}

std::uint32_t end_of_step(const Order& order) {
  std::uint32_t end = 0;
  while (order.event(EventId(end)).kind != EventKind::StepBarrier) ++end;
  return end;
}

bool crosses_a_transposed_seam(const Event& event) {
  return event.kind == EventKind::Collective && (event.comm == Comm::Gather || event.comm == Comm::Scatter);
}

// Arrivals by rank, in order of time: all data that crosses a seam of a transposed region, on the rank that
// stores it. Data sent for the next step waits until this step ends; data of the step before waits from this
// step's beginning. Linear in the events, except for the sorting. Contract: `timeline` runs `derived`.
std::vector<std::vector<Arrival>> arrivals(const Derived& derived, const Footprints& footprints,
                                           const Timeline& timeline, ReplicaId replica) {
  std::vector<std::vector<Arrival>> by_rank(derived.order.rank_count());
  for (std::uint32_t index = 0; index < derived.order.event_count(); ++index) {
    const Event& event = derived.order.event(EventId(index));
    if (!crosses_a_transposed_seam(event)) continue;
    const std::optional<EventId> receiver = receiver_of(derived.order, EventId(index));
    const Seconds since = timeline.start.at(EventId(index), replica.index());
    const Bytes bytes = footprints.received(event, replica);
    const auto add = [&](Seconds from, EventId taken_by) {
      if (bytes > Bytes() && from < timeline.start.at(taken_by, replica.index()))
        by_rank[event.peer_rank.index()].push_back({from, bytes, taken_by});
    };
    if (receiver) {
      add(since, *receiver);
      if (const Bytes input = footprints.received_input(event, replica); input > Bytes())
        by_rank[event.peer_rank.index()].push_back({since, input, backward_of(derived, event)});
    } else {
      add(Seconds(), taker_of(derived.order, event));
      add(since, EventId(end_of_step(derived.order)));
    }
  }
  for (auto& own : by_rank)
    std::stable_sort(own.begin(), own.end(),
                     [](const Arrival& a, const Arrival& b) { return a.since < b.since; });
  return by_rank;
}

std::vector<ModelState> states_by_rank(const Outline& derived, const Footprints& footprints) {
  std::vector<ModelState> states(derived.pipeline.ranks);
  for (std::uint32_t i = 0; i < derived.stages.size(); ++i)
    states[derived.stages[i].rank.index()] += footprints.model_state(StageId(i));
  return states;
}

// By rank: the memory that it holds outside of computing events.
std::vector<MemoryParts> resting_parts(const Outline& derived, const Footprints& footprints) {
  std::vector<MemoryParts> resting;
  for (const ModelState& state : states_by_rank(derived, footprints)) {
    const RankId rank(static_cast<std::uint32_t>(resting.size()));
    resting.push_back({.state = state, .workspace = footprints.workspace(rank)});
  }
  return resting;
}

// By rank: true if its stages hold different amounts for different microbatches or replicas.
std::vector<bool> ranks_that_differ(const Outline& derived, const Footprints& footprints) {
  std::vector<bool> differ(derived.pipeline.ranks, false);
  for (std::uint32_t stage = 0; stage < derived.stages.size(); ++stage)
    if (!footprints.holds_alike(StageId(stage))) differ[derived.stages[stage].rank.index()] = true;
  return differ;
}

// Caches the activations of one replica's stages: one entry for a stage that holds the same for all
// microbatches, else one per microbatch.
class HeldTable {
 public:
  HeldTable(const Outline& derived, const Footprints& footprints, ReplicaId replica)
      : footprints_(footprints), replica_(replica) {
    for (std::uint32_t i = 0; i < derived.stages.size(); ++i)
      known_.emplace_back(footprints.holds_alike(StageId(i)) ? 1 : derived.pipeline.microbatches);
  }

  const Held& operator()(StageId stage, MicrobatchId microbatch) {
    std::vector<std::optional<Held>>& known = known_[stage.index()];
    if (known.size() == 1) microbatch = MicrobatchId(0);
    std::optional<Held>& held = known[microbatch.index()];
    if (!held) held = footprints_.held(stage, microbatch, replica_);
    return *held;
  }

 private:
  const Footprints& footprints_;
  ReplicaId replica_;
  std::vector<std::vector<std::optional<Held>>> known_;  // by stage and microbatch
};

// The parts of a rank's memory that change over a step.
struct Moving {
  Bytes activations, transposed, waiting, working, workspace;

  explicit Moving(const MemoryParts& parts)
      : activations(parts.activations),
        transposed(parts.transposed),
        waiting(parts.waiting),
        working(parts.working),
        workspace(parts.workspace) {}

  Bytes beside(Bytes state) const { return state + activations + transposed + waiting + working + workspace; }
  MemoryParts beside(const ModelState& state) const {
    return {state, activations, transposed, waiting, working, workspace};
  }
};

Bytes total(const ModelState& state) {
  return MemoryParts{.state = state}.total();
}

// Calls visit(event, during, after) for each computing event of a rank.
template <class Visit>
void walk(const Derived& derived, HeldTable& held_of, RankId rank, const MemoryParts& resting, Visit visit) {
  Moving live(resting);
  const auto part_of = [&](StageId stage) -> Bytes& {
    const Layout layout = derived.placement[derived.stage(stage).region.index()].layout;
    return layout == Layout::Sharded ? live.activations : live.transposed;
  };
  for (EventId id : derived.order.nodes(rank)) {
    const Event& event = derived.order.event(id);
    if (!event.computes()) continue;
    const auto both = changes_of(event, held_of);
    const auto changes = std::span(both).first(event.kind == EventKind::ForwardBackward ? 2 : 1);
    for (const Change& change : changes) part_of(change.stage) += change.at_start;
    Moving during = live;
    for (const Change& change : changes) {
      during.working += change.meanwhile;
      during.workspace += change.workspace;
      part_of(change.stage) += change.at_end;
    }
    visit(id, during, live);
  }
}

// Walks through a rank's time: its own events, and arrivals, which wait until the start of the event that
// takes them. Calls level(since, parts) whenever the memory may have changed.
template <class Level>
class ClockWalk {
 public:
  ClockWalk(const Timeline& timeline, ReplicaId replica, const std::vector<Arrival>& arrivals, Level level)
      : timeline_(timeline), lane_(replica.index()), arrivals_(arrivals), level_(level) {}

  void rest(const MemoryParts& resting) { set(Seconds(), Moving(resting)); }

  // Handles arrivals after the rank's last event, which are for the next step.
  void end() { arrive_before(Seconds(std::numeric_limits<double>::infinity())); }

  void operator()(EventId event, const Moving& during, const Moving& after) {
    const Seconds start = timeline_.start.at(event, lane_);
    arrive_before(start);
    if (const auto taken = waiting_for(event); taken != waiting_for_.end()) {
      waiting_ -= taken->bytes;
      waiting_for_.erase(taken);
    }
    set(start, during);
    const Seconds end = timeline_.end.at(event, lane_);
    arrive_before(end);
    set(end, after);
  }

 private:
  struct Waiting {
    EventId taken_by;
    Bytes bytes;
  };

  auto waiting_for(EventId taken_by) {
    return std::find_if(waiting_for_.begin(), waiting_for_.end(),
                        [&](const Waiting& one) { return one.taken_by == taken_by; });
  }

  void arrive_before(Seconds time) {
    for (; next_ < arrivals_.size() && arrivals_[next_].since < time; ++next_) {
      const Arrival& arrival = arrivals_[next_];
      waiting_ += arrival.bytes;
      if (const auto known = waiting_for(arrival.taken_by); known != waiting_for_.end())
        known->bytes += arrival.bytes;
      else
        waiting_for_.push_back({arrival.taken_by, arrival.bytes});
      set(arrival.since, held_);
    }
  }

  void set(Seconds since, const Moving& held) {
    held_ = held;
    held_.waiting = waiting_for_.empty() ? Bytes() : waiting_;
    level_(since, held_);
  }

  const Timeline& timeline_;
  std::uint32_t lane_;
  const std::vector<Arrival>& arrivals_;
  Level level_;
  std::size_t next_ = 0;
  Moving held_{MemoryParts()};
  Bytes waiting_;
  std::vector<Waiting> waiting_for_;  // few at a time
};

}  // namespace

std::vector<std::vector<MemoryLevel>> memory_over_time(const Derived& derived, const Footprints& footprints,
                                                       const Timeline& timeline, ReplicaId replica) {
  std::vector<std::vector<MemoryLevel>> levels;
  HeldTable held(derived, footprints, replica);
  const auto arriving = arrivals(derived, footprints, timeline, replica);
  for (const MemoryParts& resting : resting_parts(derived, footprints)) {
    const RankId rank(static_cast<std::uint32_t>(levels.size()));
    std::vector<MemoryLevel>& of_rank = levels.emplace_back();
    ClockWalk on_clock(timeline, replica, arriving[rank.index()],
                       [&, state = total(resting.state)](Seconds since, const Moving& moving) {
                         of_rank.push_back({since, moving.beside(state)});
                       });
    on_clock.rest(resting);
    walk(derived, held, rank, resting, std::ref(on_clock));
    on_clock.end();
  }
  return levels;
}

std::vector<Bytes> most_by_slice(const std::vector<MemoryLevel>& levels, Seconds span, std::size_t slices) {
  std::vector<Bytes> most;
  std::size_t at = 0;
  const auto time_of = [&](std::size_t slice) {
    return span * (static_cast<double>(slice) / static_cast<double>(slices));
  };
  for (std::size_t slice = 0; slice < slices; ++slice) {
    while (at + 1 < levels.size() && levels[at + 1].since <= time_of(slice)) ++at;
    most.push_back(levels[at].total);
    while (at + 1 < levels.size() && levels[at + 1].since < time_of(slice + 1))
      most.back() = std::max(most.back(), levels[++at].total);
  }
  return most;
}

std::vector<PeakMemory> peak_memory(const Derived& derived, const Footprints& footprints,
                                    const Timeline& timeline) {
  const std::vector<MemoryParts> resting = resting_parts(derived, footprints);
  std::vector<PeakMemory> peaks;
  for (std::uint32_t lane = 0; lane < derived.pipeline.replicas; ++lane) {
    HeldTable held(derived, footprints, ReplicaId(lane));
    const auto arriving = arrivals(derived, footprints, timeline, ReplicaId(lane));
    for (std::uint32_t rank = 0; rank < resting.size(); ++rank) {
      PeakMemory peak{ReplicaId(lane), RankId(rank), resting[rank], Seconds()};
      const Bytes state = total(resting[rank].state);
      Bytes most = resting[rank].total();
      ClockWalk on_clock(timeline, ReplicaId(lane), arriving[rank], [&](Seconds since, const Moving& moving) {
        if (moving.beside(state) <= most) return;
        most = moving.beside(state);
        peak.parts = moving.beside(resting[rank].state);
        peak.when = since;
      });
      on_clock.rest(resting[rank]);
      walk(derived, held, RankId(rank), resting[rank], std::ref(on_clock));
      on_clock.end();
      peaks.push_back(peak);
    }
  }
  return peaks;
}

Bytes most_memory(const Derived& derived, const Footprints& footprints, const Timeline& timeline) {
  Bytes most;
  for (const PeakMemory& peak : peak_memory(derived, footprints, timeline))
    most = std::max(most, peak.parts.total());
  return most;
}

bool anything_waits(const Derived& derived, const Footprints& footprints) {
  for (const Event& event : derived.order.events()) {
    if (!crosses_a_transposed_seam(event)) continue;
    for (std::uint32_t replica = 0; replica < derived.pipeline.replicas; ++replica)
      if (footprints.received(event, ReplicaId(replica)) > Bytes()) return true;
  }
  return false;
}

Bytes most_memory(const Derived& derived, const Footprints& footprints) {
  const std::vector<MemoryParts> resting = resting_parts(derived, footprints);
  const std::vector<bool> differ = ranks_that_differ(derived, footprints);
  const bool any_differs = std::find(differ.begin(), differ.end(), true) != differ.end();
  Bytes most;
  for (std::uint32_t replica = 0; replica < (any_differs ? derived.pipeline.replicas : 1); ++replica) {
    HeldTable held(derived, footprints, ReplicaId(replica));
    for (std::uint32_t rank = 0; rank < resting.size(); ++rank) {
      if (replica > 0 && !differ[rank]) continue;
      const Bytes state = total(resting[rank].state);
      most = std::max(most, resting[rank].total());
      walk(derived, held, RankId(rank), resting[rank], [&](EventId, const Moving& during, const Moving&) {
        most = std::max(most, during.beside(state));
      });
    }
  }
  return most;
}

}  // namespace spillway
