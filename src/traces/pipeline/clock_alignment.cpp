#include "traces/pipeline/clock_alignment.h"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <map>
#include <optional>
#include <sstream>
#include <utility>

#include "traces/pipeline/clock_bounds.h"

namespace spillway {
namespace {

using BoundsOfPairs = std::map<RankPair, ClockBounds>;

std::string fixed_milliseconds(Seconds time) {
  std::ostringstream text;
  text << std::fixed << std::setprecision(3) << time.value() * 1e3 << " ms";
  return text.str();
}

// The bounds of the other rank's offset, given that of one.
ClockBounds around(const ClockBounds& bounds, bool upwards, Seconds offset) {
  ClockBounds shifted;
  shifted.low = upwards ? offset + bounds.low : offset - bounds.high;
  shifted.high = upwards ? offset + bounds.high : offset - bounds.low;
  const Seconds centre = upwards ? offset + bounds.estimate() : offset - bounds.estimate();
  if (!shifted.feasible()) shifted.ends = {centre};
  return shifted;
}

// Sets one rank after another, over the narrowest interval from any that is set: Prim's spanning tree.
class Spread {
 public:
  Spread(const BoundsOfPairs& all, std::uint32_t ranks) : pairs_(ranks), set_(ranks) {
    for (const auto& pair : all)
      for (const std::uint32_t rank : {pair.first.first, pair.first.second}) pairs_[rank].push_back(&pair);
  }

  std::vector<Seconds> from_first() {
    set(0, Seconds());
    while (!reached_.empty()) {
      const auto& [pair, bounds] = *reached_.begin()->second;
      reached_.erase(reached_.begin());
      const auto [low, high] = pair;
      if (set_[low] && set_[high]) continue;
      const bool upwards = set_[low].has_value();
      follow(upwards ? high : low, around(bounds, upwards, upwards ? *set_[low] : *set_[high]));
    }
    std::vector<Seconds> offsets;
    for (const auto& offset : set_) offsets.push_back(offset.value_or(Seconds()));
    return offsets;
  }

 private:
  using Pair = BoundsOfPairs::value_type;
  using Width = std::pair<Seconds, RankPair>;  // the lower pair first where two are as narrow

  void follow(std::uint32_t rank, const ClockBounds& bounds) {
    const bool good_already = bounds.broken_by(Seconds()) == Seconds();
    set(rank, good_already ? Seconds() : bounds.estimate());
  }

  void set(std::uint32_t rank, Seconds offset) {
    set_[rank] = offset;
    for (const Pair* pair : pairs_[rank]) reached_[{pair->second.width(), pair->first}] = pair;
  }

  std::vector<std::vector<const Pair*>> pairs_;  // [rank]
  std::vector<std::optional<Seconds>> set_;      // [rank]
  std::map<Width, const Pair*> reached_;         // pairs with a rank that is set
};

// What is said of all replicas together.
struct Corrections {
  std::size_t moved = 0;
  Seconds most_moved;
  std::size_t broken = 0;  // pairs of ranks
  Seconds most_broken;

  void add(const BoundsOfPairs& all, const std::vector<Seconds>& offsets) {
    for (Seconds offset : offsets) {
      if (offset == Seconds()) continue;
      ++moved;
      most_moved = std::max(most_moved, Seconds(std::abs(offset.value())));
    }
    for (const auto& [pair, bounds] : all) {
      const Seconds by = bounds.broken_by(offsets[pair.second] - offsets[pair.first]);
      if (!(by > Seconds())) continue;
      ++broken;
      most_broken = std::max(most_broken, by);
    }
  }

  std::vector<Note> notes() const {
    std::vector<Note> notes;
    if (moved > 0)
      notes.push_back({NoteKind::Corrected, moved,
                       "clocks of ranks, by up to " + fixed_milliseconds(most_moved) +
                           ", so that no data is used before it exists"});
    if (broken > 0)
      notes.push_back({NoteKind::Differs, broken,
                       "pairs of ranks whose clocks no constant offset corrects: data is still used " +
                           fixed_milliseconds(most_broken) + " before it exists"});
    return notes;
  }
};

void add(Interval& interval, Seconds offset) {
  interval.start += offset;
  interval.end += offset;
}

void add(std::optional<Interval>& interval, Seconds offset) {
  if (interval) add(*interval, offset);
}

}  // namespace

ClockAlignment align_clocks(const std::vector<MeasuredStep>& steps, const PipelineShape& shape) {
  ClockAlignment alignment;
  Corrections corrections;
  std::vector<std::vector<const MeasuredStep*>> by_replica(shape.replicas);
  for (const MeasuredStep& step : steps) by_replica[step.replica.index()].push_back(&step);
  for (const auto& own : by_replica) {
    const BoundsOfPairs bounds = own.empty() ? BoundsOfPairs() : clock_bounds(own, shape);
    const std::vector<Seconds> offsets = Spread(bounds, shape.ranks).from_first();
    corrections.add(bounds, offsets);
    alignment.offsets.insert(alignment.offsets.end(), offsets.begin(), offsets.end());
  }
  alignment.notes = corrections.notes();
  return alignment;
}

void add_offsets(MeasuredStep& step, const PipelineShape& shape, const std::vector<Seconds>& offsets) {
  const auto of_rank = [&](std::uint32_t rank) {
    return offsets[std::size_t{step.replica.index()} * shape.ranks + rank];
  };
  const auto of_stage = [&](std::uint32_t stage) { return of_rank(shape.stage_rank[stage].index()); };
  for (std::uint32_t stage = 0; stage < shape.stages; ++stage) {
    for (MeasuredPasses& passes : step.passes[stage]) {
      add(passes.forward, of_stage(stage));
      add(passes.backward, of_stage(stage));
      add(passes.weight, of_stage(stage));
    }
  }
  for (std::uint32_t seam = 0; seam + 1 < shape.stages; ++seam) {
    for (std::size_t m = 0; m < step.activations[seam].size(); ++m) {
      add(step.activations[seam][m].sent, of_stage(seam));
      add(step.activations[seam][m].received, of_stage(seam + 1));
      add(step.gradients[seam][m].sent, of_stage(seam + 1));
      add(step.gradients[seam][m].received, of_stage(seam));
    }
  }
  for (std::uint32_t rank = 0; rank < shape.ranks; ++rank)
    for (Interval& collective : step.collectives[rank]) add(collective, of_rank(rank));
}

}  // namespace spillway
