// What a sweep keeps of one step under one draw; the same figures, to the last bit, as the report's.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/quantity.h"
#include "derive/derive.h"
#include "timing/figures.h"
#include "timing/longest_path.h"
#include "timing/timeline.h"
#include "timing/warm_up.h"

namespace spillway {

// Of the transposed region that feeds a pipelined one (derive/feeding.h).
struct StepSpill {
  Seconds max_spill;             // of the worst rank: max(0, E_r - w_r)
  Seconds exposed_encoder;       // makespan - makespan with the transposed work free
  double encoder_to_bubble = 0;  // all E_r over all w_r; infinite without slack

  friend bool operator==(const StepSpill&, const StepSpill&) = default;
};

struct StepFigures {
  Seconds makespan;  // by the longest path
  double bubble_fraction;
  std::optional<StepSpill> spill = {};  // none where no transposed region feeds a pipelined one

  friend bool operator==(const StepFigures&, const StepFigures&) = default;
};

struct LaneSpill {
  Seconds free_end;  // of the last event with the transposed work free
  Seconds max_spill;
  Seconds encoder;  // E_r of all ranks
  Seconds slack;    // w_r of all ranks
};

// One lane's share of them: a data-parallel replica under one draw.
struct LaneFigures {
  Seconds end;                // of its last event
  std::vector<Seconds> busy;  // by rank
  std::optional<LaneSpill> spill = {};
};

// The same of a draw by the report's figures, those of each replica once. `exposed` is what its transposed
// work adds to the longest path.
std::optional<StepSpill> step_spill(std::span<const RankFigures> ranks, std::uint32_t ranks_of_replica,
                                    Seconds exposed);

// The step of the replicas that make up a draw, each of them standing for `equal_replicas` that run alike.
// Contract: at least one lane.
StepFigures step_figures(std::span<const LaneFigures> replicas, std::uint32_t equal_replicas);

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
  };
  static RankEvents events_of(const Derived& derived, RankId rank);
  void run_free(const Durations& durations, std::uint32_t first, std::span<FreeLane> lanes,
                PerEvent<Seconds>& ends) const;
  void run_counted(const Durations& counted, std::uint32_t first, std::span<const FreeLane> free,
                   std::span<LaneFigures> lanes, PerEvent<Seconds>& ends) const;

  std::uint32_t together_;  // replicas that compute together
  LongestPath longest_path_;
  std::vector<RankEvents> ranks_;
  std::optional<WarmUp> warm_up_;  // none where nothing spills
};

}  // namespace spillway
