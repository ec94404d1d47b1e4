// What a sweep keeps of one step under one draw; the same figures, to the last bit, as the report's.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/quantity.h"
#include "derive/derive.h"
#include "timing/longest_path.h"
#include "timing/timeline.h"

namespace spillway {

struct StepFigures {
  Seconds makespan;  // by the longest path
  double bubble_fraction;
  Seconds max_spill;
  Seconds exposed_encoder;
  double encoder_to_bubble = 0;  // all encoder forwards over all warm-up slack; infinite without slack

  friend bool operator==(const StepFigures&, const StepFigures&) = default;
};

// One lane's share of them: a data-parallel replica under one draw.
struct LaneFigures {
  Seconds end;       // of its last event
  Seconds free_end;  // with the encoder free
  Seconds max_spill;
  Seconds encoder;            // forwards, of all ranks
  Seconds slack;              // before the backbone begins, of all ranks
  std::vector<Seconds> busy;  // by rank
};

// Zero without an encoder.
double encoder_to_bubble(Seconds encoder, Seconds slack);

// The step of the replicas that make up a draw, each of them standing for `equal_replicas` that run alike.
// Contract: at least one lane.
StepFigures step_figures(std::span<const LaneFigures> replicas, std::uint32_t equal_replicas);

// A lane with the encoder free.
struct FreeLane {
  Seconds end;                 // of its last event
  std::vector<Seconds> slack;  // by rank: warmup_slack()
};

// Durations of some lanes, lane by lane the same ones.
struct PricedLanes {
  Durations counted;
  Durations free;              // with the encoder free; a single lane stands for all of them
  Durations encoder_forwards;  // what of each event is a forward of encoder layers
};

// An order prepared for many passes. Const methods may be called from several threads at once.
class LaneEvaluator {
 public:
  explicit LaneEvaluator(const Derived& derived);

  // Of each lane, a few at a time. Fastest for eight lanes or so, whose durations stay in a near cache.
  // Contract: the lanes are a multiple of the joined_replicas of every computing event. Those that meet at
  // reductions alone may be told apart: the step ends with the last of them either way.
  std::vector<LaneFigures> figures(const PricedLanes& lanes) const;
  // The same where the lanes with the encoder free are run already; a single one stands for all. `ends` is
  // scratch space, kept by the caller from block to block.
  std::vector<LaneFigures> figures(const Durations& counted, const Durations& encoder_forwards,
                                   std::span<const FreeLane> free, PerEvent<Seconds>& ends) const;
  std::vector<FreeLane> free_lanes(const Durations& free, PerEvent<Seconds>& ends) const;

 private:
  // In execution order.
  struct RankEvents {
    std::vector<EventId> computing;
    std::vector<EventId> encoding;         // of those, forwards of stages with an encoder's layers
    std::optional<EventId> backbone;       // the first forward of a stage with a backbone's
    std::vector<EventId> before_backbone;  // computing before that
  };
  static RankEvents events_of(const Derived& derived, RankId rank);
  void run_free(const Durations& durations, std::uint32_t first, std::span<FreeLane> lanes,
                PerEvent<Seconds>& ends) const;
  void run_counted(const Durations& counted, const Durations& encoder_forwards, std::uint32_t first,
                   std::span<const FreeLane> free, std::span<LaneFigures> lanes,
                   PerEvent<Seconds>& ends) const;

  std::uint32_t together_;  // replicas that compute together
  LongestPath longest_path_;
  std::vector<RankEvents> ranks_;
};

}  // namespace spillway
