// Peak memory against a slow interval sweep: every activation is an interval of time, and the sweep sums all
// intervals that cover each start.
#include <gtest/gtest.h>

#include <algorithm>

#include "memory/peak_memory.h"
#include "rank_program.h"
#include "sizes.h"
#include "support/property.h"
#include "support/random_derivation.h"
#include "timing/longest_path.h"

namespace spillway::testing {
namespace {

struct Interval {
  Seconds start;
  Seconds end;
  Bytes bytes;
};

// The events of one stage and microbatch.
struct Slots {
  std::optional<EventId> forward, backward, input, weight;
};

Slots slots_of(const Derived& derived, StageId stage, MicrobatchId microbatch) {
  Slots slots;
  for (std::uint32_t i = 0; i < derived.order.event_count(); ++i) {
    const Event& event = derived.order.event(EventId(i));
    const bool here = event.computes() && event.stage == stage && event.microbatch == microbatch;
    const bool fused = event.kind == EventKind::ForwardBackward;
    if (here && event.runs_forward()) slots.forward = EventId(i);
    if (here && event.kind == EventKind::Backward) slots.backward = EventId(i);
    if (here && event.kind == EventKind::BackwardInput) slots.input = EventId(i);
    if (here && event.kind == EventKind::BackwardWeight) slots.weight = EventId(i);
    if (fused && event.peer_stage == stage && event.peer_microbatch == microbatch)
      slots.backward = EventId(i);
  }
  return slots;
}

void add_intervals(std::vector<Interval>& all, const Slots& slots, const Held& held, const Timeline& timeline,
                   std::uint32_t lane) {
  const auto start = [&](std::optional<EventId> id) { return timeline.start.at(*id, lane); };
  const auto end = [&](std::optional<EventId> id) { return timeline.end.at(*id, lane); };
  const Seconds never(1e30);
  if (slots.backward) {
    all.push_back({start(slots.forward), end(slots.backward), held.activations});
    all.push_back({start(slots.backward), end(slots.backward), held.recomputed});
  } else if (slots.input) {
    const Bytes larger = std::max(held.activations, held.for_weight_gradient);
    all.push_back({start(slots.forward), start(slots.input), held.activations});
    all.push_back({start(slots.input), end(slots.input), larger + held.recomputed});
    all.push_back({end(slots.input), slots.weight ? end(slots.weight) : never, held.for_weight_gradient});
  } else {
    all.push_back({start(slots.forward), never, held.activations});
  }
}

// Adds the tensors that a rank receives from or for transposed regions, from the start of the transfer to the
// start of the pass that uses them.
void add_received(std::vector<Interval>& all, const Derived& derived, const Footprints& costs,
                  const Timeline& timeline, RankId rank, std::uint32_t lane) {
  for (std::uint32_t i = 0; i < derived.order.event_count(); ++i) {
    const Event& event = derived.order.event(EventId(i));
    const bool seam =
        event.kind == EventKind::Collective && event.comm != Comm::Send && event.comm != Comm::RecvGrad;
    if (!seam || event.peer_rank != rank) continue;
    const Slots slots = slots_of(derived, event.peer_stage, event.microbatch);
    const bool forward = derived.stage(event.stage).region < derived.stage(event.peer_stage).region;
    const EventId until = forward ? *slots.forward : slots.backward ? *slots.backward : *slots.input;
    all.push_back({timeline.start.at(EventId(i), lane), timeline.start.at(until, lane),
                   costs.received(event, ReplicaId(lane))});
  }
}

std::vector<Interval> intervals_of(const Derived& derived, const Footprints& costs, const Timeline& timeline,
                                   RankId rank, std::uint32_t lane) {
  std::vector<Interval> all;
  for (std::uint32_t stage = 0; stage < derived.stages.size(); ++stage) {
    if (derived.stages[stage].rank != rank) continue;
    for (std::uint32_t m = 0; m < derived.pipeline.microbatches; ++m) {
      const Slots slots = slots_of(derived, StageId(stage), MicrobatchId(m));
      if (slots.forward)
        add_intervals(all, slots, costs.held(StageId(stage), MicrobatchId(m), ReplicaId(lane)), timeline,
                      lane);
    }
  }
  add_received(all, derived, costs, timeline, rank, lane);
  return all;
}

// Returns the peak and the time at which it is first reached.
std::pair<Bytes, Seconds> swept(const std::vector<Interval>& intervals) {
  std::pair<Bytes, Seconds> most{Bytes(), Seconds()};
  for (const Interval& at : intervals) {
    Bytes live;
    for (const Interval& other : intervals)
      if (other.start <= at.start && at.start < other.end) live += other.bytes;
    const bool earlier = live == most.first && live > Bytes() && at.start < most.second;
    if (live > most.first || earlier) most = {live, at.start};
  }
  return most;
}

void expect_swept(const Derived& derived, const Sizes& costs) {
  const Timeline timeline = each_a_second(derived);
  const std::vector<PeakMemory> peaks = peak_memory(derived, costs, timeline);
  RC_ASSERT(peaks.size() == std::size_t{derived.order.rank_count()} * derived.pipeline.replicas);
  Bytes most;
  for (const PeakMemory& peak : peaks) most = std::max(most, peak.parts.total());
  RC_ASSERT(most_memory(derived, costs, timeline) == most);
  if (!anything_waits(derived, costs)) RC_ASSERT(most_memory(derived, costs) == most);
  for (const PeakMemory& peak : peaks) {
    const auto [bytes, when] = swept(intervals_of(derived, costs, timeline, peak.rank, peak.replica.index()));
    std::uint32_t stages = 0;
    for (const Stage& stage : derived.stages) stages += stage.rank == peak.rank;
    RC_ASSERT(peak.parts.total() == bytes + costs.state.parameters * stages);
    RC_ASSERT(peak.when == when);
    const auto levels = memory_over_time(derived, costs, timeline, peak.replica)[peak.rank.index()];
    Bytes highest;
    for (const MemoryLevel& level : levels) highest = std::max(highest, level.total);
    RC_ASSERT(highest == peak.parts.total());
    RC_ASSERT(levels.front().total == costs.state.parameters * stages);
  }
}

// Returns whole numbers by stage, microbatch and replica, so that sums are exact in any order.
Held some_bytes(StageId stage, MicrobatchId microbatch, ReplicaId replica) {
  const double a = 1 + (stage.index() * 7 + microbatch.index() * 5 + replica.index() * 3) % 11;
  return {Bytes(2 * a), Bytes(1 + (microbatch.index() + stage.index()) % 17), Bytes((3 * stage.index()) % 4)};
}

// No gradient passes through an input from one beside it.
bool runs_backwards(const Derived& derived, StageId stage) {
  const LayerRange layers = derived.region_of(stage).layers;
  return derived.model.trainable({derived.is_input(stage) ? layers.first : 0, layers.end});
}

// Stages without a backward hold nothing, as in cost models.
RC_GTEST_PROP(IntervalSweep, AgreesOnRandomDerivations, ()) {
  const RandomDerivation random = *random_derivation();
  const Derived derived = random.derived();
  const auto held = [&](StageId stage, MicrobatchId microbatch, ReplicaId replica) {
    return runs_backwards(derived, stage) ? some_bytes(stage, microbatch, replica) : Held();
  };
  Sizes sizes{held, {Bytes(100), Bytes(), Bytes()}};
  sizes.received_of = [](const Event& event, ReplicaId replica) {
    return Bytes((event.microbatch.index() * 5 + event.stage.index() + replica.index()) % 7);
  };
  expect_swept(derived, sizes);
}

// Every third stage states that it holds the same for all microbatches and replicas, so that its first
// microbatch in the first replica alone is queried.
RC_GTEST_PROP(IntervalSweep, StagesThatHoldAlikeAreAskedOnce, ()) {
  const RandomDerivation random = *random_derivation();
  const Derived derived = random.derived();
  const auto alike = [](StageId stage) { return stage.index() % 3 == 0; };
  const auto held = [&](StageId stage, MicrobatchId microbatch, ReplicaId replica) {
    if (!runs_backwards(derived, stage)) return Held();
    return alike(stage) ? some_bytes(stage, MicrobatchId(0), ReplicaId(0))
                        : some_bytes(stage, microbatch, replica);
  };
  Sizes costs{held, {Bytes(100), Bytes(), Bytes()}};
  costs.alike = alike;
  expect_swept(derived, costs);
}

std::size_t below(std::size_t end) {
  return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange<std::size_t>(0, end));
}

// A random program of one rank's two stages. Each turn picks one of the passes that may run: a forward, a
// backward, either half of a backward, or a forward fused with a backward.
class RandomProgram {
 public:
  explicit RandomProgram(std::uint32_t microbatches) {
    for (std::uint32_t i = 0; i < 2 * microbatches; ++i)
      waiting_.push_back(std::to_string(i % 2) + '.' + std::to_string(i / 2 + 1));
  }

  std::string text() {
    std::string program;
    for (std::string turns = possible(); !turns.empty(); turns = possible())
      program += action(turns[below(turns.size())]) + ' ';
    return program;
  }

 private:
  std::string possible() const {
    std::string turns;
    if (!waiting_.empty()) turns += 'F';
    if (!held_.empty()) turns += "BI";
    if (!split_.empty()) turns += 'W';
    if (!waiting_.empty() && !held_.empty()) turns += '&';
    return turns;
  }

  std::string action(char turn) {
    if (turn == 'W') return 'W' + taken_from(split_);
    if (turn == 'B') return 'B' + taken_from(held_);
    if (turn == 'I') return 'I' + split_.emplace_back(taken_from(held_));
    const std::string forward = taken_from(waiting_);
    const std::string fused = turn == '&' ? "&B" + taken_from(held_) : "";
    held_.push_back(forward);
    return 'F' + forward + fused;
  }

  static std::string taken_from(std::vector<std::string>& slots) {
    const auto at = slots.begin() + static_cast<std::ptrdiff_t>(below(slots.size()));
    std::string slot = *at;
    slots.erase(at);
    return slot;
  }

  std::vector<std::string> waiting_, held_, split_;
};

RC_GTEST_PROP(IntervalSweep, AgreesOnSplitAndFusedBackwards, ()) {
  const auto microbatches = static_cast<std::uint32_t>(1 + below(5));
  Derived derived = one_rank(2, RandomProgram(microbatches).text());
  derived.pipeline.microbatches = microbatches;
  expect_swept(derived, {some_bytes, {Bytes(100), Bytes(), Bytes()}});
}

}  // namespace
}  // namespace spillway::testing
