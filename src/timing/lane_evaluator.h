// Computes the figures of a step by flat loops over many lanes. Sweeps spend most of their time here. Tests:
// tests/timing/step_figures_test.cpp, against the figures of each lane's timeline.
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

// The longest path of a lane if the transposed work takes no time.
struct FreeLane {
  Seconds end;                 // of its last event
  std::vector<Seconds> slack;  // w_r by rank
};

// An order prepared for many passes. Several threads may call const methods at once.
class LaneEvaluator {
 public:
  explicit LaneEvaluator(const Derived& derived);
  // `path` is of the same order.
  LaneEvaluator(const Derived& derived, const LongestPath& path);

  // Returns true if a transposed region feeds a pipelined one.
  bool spills() const { return warm_up_.has_value(); }

  // The figures of each lane of `counted`, in one pass. `free` has the lanes with the transposed work free:
  // one per lane, or one for all; it is empty if nothing spills. `ends` is scratch space that the caller
  // keeps between passes. About sixteen lanes are fastest. Contract: the number of lanes is a multiple of the
  // joined_replicas of every computing event. Replicas that meet only at reductions may be in separate calls,
  // because the step ends with the last of them either way.
  std::vector<LaneFigures> figures(DurationRows& counted, std::span<const FreeLane> free,
                                   LiveEnds& ends) const;
  // The free lanes for figures(), from durations with the transposed work free; one lane or as many as above.
  std::vector<FreeLane> free_lanes(DurationRows& free, LiveEnds& ends) const;

 private:
  // The positions of a rank's first and last computing event among the watched events; none if it computes
  // nothing.
  struct Span {
    std::optional<EventId> first, last;
  };

  LaneEvaluator(const Derived& derived, const LongestPath& path, std::vector<Span> spans);
  // Collects the events of transposed forwards, whose durations are summed by rank.
  void add_terms(const Derived& derived);
  RankShare share_of(std::uint32_t rank, std::uint32_t lane, const AlignedVector<double>& encoders,
                     const PathEnding& path) const;

  LongestPath longest_path_;
  std::vector<Span> ranks_;
  std::vector<Addend> terms_;      // ascending by event; each adds to the sum of a rank
  std::optional<WarmUp> warm_up_;  // none if nothing spills
};

}  // namespace spillway
