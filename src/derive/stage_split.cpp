// best[s][i]: the slowest of s stages over the first i layers, at its least. Of the last stage's beginning j,
// best[s-1][j] grows with j and the stage itself shrinks, so the better of the two sides of their crossing is
// the optimum. Test: tests/derive/stage_split_test.cpp, against all splits.
#include "derive/stage_split.h"

#include <algorithm>

#include "base/error.h"

namespace spillway {
namespace {

// Splits of the same layers into any number of stages up to a most.
class Splitter {
 public:
  Splitter(std::span<const Seconds> layers, std::uint32_t most_stages) : before_(1) {
    ensure(most_stages > 0 && layers.size() >= most_stages, "a split needs a layer for each stage");
    for (const Seconds layer : layers) before_.push_back(before_.back() + layer);
    best_.push_back(before_);  // one stage takes all
    for (std::uint32_t s = 2; s <= most_stages; ++s) add_stage(s);
  }

  Seconds slowest(std::uint32_t stages) const { return best_[stages - 1].back(); }

  // From the last stage to the first, each as large as the optimum lets it be.
  std::vector<std::uint32_t> layers_of(std::uint32_t stages) const {
    std::vector<std::uint32_t> sizes(stages);
    std::size_t end = before_.size() - 1;
    for (std::uint32_t s = stages; s > 1; --s) {
      const std::size_t first = first_within(s, end, slowest(stages));
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
  std::size_t first_within(std::uint32_t s, std::size_t end, Seconds optimum) const {
    std::size_t first = end - 1;
    while (first > s - 1 && stage(first - 1, end) <= optimum) --first;
    while (best_[s - 2][first] > optimum) --first;
    return first;
  }

  std::vector<Seconds> before_;             // what the layers before each take
  std::vector<std::vector<Seconds>> best_;  // [stages - 1][layers]
};

}  // namespace

std::vector<std::uint32_t> balanced_split(std::span<const Seconds> layers, std::uint32_t stages) {
  return Splitter(layers, stages).layers_of(stages);
}

std::vector<std::uint32_t> disaggregated_split(std::span<const Seconds> layers, std::uint32_t encoder,
                                               std::uint32_t stages) {
  ensure(encoder > 0 && encoder < layers.size() && stages > 1, "an encoder and a backbone, a stage for each");
  const auto backbone = static_cast<std::uint32_t>(layers.size()) - encoder;
  const std::uint32_t least = stages - std::min(stages - 1, backbone), most = std::min(stages - 1, encoder);
  ensure(least <= most, "a layer for each stage on either side");
  const Splitter front(layers.first(encoder), most), back(layers.subspan(encoder), stages - least);
  const auto step = [&](std::uint32_t own) {
    return std::max(front.slowest(own), back.slowest(stages - own));
  };
  std::uint32_t best = least;
  for (std::uint32_t own = least + 1; own <= most; ++own)
    if (step(own) < step(best)) best = own;
  std::vector<std::uint32_t> sizes = front.layers_of(best);
  const std::vector<std::uint32_t> rest = back.layers_of(stages - best);
  sizes.insert(sizes.end(), rest.begin(), rest.end());
  return sizes;
}

}  // namespace spillway
