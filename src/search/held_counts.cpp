#include "search/held_counts.h"

#include <algorithm>
#include <functional>

namespace spillway {
namespace {

bool is_below(const HeldCounts& one, const HeldCounts& other) {
  return one.chunk == other.chunk &&
         std::ranges::equal(one.activations, other.activations, std::less_equal()) &&
         std::ranges::equal(one.for_weight_gradient, other.for_weight_gradient, std::less_equal());
}

class RankWalk {
 public:
  explicit RankWalk(std::uint32_t chunks) : now_{0, Counts(chunks), Counts(chunks)} {}

  std::vector<HeldCounts> most(const RankOrder& order) {
    for (const Slot& slot : order) take(slot);
    return std::move(most_);
  }

 private:
  using Counts = std::vector<std::uint32_t>;

  void take(const Slot& slot) {
    switch (slot.action) {
      case Action::Forward:
        ++now_.activations[slot.chunk];
        return;
      case Action::Backward:
        return begin_backward(slot.chunk);
      case Action::BackwardInput:
        begin_backward(slot.chunk);
        ++now_.for_weight_gradient[slot.chunk];
        return;
      case Action::BackwardWeight:
        --now_.for_weight_gradient[slot.chunk];
        return;
      case Action::ForwardBackward:
        // It frees each layer of the backward before it makes one of the forward (memory/lifetime.h).
        begin_backward(slot.backward_chunk);
        ++now_.activations[slot.chunk];
        return;
    }
  }

  void begin_backward(std::uint32_t chunk) {
    now_.chunk = chunk;
    const auto covers = [&](const HeldCounts& known) { return is_below(now_, known); };
    if (std::ranges::none_of(most_, covers)) {
      std::erase_if(most_, [&](const HeldCounts& known) { return is_below(known, now_); });
      most_.push_back(now_);
    }
    --now_.activations[chunk];
  }

  HeldCounts now_;
  std::vector<HeldCounts> most_;
};

}  // namespace

std::vector<HeldCounts> least_held(std::uint32_t chunks) {
  std::vector<HeldCounts> least;
  for (std::uint32_t chunk = 0; chunk < chunks; ++chunk) {
    const std::vector<std::uint32_t> none(chunks);
    least.push_back({chunk, none, none});
    least.back().activations[chunk] = 1;
  }
  return least;
}

std::vector<std::vector<HeldCounts>> held_counts(const Skeleton& skeleton, const RunShape& shape) {
  std::vector<std::vector<HeldCounts>> by_rank;
  if (plans(skeleton)) return {shape.ranks, least_held(shape.chunks)};
  for (const RankOrder& order : rank_orders(skeleton, shape))
    by_rank.push_back(RankWalk(shape.chunks).most(order));
  return by_rank;
}

}  // namespace spillway
