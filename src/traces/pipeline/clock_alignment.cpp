#include "traces/pipeline/clock_alignment.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iomanip>
#include <limits>
#include <map>
#include <optional>
#include <sstream>
#include <utility>
#include <vector>

#include "traces/files/median.h"

namespace spillway {
namespace {

// Bounds of o[b] - o[a], a < b, from the transfers between two ranks.
struct ClockBounds {
  Seconds low = Seconds(-std::numeric_limits<double>::infinity());
  Seconds high = Seconds(std::numeric_limits<double>::infinity());
  std::vector<Seconds> ends;  // the differences at which both ends of a transfer end together

  bool feasible() const { return low <= high; }
  Seconds width() const { return high - low; }
  // The amount by which the difference breaks a bound, or 0.
  Seconds broken_by(Seconds difference) const {
    return std::max({Seconds(), low - difference, difference - high});
  }
  // The middle if the bounds are feasible. Otherwise the upper median of `ends`, or the middle if `ends` is
  // empty.
  Seconds estimate() const { return feasible() || ends.empty() ? 0.5 * (low + high) : upper_median(ends); }
};

using RankPair = std::pair<std::uint32_t, std::uint32_t>;  // the lower rank first
using BoundsOfPairs = std::map<RankPair, ClockBounds>;

// A transfer between the pass that made its data and the pass that used it, each on its rank's own clock.
struct Passage {
  const MeasuredTransfer& transfer;
  const Interval& made;
  const Interval& used;

  // The least amount by which the receiver's clock must be ahead.
  Seconds bound() const {
    const Seconds ready = transfer.sent ? std::max(made.end, transfer.sent->start) : made.end;
    const Seconds taken = transfer.received ? std::min(used.start, transfer.received->end) : used.start;
    return ready - taken;
  }
};

// `upwards`: from the pair's lower rank to its higher one.
void add(ClockBounds& bounds, bool upwards, const Passage& passage) {
  const Seconds bound = passage.bound();
  if (upwards)
    bounds.low = std::max(bounds.low, bound);
  else
    bounds.high = std::min(bounds.high, Seconds() - bound);
  const MeasuredTransfer& transfer = passage.transfer;
  if (!transfer.sent || !transfer.received) return;
  const Seconds ahead = transfer.sent->end - transfer.received->end;
  bounds.ends.push_back(upwards ? ahead : Seconds() - ahead);
}

void add_seam(ClockBounds& bounds, bool upwards, const MeasuredStep& step, std::uint32_t seam) {
  const auto& lower = step.passes[seam];
  const auto& upper = step.passes[seam + 1];
  for (std::size_t m = 0; m < lower.size(); ++m) {
    add(bounds, upwards, {step.activations[seam][m], lower[m].forward, upper[m].forward});
    add(bounds, !upwards, {step.gradients[seam][m], upper[m].backward, lower[m].backward});
  }
}

// The bounds of every pair of ranks that hold neighbouring stages, from all steps of a replica.
BoundsOfPairs clock_bounds(const std::vector<const MeasuredStep*>& steps, const PipelineShape& shape) {
  BoundsOfPairs all;
  for (std::uint32_t seam = 0; seam + 1 < shape.stages; ++seam) {
    const std::uint32_t from = shape.stage_rank[seam].index(), to = shape.stage_rank[seam + 1].index();
    if (from == to) continue;
    ClockBounds& bounds = all[std::minmax(from, to)];
    for (const MeasuredStep* step : steps) add_seam(bounds, from < to, *step, seam);
  }
  return all;
}

std::string fixed_milliseconds(Seconds time) {
  std::ostringstream text;
  text << std::fixed << std::setprecision(3) << time.value() * 1e3 << " ms";
  return text.str();
}

// The bounds of one rank's offset, given the other rank's.
ClockBounds around(const ClockBounds& bounds, bool upwards, Seconds offset) {
  ClockBounds shifted;
  shifted.low = upwards ? offset + bounds.low : offset - bounds.high;
  shifted.high = upwards ? offset + bounds.high : offset - bounds.low;
  const Seconds centre = upwards ? offset + bounds.estimate() : offset - bounds.estimate();
  if (!shifted.feasible()) shifted.ends = {centre};
  return shifted;
}

// Sets one rank after another. It always follows the narrowest interval from a rank that is set (Prim's
// spanning tree).
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
  using Width = std::pair<Seconds, RankPair>;  // of equal widths, the lower pair comes first

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

// The corrections of all replicas together, for the notes.
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
