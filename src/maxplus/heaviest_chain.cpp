#include "maxplus/heaviest_chain.h"

#include "base/error.h"

namespace spillway {
namespace {

class ChainSearch {
 public:
  ChainSearch(std::span<const Seconds> weights, std::span<const std::vector<std::size_t>> follows)
      : weights_(weights), follows_(follows), best_(weights.size()), under_way_(weights.size()) {}

  std::optional<std::vector<std::size_t>> run() {
    std::optional<std::size_t> at;
    Seconds heaviest;
    for (std::size_t first = 0; first < weights_.size(); ++first) {
      const Seconds from_here = total(first);
      if (at && from_here <= heaviest) continue;
      at = first;
      heaviest = from_here;
    }
    if (circular_) return std::nullopt;
    std::vector<std::size_t> chain;
    for (; at; at = best_[*at]->next) chain.push_back(*at);
    return chain;
  }

 private:
  struct Rest {
    Seconds total;  // of the chain that begins here
    std::optional<std::size_t> next;
  };

  Seconds total(std::size_t first) {
    if (best_[first]) return best_[first]->total;
    if (under_way_[first]) circular_ = true;
    if (circular_) return {};
    under_way_[first] = true;
    Rest rest{weights_[first], std::nullopt};
    for (const std::size_t next : follows_[first]) {
      const Seconds through = weights_[first] + total(next);
      if (through > rest.total) rest = {through, next};
    }
    best_[first] = rest;
    return rest.total;
  }

  std::span<const Seconds> weights_;
  std::span<const std::vector<std::size_t>> follows_;
  std::vector<std::optional<Rest>> best_;
  std::vector<bool> under_way_;
  bool circular_ = false;
};

}  // namespace

std::optional<std::vector<std::size_t>> heaviest_chain(std::span<const Seconds> weights,
                                                       std::span<const std::vector<std::size_t>> follows) {
  ensure(weights.size() == follows.size(), "one list for each weight");
  return ChainSearch(weights, follows).run();
}

}  // namespace spillway
