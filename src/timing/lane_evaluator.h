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
  // `path` is of the same order.
  LaneEvaluator(const Derived& derived, const LongestPath& path);

  // Is there transposed work that a step may be rid of?
  bool spills() const { return warm_up_.has_value(); }

  // Of each lane of `counted`, in one pass. `free` are those with the transposed work free, a single one
  // standing for all; none where nothing spills. `ends` is scratch space, kept by the caller from pass to
  // pass. Fastest for sixteen lanes or so. Contract: the lanes are a multiple of the joined_replicas of every
  // computing event. Those that meet at reductions alone may be told apart: the step ends with the last of
  // them either way.
  std::vector<LaneFigures> figures(DurationRows& counted, std::span<const FreeLane> free,
                                   LiveEnds& ends) const;
  // Of durations with the transposed work free, a lane by itself or as above.
  std::vector<FreeLane> free_lanes(DurationRows& free, LiveEnds& ends) const;

 private:
  // Where a rank's first and last computing event stand among those that are watched; of none, nowhere.
  struct Span {
    std::optional<EventId> first, last;
  };

  LaneEvaluator(const Derived& derived, const LongestPath& path, std::vector<Span> spans);
  // What it encodes, as terms of its sum.
  void add_terms(const Derived& derived);
  RankShare share_of(std::uint32_t rank, std::uint32_t lane, const AlignedVector<double>& encoders,
                     const PathEnding& path) const;

  LongestPath longest_path_;
  std::vector<Span> ranks_;
  std::vector<Addend> terms_;      // by event, of sums by rank
  std::optional<WarmUp> warm_up_;  // none where nothing spills
};

}  // namespace spillway
