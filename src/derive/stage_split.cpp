// best[s][i]: the slowest of s stages over the first i layers, at its least. Of the last stage's beginning j,
// best[s-1][j] grows with j and the stage itself shrinks, so the better of the two sides of their crossing is
// the optimum. Among the splits that reach it a second pass looks for the most even one: sum of squares,
// least. Test: tests/derive/stage_split_test.cpp, against all splits.
#include "derive/stage_split.h"

#include <algorithm>
#include <limits>

#include "base/error.h"

namespace spillway {
namespace {

// Times that differ by a smaller share are equal: layers of one length add up to sums that differ in their
// last digits, and those are not to choose among splits.
constexpr double kEqual = 1e-9;

// Of the splits whose stages all stay within a limit, the most even one.
class EvenSplit {
 public:
  // `before`: what the layers before each take. Contract: some split stays within the limit.
  EvenSplit(const std::vector<Seconds>& before, std::uint32_t stages, Seconds limit)
      : before_(before), limit_(limit) {
    best_.emplace_back(before.size());
    for (std::size_t end = 1; end < before.size(); ++end)
      if (stage(0, end) <= limit) best_.front()[end] = {square(0, end), 0};
    for (std::uint32_t s = 2; s <= stages; ++s) add_stage(s);
  }

  std::vector<std::uint32_t> layers_of_stages() const {
    std::vector<std::uint32_t> sizes(best_.size());
    std::size_t end = before_.size() - 1;
    for (std::size_t s = best_.size(); s > 0; --s) {
      const std::size_t first = best_[s - 1][end].first;
      sizes[s - 1] = static_cast<std::uint32_t>(end - first);
      end = first;
    }
    return sizes;
  }

 private:
  struct Best {
    double squares = std::numeric_limits<double>::infinity();
    std::size_t first = 0;  // layer of the last stage
  };

  Seconds stage(std::size_t first, std::size_t end) const { return before_[end] - before_[first]; }
  double square(std::size_t first, std::size_t end) const {
    const double seconds = stage(first, end).value();
    return seconds * seconds;
  }

  void add_stage(std::uint32_t s) {
    std::vector<Best> best(before_.size());
    for (std::size_t end = s; end < before_.size(); ++end) best[end] = best_of(s, end);
    best_.push_back(std::move(best));
  }

  // Where two are equal, the one with the later beginning.
  Best best_of(std::uint32_t s, std::size_t end) const {
    Best best;
    for (std::size_t first = end; first-- > s - 1 && stage(first, end) <= limit_;) {
      const double squares = best_[s - 2][first].squares + square(first, end);
      if (squares < best.squares * (1 - kEqual)) best = {squares, first};
    }
    return best;
  }

  const std::vector<Seconds>& before_;
  Seconds limit_;
  std::vector<std::vector<Best>> best_;  // [stages - 1][layers]
};

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

  std::vector<std::uint32_t> layers_of(std::uint32_t stages) const {
    return EvenSplit(before_, stages, slowest(stages) * (1 + kEqual)).layers_of_stages();
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
    if (step(own) < step(best) * (1 - kEqual)) best = own;
  std::vector<std::uint32_t> sizes = front.layers_of(best);
  const std::vector<std::uint32_t> rest = back.layers_of(stages - best);
  sizes.insert(sizes.end(), rest.begin(), rest.end());
  return sizes;
}

}  // namespace spillway
