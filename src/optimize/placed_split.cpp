// Idea: layers that belong together are one layer for the balanced split. Where only the ends may be shorter,
// every number of layers that the two lack is tried.
//
// Example: times 5 1 1 1 1 1 1 on 3 stages. Any split: 5 | 1 1 1 | 1 1 1. With shorter ends the first stage
// lacks 2 of 3 layers: 5 | 1 1 1 | 1 1 1, too; lacking nothing, it lasts 7.
//
// Cost: stages x layers for the balanced split; for shorter ends, (layers / stages)^2 splits of `layers`
// sums. Test: tests/optimize/placed_split_test.cpp, against every split.
#include "optimize/placed_split.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <variant>

#include "derive/stage_split.h"

namespace spillway {
namespace {

using Counts = std::vector<std::uint32_t>;

Seconds longest_stage(std::span<const Seconds> times, const Counts& counts) {
  Seconds longest;
  for (const std::uint32_t count : counts) {
    Seconds sum;
    for (const Seconds time : times.first(count)) sum += time;
    longest = std::max(longest, sum);
    times = times.subspan(count);
  }
  return longest;
}

// Nothing if there are too few layers behind those together.
std::optional<Counts> split_behind(std::span<const Seconds> times, std::uint32_t stages,
                                   std::uint32_t together) {
  if (together == 0) together = 1;
  if (together > times.size() || times.size() - together + 1 < stages) return std::nullopt;
  std::vector<Seconds> units = {std::accumulate(times.begin(), times.begin() + together, Seconds())};
  units.insert(units.end(), times.begin() + together, times.end());
  Counts counts = balanced_split(units, stages);
  counts.front() += together - 1;
  return counts;
}

// Ends that lack so many layers behind the shares of all stages, of which the first ones take the remainder.
std::optional<Counts> shorter_ends(std::uint32_t layers, std::uint32_t stages, std::uint32_t first,
                                   std::uint32_t last) {
  Counts counts;
  for (std::uint32_t stage = 0; stage < stages; ++stage)
    counts.push_back(even_share(layers + first + last, stages, stage));
  if (first >= counts.front() || last >= counts.back()) return std::nullopt;
  counts.front() -= first;
  counts.back() -= last;
  return counts;
}

// Splits that are equal to rounding go to the one whose ends lack least.
std::optional<Counts> split_with_shorter_ends(std::span<const Seconds> times, std::uint32_t stages,
                                              std::uint32_t together) {
  constexpr double kShorter = 1 - 1e-9;
  const auto layers = static_cast<std::uint32_t>(times.size());
  if (stages == 1) return Counts{layers};
  std::optional<Counts> best;
  const std::uint32_t most = layers / stages + 1;
  for (std::uint32_t lacking = 0; lacking <= 2 * most; ++lacking)
    for (std::uint32_t first = lacking - std::min(lacking, most); first <= std::min(lacking, most); ++first) {
      const auto counts = shorter_ends(layers, stages, first, lacking - first);
      if (!counts || counts->front() < together) continue;
      if (!best || longest_stage(times, *counts) < longest_stage(times, *best) * kShorter) best = counts;
    }
  return best;
}

}  // namespace

std::vector<std::uint32_t> placed_split(std::span<const Seconds> times, std::uint32_t stages,
                                        const PlacedStages& placed, std::uint32_t together) {
  const auto split = placed.layers == StageLayerCounts::Ends
                         ? split_with_shorter_ends(times, stages, together)
                         : split_behind(times, stages, together);
  return split ? *split : balanced_split(times, stages);
}

std::uint32_t layers_of_first_stage(const Experiment& experiment) {
  const std::vector<Block>& blocks = experiment.model.blocks();
  const AnalyticCosts* costs = on_platform(experiment.costs);
  if (!costs || blocks.size() < 2 || blocks.front().role != Role::Encoder) return 0;
  const auto* text = std::get_if<TextModel>(&costs->blocks[1].architecture);
  return blocks.front().layers + 1 + (text && text->separate_vocabulary ? 1 : 0);
}

}  // namespace spillway
