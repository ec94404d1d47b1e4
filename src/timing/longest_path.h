// The gold standard: every event starts the moment its last predecessor ends.
//   start(e) = max over predecessors of end, over the joined replicas too;  end(e) = start(e) + duration(e)
// Linear in edges x lanes. Paper section 3.3. Contract throughout: no duration is negative.
//
// Many lanes pass through the order as a wavefront. Durations come for a stretch of events at a time
// (order/duration_rows.h). Only ends that an event still waits for are kept (path_steps.h): about 2 P for a
// pipeline of P ranks, for any number of microbatches.
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

// Scratch space for the ends that are live during a pass, by row and not by event. The caller keeps it, so
// that the next pass need not allocate.
using LiveEnds = PerEvent<Seconds>;

// The results of a pass for each lane.
struct PathEnding {
  std::vector<Seconds> last;     // when its last event ends
  PerEvent<Seconds> start, end;  // of the watched events, in their order
  AlignedVector<double> busy;    // busy time, a row for each rank; empty unless asked for
};

enum class Busy { Uncounted, Counted };

// The order as flat arrays, prepared once and evaluated under many durations.
class LongestPath {
 public:
  // `replicas` limits the path to that many neighbouring replicas: an event that joins more waits only for
  // these. A pass returns start and end of the computing events in `watched`, which ascend.
  explicit LongestPath(const Order& order, std::uint32_t replicas = std::numeric_limits<std::uint32_t>::max(),
                       std::span<const EventId> watched = {});
  // The same order with other `replicas` and `watched`; it shares everything that does not depend on them.
  LongestPath(const LongestPath& same, const Order& order, std::uint32_t replicas,
              std::span<const EventId> watched);

  // The plain recurrence, event by event and lane by lane: the oracle. Contract: durations cover the order's
  // events; joined events have equal durations on the lanes they join, and their joined_replicas divides the
  // lanes.
  Timeline timeline(const Durations& durations) const;

  // The makespan alone, by flat loops, equal to the oracle's to the last bit.
  Seconds makespan(const Durations& durations, LiveEnds& ends) const;

  // The makespans of many draws in one pass: one for each group of `group` consecutive lanes, such as a
  // draw's replicas. Each equals makespan() of the group alone, to the last bit. Lanes are processed a few at
  // a time. Contract: `group` divides the lanes and is a multiple of every joined_replicas.
  std::vector<Seconds> makespans(const Durations& durations, std::uint32_t group, LiveEnds& ends) const;

  // Runs all lanes of `rows` at once, by the same loops. A single lane stands for all that it joins.
  // Contract: the lanes are a multiple of every joined_replicas.
  PathEnding run(DurationRows& rows, LiveEnds& ends, const LaneLoops& loops = fastest_loops(),
                 Busy busy = Busy::Uncounted) const;

 private:
  // An event that the loops do not handle: more than two predecessors, joined replicas, or a watched start.
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
  std::uint32_t lane_multiple_ = 1;  // a multiple of every joined_replicas
};

}  // namespace spillway
