// The figures of a step from flat loops over many lanes: what sweeps live on.
// Tests: tests/timing/step_figures_test.cpp, against the figures of each lane's timeline.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "derive/derive.h"
#include "timing/longest_path.h"
#include "timing/step_figures.h"
#include "timing/warm_up.h"

namespace spillway {

// A lane with the transposed work free.
struct FreeLane {
  Seconds end;                 // of its last event
  std::vector<Seconds> slack;  // w_r by rank
};

// An order prepared for many passes. Const methods may be called from several threads at once.
class LaneEvaluator {
 public:
  explicit LaneEvaluator(const Derived& derived);

  // Is there transposed work that a step may be rid of?
  bool spills() const { return warm_up_.has_value(); }

  // Of each lane, a few at a time. `free` are those with the transposed work free, a single one standing for
  // all; none where nothing spills. `ends` is scratch space, kept by the caller from block to block. Fastest
  // for eight lanes or so, whose durations stay in a near cache. Contract: the lanes are a multiple of the
  // joined_replicas of every computing event. Those that meet at reductions alone may be told apart: the step
  // ends with the last of them either way.
  std::vector<LaneFigures> figures(const Durations& counted, std::span<const FreeLane> free,
                                   PerEvent<Seconds>& ends) const;
  // Of durations with the transposed work free, a lane by itself or as above.
  std::vector<FreeLane> free_lanes(const Durations& free, PerEvent<Seconds>& ends) const;

 private:
  // In execution order.
  struct RankEvents {
    std::vector<EventId> computing;
    std::vector<EventId> encoding;  // of those, forwards of the transposed region
    std::uint32_t first_joined;     // replicas that start the first one together
  };
  static RankEvents events_of(const Derived& derived, RankId rank);
  void run_free(const Durations& durations, std::uint32_t first, std::span<FreeLane> lanes,
                PerEvent<Seconds>& ends) const;
  void run_counted(const Durations& counted, std::uint32_t first, std::span<const FreeLane> free,
                   std::span<LaneFigures> lanes, PerEvent<Seconds>& ends) const;
  void share_of(const RankEvents& rank, const Durations& counted, std::uint32_t first,
                const PerEvent<Seconds>& ends, std::vector<RankShare>& shares) const;

  std::uint32_t together_;  // replicas that compute together
  LongestPath longest_path_;
  std::vector<RankEvents> ranks_;
  std::optional<WarmUp> warm_up_;  // none where nothing spills
};

}  // namespace spillway
