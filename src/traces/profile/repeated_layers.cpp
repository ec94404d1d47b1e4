#include "traces/profile/repeated_layers.h"

#include <algorithm>
#include <optional>

namespace spillway {
namespace {

using Kernels = std::span<const std::uint32_t>;

// The longest stretch [first, first + length) in which each kernel equals the one `period` after it.
struct Stretch {
  std::size_t first = 0;
  std::size_t length = 0;
};

bool has_two_kinds(Kernels layer) {
  return std::ranges::any_of(layer, [&](std::uint32_t kernel) { return kernel != layer.front(); });
}

Stretch longest_stretch(Kernels kernels, std::size_t period) {
  Stretch best;
  std::size_t begin = 0;
  const std::size_t end = kernels.size() - period;
  for (std::size_t i = 0; i <= end; ++i) {
    if (i < end && kernels[i] == kernels[i + period]) continue;
    const bool longer = i - begin > best.length;
    if (longer && has_two_kinds(kernels.subspan(begin, period))) best = {begin, i - begin};
    begin = i + 1;
  }
  return best;
}

// A pass of more kernels than any known has shorter layers, so that its time stays bounded.
constexpr std::size_t kMostCompared = 100'000'000;

std::optional<EqualLayers> best_run(Kernels kernels, std::size_t least) {
  std::optional<EqualLayers> best;
  if (kernels.empty()) return std::nullopt;
  const std::size_t longest =
      std::min({kernels.size() / kFewestLayers, kLongestLayer, kMostCompared / kernels.size()});
  for (std::size_t period = 2; period <= longest; ++period) {
    const Stretch stretch = longest_stretch(kernels, period);
    const EqualLayers run{stretch.first, period, stretch.length / period + 1};
    const bool counts = run.layers >= kFewestLayers && run.kernels() >= least;
    if (counts && (!best || run.kernels() > best->kernels())) best = run;
  }
  return best;
}

void add_runs(Kernels kernels, std::size_t offset, std::size_t least, std::vector<EqualLayers>& runs) {
  const auto best = best_run(kernels, least);
  if (!best) return;
  add_runs(kernels.first(best->first), offset, least, runs);
  runs.push_back({offset + best->first, best->period, best->layers});
  const std::size_t end = best->first + best->kernels();
  add_runs(kernels.subspan(end), offset + end, least, runs);
}

}  // namespace

std::vector<EqualLayers> repeated_layers(Kernels kernels) {
  std::vector<EqualLayers> runs;
  constexpr std::size_t kSmallestShare = 20;
  add_runs(kernels, 0, std::max<std::size_t>(kernels.size() / kSmallestShare, 1), runs);
  return runs;
}

}  // namespace spillway
