#include "timing/step_figures.h"

#include <algorithm>
#include <numeric>

#include "base/error.h"

namespace spillway {
namespace {

// Encoder work over slack; zero without any work.
double ratio(Seconds encoder, Seconds slack) {
  return encoder == Seconds() ? 0 : encoder / slack;
}

// Adds replica by replica, including equal replicas one by one, so that sums round the same whether replicas
// are folded or not.
template <class Add>
void for_each_replica(std::span<const LaneFigures> replicas, std::uint32_t equal_replicas, Add add) {
  for (std::uint32_t copy = 0; copy < equal_replicas; ++copy)
    for (const LaneFigures& replica : replicas) add(replica);
}

// Busy time of all ranks, weighted by devices.
Seconds busy_of_all(std::span<const LaneFigures> replicas, std::uint32_t equal_replicas,
                    std::span<const double> devices) {
  Seconds busy;
  for_each_replica(replicas, equal_replicas, [&](const LaneFigures& replica) {
    for (std::size_t rank = 0; rank < replica.busy.size(); ++rank)
      busy += devices.empty() ? replica.busy[rank] : replica.busy[rank] * devices[rank];
  });
  return busy;
}

double bubble_fraction(std::span<const LaneFigures> replicas, std::uint32_t equal_replicas,
                       std::span<const double> devices, Seconds makespan) {
  if (makespan == Seconds()) return 0;
  const double of_replica = devices.empty() ? static_cast<double>(replicas.front().busy.size())
                                            : std::accumulate(devices.begin(), devices.end(), 0.0);
  const double all = of_replica * static_cast<double>(replicas.size() * equal_replicas);
  return 1 - busy_of_all(replicas, equal_replicas, devices) / (makespan * all);
}

double bubble_rate(std::span<const LaneFigures> replicas) {
  const auto longest = std::max_element(
      replicas.begin(), replicas.end(),
      [](const LaneFigures& a, const LaneFigures& b) { return a.longest_span < b.longest_span; });
  return longest->longest_span == Seconds() ? 0 : 1 - longest->busy_in_longest / longest->longest_span;
}

std::optional<StepSpill> step_spill(std::span<const LaneFigures> replicas, std::uint32_t equal_replicas) {
  if (!replicas.front().spill) return std::nullopt;
  LaneSpill all{};
  for_each_replica(replicas, equal_replicas, [&](const LaneFigures& replica) {
    const LaneSpill& spill = *replica.spill;
    all.max_spill = std::max(all.max_spill, spill.max_spill);
    all.encoder += spill.encoder;
    all.slack += spill.slack;
    all.path.counted = std::max(all.path.counted, spill.path.counted);
    all.path.free = std::max(all.path.free, spill.path.free);
  });
  return StepSpill{all.max_spill, all.path.counted - all.path.free, ratio(all.encoder, all.slack)};
}

}  // namespace

void add(const RankShare& rank, LaneFigures& lane) {
  lane.busy.push_back(rank.busy);
  const Seconds span = rank.last_end - rank.first_start;
  if (span > lane.longest_span) {
    lane.longest_span = span;
    lane.busy_in_longest = rank.busy;
  }
  if (!lane.spill) return;
  lane.spill->max_spill = std::max(lane.spill->max_spill, rank.encoder - rank.warm_up_slack);
  lane.spill->encoder += rank.encoder;
  lane.spill->slack += rank.warm_up_slack;
}

StepFigures step_figures(std::span<const LaneFigures> replicas, std::uint32_t equal_replicas,
                         std::span<const double> devices) {
  ensure(!replicas.empty(), "a step has a replica");
  Seconds makespan;
  for (const LaneFigures& replica : replicas) makespan = std::max(makespan, replica.end);
  return {makespan, bubble_fraction(replicas, equal_replicas, devices, makespan), bubble_rate(replicas),
          step_spill(replicas, equal_replicas)};
}

}  // namespace spillway
