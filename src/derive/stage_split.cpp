// best[s][i]: the slowest of s stages over the first i layers, at its least. Of the last stage's beginning j,
// best[s-1][j] grows with j and the stage itself shrinks, so the better of the two sides of their crossing is
// the optimum. Test: tests/derive/stage_split_test.cpp, against all splits.
#include "derive/stage_split.h"

#include <algorithm>

#include "base/error.h"

namespace spillway {
namespace {

class Splitter {
 public:
  Splitter(std::span<const Seconds> layers, std::uint32_t stages) : stages_(stages), before_(1) {
    ensure(stages > 0 && layers.size() >= stages, "a split needs a layer for each stage");
    for (const Seconds layer : layers) before_.push_back(before_.back() + layer);
    best_.push_back(before_);  // one stage takes all
    for (std::uint32_t s = 2; s <= stages; ++s) add_stage(s);
  }

  Seconds slowest() const { return best_.back().back(); }

  // From the last stage to the first, each as large as the optimum lets it be.
  std::vector<std::uint32_t> layers_of_stages() const {
    std::vector<std::uint32_t> sizes(stages_);
    std::size_t end = before_.size() - 1;
    for (std::uint32_t s = stages_; s > 1; --s) {
      const std::size_t first = first_within(s, end);
      sizes[s - 1] = static_cast<std::uint32_t>(end - first);
      end = first;
    }
    sizes[0] = static_cast<std::uint32_t>(end);
    return sizes;
  }

 private:
  Seconds stage(std::size_t first, std::size_t end) const { return before_[end] - before_[first]; }

  void add_stage(std::uint32_t s) {
    std::vector<Seconds> best(before_.size());
    for (std::size_t end = s; end < before_.size(); ++end) best[end] = best_of(s, end);
    best_.push_back(std::move(best));
  }

  Seconds best_of(std::uint32_t s, std::size_t end) const {
    const std::vector<Seconds>& fewer = best_[s - 2];
    std::size_t low = s - 1, high = end - 1;  // the first beginning from which the earlier stages rule
    while (low < high) {
      const std::size_t middle = (low + high) / 2;
      if (fewer[middle] >= stage(middle, end))
        high = middle;
      else
        low = middle + 1;
    }
    const Seconds here = std::max(fewer[low], stage(low, end));
    return low == s - 1 ? here : std::min(here, std::max(fewer[low - 1], stage(low - 1, end)));
  }

  // The earliest beginning of stage s that keeps the whole within the optimum.
  std::size_t first_within(std::uint32_t s, std::size_t end) const {
    std::size_t first = end - 1;
    while (first > s - 1 && stage(first - 1, end) <= slowest()) --first;
    while (best_[s - 2][first] > slowest()) --first;
    return first;
  }

  std::uint32_t stages_;
  std::vector<Seconds> before_;             // what the layers before each take
  std::vector<std::vector<Seconds>> best_;  // [stages - 1][layers]
};

}  // namespace

std::vector<std::uint32_t> balanced_split(std::span<const Seconds> layers, std::uint32_t stages) {
  return Splitter(layers, stages).layers_of_stages();
}

std::vector<std::uint32_t> disaggregated_split(std::span<const Seconds> layers, std::uint32_t encoder,
                                               std::uint32_t stages) {
  ensure(encoder > 0 && encoder < layers.size() && stages > 1, "an encoder and a backbone, a stage for each");
  const auto front = layers.first(encoder), back = layers.subspan(encoder);
  std::vector<std::uint32_t> best;
  Seconds slowest;
  for (std::uint32_t own = 1; own < stages && own <= encoder; ++own) {
    if (back.size() < stages - own) continue;
    const Splitter of_encoder(front, own), of_backbone(back, stages - own);
    const Seconds step = std::max(of_encoder.slowest(), of_backbone.slowest());
    if (!best.empty() && step >= slowest) continue;
    slowest = step;
    best = of_encoder.layers_of_stages();
    const std::vector<std::uint32_t> rest = of_backbone.layers_of_stages();
    best.insert(best.end(), rest.begin(), rest.end());
  }
  ensure(!best.empty(), "a layer for each stage on either side");
  return best;
}

}  // namespace spillway
