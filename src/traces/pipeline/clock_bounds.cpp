#include "traces/pipeline/clock_bounds.h"

#include <algorithm>

#include "traces/files/median.h"

namespace spillway {
namespace {

// A transfer from the pass that made it to the one that used it, each on its rank's own clock.
struct Passage {
  const MeasuredTransfer& transfer;
  const Interval& made;
  const Interval& used;

  // What the receiver's clock must at least be ahead by.
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

}  // namespace

Seconds ClockBounds::broken_by(Seconds difference) const {
  return std::max({Seconds(), low - difference, difference - high});
}

Seconds ClockBounds::estimate() const {
  if (feasible() || ends.empty()) return 0.5 * (low + high);
  return upper_median(ends);
}

std::map<RankPair, ClockBounds> clock_bounds(const std::vector<const MeasuredStep*>& steps,
                                             const PipelineShape& shape) {
  std::map<RankPair, ClockBounds> all;
  for (std::uint32_t seam = 0; seam + 1 < shape.stages; ++seam) {
    const std::uint32_t from = shape.stage_rank[seam].index(), to = shape.stage_rank[seam + 1].index();
    if (from == to) continue;
    ClockBounds& bounds = all[std::minmax(from, to)];
    for (const MeasuredStep* step : steps) add_seam(bounds, from < to, *step, seam);
  }
  return all;
}

}  // namespace spillway
