// best[s][i] is the least possible time of the slowest of s stages over the first i layers. If the last stage
// begins at layer j, best[s-1][j] grows with j and the stage shrinks, so the optimum is at one of the two
// sides of their crossing. A second pass finds the most even split that reaches the optimum (least sum of
// squares). Test: tests/derive/stage_split_test.cpp, against all splits.
#include "derive/stage_split.h"

#include <algorithm>
#include <limits>

#include "base/error.h"

namespace spillway {
namespace {

// Times that differ by a smaller share are equal. Sums of equal layers may differ in their last digits, which
// must not decide between splits.
constexpr double kEqual = 1e-9;

// Finds the most even split whose stages all stay within a limit.
class EvenSplit {
 public:
  // `before` has the time of the layers before each. Contract: some split stays within the limit.
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
    std::size_t first = 0;  // first layer of the last stage
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

  // A tie goes to the later beginning.
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

// Splits the same layers into any number of stages up to a maximum.
class Splitter {
 public:
  Splitter(std::span<const Seconds> layers, std::uint32_t most_stages) : before_(1) {
    ensure(most_stages > 0 && layers.size() >= most_stages, "a split needs a layer for each stage");
    for (const Seconds layer : layers) before_.push_back(before_.back() + layer);
    best_.push_back(before_);  // one stage takes all
    for (std::uint32_t s = 2; s <= most_stages; ++s) add_stage(s);
  }

  std::uint32_t most_stages() const { return static_cast<std::uint32_t>(best_.size()); }
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
    std::size_t low = s - 1, high = end - 1;  // the first beginning at which the earlier stages are slower
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

  std::vector<Seconds> before_;             // time of the layers before each
  std::vector<std::vector<Seconds>> best_;  // [stages - 1][layers]
};

// Splits consecutive modules over dedicated stages.
class ModuleSplit {
 public:
  ModuleSplit(std::span<const Seconds> layers, std::span<const std::uint32_t> modules, std::uint32_t stages) {
    const auto others = static_cast<std::uint32_t>(modules.size()) - 1;
    ensure(stages > others, "a stage for each module");
    for (const std::uint32_t module : modules) {
      ensure(module > 0, "a module has layers");
      splits_.emplace_back(layers.first(module), std::min(module, stages - others));
      layers = layers.subspan(module);
    }
  }

  // The first module has `first` stages, or the best number if `first` is 0.
  std::vector<std::uint32_t> layers_of_stages(std::uint32_t stages, std::uint32_t first) const {
    std::vector<std::uint32_t> sizes;
    for (std::size_t module = 0; module < splits_.size(); ++module) {
      const Share share = best(module, stages, module == 0 ? first : 0);
      ensure(share.slowest < kNone, "a layer for each stage of its module");
      const std::vector<std::uint32_t> own = splits_[module].layers_of(share.own);
      sizes.insert(sizes.end(), own.begin(), own.end());
      stages -= share.own;
    }
    return sizes;
  }

 private:
  static constexpr Seconds kNone{std::numeric_limits<double>::infinity()};
  struct Share {
    Seconds slowest;
    std::uint32_t own = 0;
  };

  // The best split of the modules from `module` on; a tie goes to the fewest stages for this module.
  Share best(std::size_t module, std::uint32_t stages, std::uint32_t stated) const {
    const Splitter& split = splits_[module];
    if (module + 1 == splits_.size())
      return stages <= split.most_stages() ? Share{split.slowest(stages), stages} : Share{kNone};
    Share best_share{kNone};
    for (std::uint32_t own = stated > 0 ? stated : 1; own <= std::min(split.most_stages(), stages - 1);
         ++own) {
      const Seconds step = std::max(split.slowest(own), best(module + 1, stages - own, 0).slowest);
      if (step < best_share.slowest * (1 - kEqual)) best_share = {step, own};
      if (stated > 0) break;
    }
    return best_share;
  }

  std::vector<Splitter> splits_;
};

}  // namespace

std::vector<std::uint32_t> balanced_split(std::span<const Seconds> layers, std::uint32_t stages) {
  return Splitter(layers, stages).layers_of(stages);
}

std::vector<std::uint32_t> disaggregated_split(std::span<const Seconds> layers,
                                               std::span<const std::uint32_t> modules, std::uint32_t stages,
                                               std::uint32_t first) {
  return ModuleSplit(layers, modules, stages).layers_of_stages(stages, first);
}

}  // namespace spillway
