#include "synthesize/stage_layers.h"

#include <algorithm>
#include <compare>

#include "derive/stage_split.h"

namespace spillway {
namespace {

// Loads that differ by rounding alone are equal.
constexpr double kLess = 1 - 1e-9;

double sum_of_squares(const std::vector<double>& loads) {
  double sum = 0;
  for (const double load : loads) sum += load * load;
  return sum;
}

// How uneven a split is: less is better, from the first on.
struct Unevenness {
  double longest, ranks, stages;

  bool less_than(const Unevenness& other) const {
    for (const auto part : {&Unevenness::longest, &Unevenness::ranks, &Unevenness::stages}) {
      if (this->*part < other.*part * kLess) return true;
      if (other.*part < this->*part * kLess) return false;
    }
    return false;
  }
};

class LayerSplit {
 public:
  LayerSplit(std::span<const Seconds> layers, std::span<const RankId> stage_rank)
      : stage_rank_(stage_rank),
        until_{0},
        layers_(balanced_split(layers, static_cast<std::uint32_t>(stage_rank.size()))) {
    for (const Seconds layer : layers) until_.push_back(until_.back() + layer.value());
    for (const RankId rank : stage_rank) ranks_ = std::max(ranks_, rank.index() + 1);
  }

  std::vector<std::uint32_t> best() {
    Unevenness now = unevenness();
    while (improve(now)) continue;
    return layers_;
  }

 private:
  Unevenness unevenness() const {
    std::vector<double> of_rank(ranks_), of_stage;
    std::uint32_t layer = 0;
    for (std::size_t stage = 0; stage < layers_.size(); ++stage) {
      const double before = until_[layer];
      layer += layers_[stage];
      of_stage.push_back(until_[layer] - before);
      of_rank[stage_rank_[stage].index()] += of_stage.back();
    }
    return {*std::ranges::max_element(of_rank), sum_of_squares(of_rank), sum_of_squares(of_stage)};
  }

  // Lets one layer go from one stage to another. Returns false if no such change is better.
  bool improve(Unevenness& now) {
    for (std::size_t from = 0; from < layers_.size(); ++from)
      for (std::size_t to = 0; to < layers_.size(); ++to) {
        if (from == to || layers_[from] < 2) continue;
        --layers_[from];
        ++layers_[to];
        if (const Unevenness then = unevenness(); then.less_than(now)) {
          now = then;
          return true;
        }
        ++layers_[from];
        --layers_[to];
      }
    return false;
  }

  const std::span<const RankId> stage_rank_;
  std::vector<double> until_;  // the time of all layers before each
  std::vector<std::uint32_t> layers_;
  std::uint32_t ranks_ = 0;
};

}  // namespace

std::vector<std::uint32_t> split_by_rank(std::span<const Seconds> layers,
                                         std::span<const RankId> stage_rank) {
  return LayerSplit(layers, stage_rank).best();
}

}  // namespace spillway
