#include "measured/clock_alignment.h"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <optional>
#include <sstream>

#include "measured/clock_bounds.h"

namespace spillway {
namespace {

using Bounds = std::map<RankPair, ClockBounds>;

std::string in_milliseconds(Seconds time) {
  std::ostringstream text;
  text << std::fixed << std::setprecision(3) << time.value() * 1e3 << " ms";
  return text.str();
}

// From a rank whose clock is set to one whose clock is not.
struct Step {
  std::uint32_t to;
  ClockBounds bounds;  // of the offset of `to` itself
};

// The bounds of the other rank's offset, given that of one.
ClockBounds around(const ClockBounds& bounds, bool upwards, Seconds offset) {
  ClockBounds shifted;
  shifted.low = upwards ? offset + bounds.low : offset - bounds.high;
  shifted.high = upwards ? offset + bounds.high : offset - bounds.low;
  const Seconds centre = upwards ? offset + bounds.estimate() : offset - bounds.estimate();
  if (!shifted.feasible()) shifted.ends = {centre};
  return shifted;
}

// Over the narrowest interval; nothing where no rank is left that a set one speaks to.
std::optional<Step> next_step(const Bounds& all, const std::vector<std::optional<Seconds>>& set) {
  std::optional<Step> best;
  for (const auto& [pair, bounds] : all) {
    const auto [low, high] = pair;
    if (set[low].has_value() == set[high].has_value()) continue;
    if (best && best->bounds.width() <= bounds.width()) continue;
    const bool upwards = set[low].has_value();
    best = {upwards ? high : low, around(bounds, upwards, upwards ? *set[low] : *set[high])};
  }
  return best;
}

std::vector<Seconds> offsets_of(const Bounds& all, std::uint32_t ranks) {
  std::vector<std::optional<Seconds>> set(ranks);
  set[0] = Seconds();
  while (const auto step = next_step(all, set)) {
    const bool good_already = step->bounds.broken_by(Seconds()) == Seconds();
    set[step->to] = good_already ? Seconds() : step->bounds.estimate();
  }
  std::vector<Seconds> offsets;
  for (const auto& offset : set) offsets.push_back(offset.value_or(Seconds()));
  return offsets;
}

// What is said of all replicas together.
struct Findings {
  std::size_t moved = 0;
  Seconds most_moved;
  std::size_t broken = 0;  // pairs of ranks
  Seconds most_broken;

  void add(const Bounds& all, const std::vector<Seconds>& offsets) {
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
                       "ranks' clocks, by up to " + in_milliseconds(most_moved) +
                           ", so that nothing is used before it is made"});
    if (broken > 0)
      notes.push_back({NoteKind::Differs, broken,
                       "pairs of ranks whose clocks no constant puts right: something is still used " +
                           in_milliseconds(most_broken) + " before it is made"});
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
  Findings findings;
  for (std::uint32_t replica = 0; replica < shape.replicas; ++replica) {
    std::vector<const MeasuredStep*> own;
    for (const MeasuredStep& step : steps)
      if (step.replica.index() == replica) own.push_back(&step);
    const Bounds bounds = own.empty() ? Bounds() : clock_bounds(own, shape);
    const std::vector<Seconds> offsets = offsets_of(bounds, shape.ranks);
    findings.add(bounds, offsets);
    alignment.offsets.insert(alignment.offsets.end(), offsets.begin(), offsets.end());
  }
  alignment.notes = findings.notes();
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
