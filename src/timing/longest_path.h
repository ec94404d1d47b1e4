// The gold standard: every event starts the moment its last predecessor ends.
//   start(e) = max over predecessors of end, over the joined replicas too;  end(e) = start(e) + duration(e)
// Linear in edges x lanes. Paper section 3.3. Contract throughout: no duration is negative.
//
// Many lanes go through the order as a wavefront: durations come a stretch of events at a time
// (order/duration_rows.h), and of the ends only those that something still waits for are kept
// (path_steps.h), which for a pipeline of P ranks are about 2 P, however many microbatches it has.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "order/duration_rows.h"
#include "order/order.h"
#include "timing/lane_loops.h"
#include "timing/timeline.h"

namespace spillway {

// The ends that are alive during a pass, kept by the caller so that the next one finds room: by row, not by
// event.
using LiveEnds = PerEvent<Seconds>;

// What a pass says of each lane.
struct PathEnding {
  std::vector<Seconds> last;     // when its last event ends
  PerEvent<Seconds> start, end;  // of the watched events, in their order
  AlignedVector<double> busy;    // what each rank computes, a row each; none unless asked for
};

enum class Busy { Uncounted, Counted };

// The order as flat arrays, prepared once and evaluated under many durations.
class LongestPath {
 public:
  // With `replicas`, of that many neighbours by themselves: an event that joins more waits for these alone.
  // Of the computing events in `watched`, ascending, a pass says when they start and end.
  explicit LongestPath(const Order& order, std::uint32_t replicas = std::numeric_limits<std::uint32_t>::max(),
                       std::span<const EventId> watched = {});
  // Of the same order, what does not depend on the rest being shared.
  LongestPath(const LongestPath& same, const Order& order, std::uint32_t replicas,
              std::span<const EventId> watched);

  // The plain recurrence, event by event and lane by lane: the oracle. Contract: durations cover the order's
  // events; joined events have equal durations on the lanes they join, and their joined_replicas divides the
  // lanes.
  Timeline timeline(const Durations& durations) const;

  // The makespan alone, by flat loops, equal to the oracle's to the last bit.
  Seconds makespan(const Durations& durations, LiveEnds& ends) const;

  // Many draws in one pass: the makespan of each group of `group` consecutive lanes, a draw's replicas say,
  // equal to what makespan() says of the group alone, to the last bit. Lanes are taken a few at a time.
  // Contract: `group` divides the lanes and is a multiple of every joined_replicas.
  std::vector<Seconds> makespans(const Durations& durations, std::uint32_t group, LiveEnds& ends) const;

  // All lanes of `rows` at once, by the same loops. A lane by itself stands for all that it joins. Contract:
  // the lanes are a multiple of every joined_replicas.
  PathEnding run(DurationRows& rows, LiveEnds& ends, const LaneLoops& loops = fastest_loops(),
                 Busy busy = Busy::Uncounted) const;

 private:
  // What the loops cannot: more than two predecessors, joined replicas, a start that is watched.
  struct Special {
    std::uint32_t event;
    std::uint32_t joined;
    bool watched;
  };

  class Shape;

  void find_special(const Order& order, std::uint32_t replicas, std::span<const EventId> watched);
  Seconds ready_at(EventId event, std::uint32_t first_lane, std::uint32_t joined,
                   const PerEvent<Seconds>& ends) const;
  void check(const Durations& durations) const;
  std::uint32_t event_count() const;

  class Pass;

  std::shared_ptr<const Shape> shape_;
  std::vector<Special> special_;  // by event
  std::uint32_t watched_ = 0;
  std::uint32_t lane_multiple_ = 1;  // lanes come in multiples of every joined_replicas
};

}  // namespace spillway
