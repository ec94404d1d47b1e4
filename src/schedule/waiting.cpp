#include "schedule/waiting.h"

#include <algorithm>
#include <array>
#include <optional>

namespace spillway {
namespace {

// The cells of all forwards, and of all backwards that produce the gradient of their stage's input.
class Producers {
 public:
  Producers(const ActionLists& lists, std::uint32_t microbatches) : microbatches_(microbatches) {
    for (std::uint32_t rank = 0; rank < lists.rows.size(); ++rank)
      for (std::uint32_t slot = 0; slot < lists.rows[rank].size(); ++slot)
        if (const auto& action = lists.rows[rank][slot]) add(*action, {rank, slot});
    for (auto& cells : {&forwards_, &backwards_}) stages_ = std::max(stages_, cells->size() / microbatches_);
  }

  // The actions on other stages that an action needs: at most one forward and one backward.
  std::array<std::optional<Cell>, 2> inputs_of(const ListedAction& action) const {
    switch (action.kind) {
      case ListedKind::Forward:
        return {forward_before(action.stage, action.microbatch), std::nullopt};
      case ListedKind::Backward:
      case ListedKind::BackwardInput:
        return {std::nullopt, backward_after(action.stage, action.microbatch)};
      case ListedKind::ForwardBackward:
        return {forward_before(action.stage, action.microbatch),
                backward_after(action.backward_stage, action.backward_microbatch)};
      default:
        return {};
    }
  }

 private:
  void add(const ListedAction& action, Cell cell) {
    if (action.kind == ListedKind::Forward) put(forwards_, action.stage, action.microbatch, cell);
    if (action.kind == ListedKind::Backward || action.kind == ListedKind::BackwardInput)
      put(backwards_, action.stage, action.microbatch, cell);
    if (action.kind == ListedKind::ForwardBackward) {
      put(forwards_, action.stage, action.microbatch, cell);
      put(backwards_, action.backward_stage, action.backward_microbatch, cell);
    }
  }

  void put(std::vector<Cell>& cells, std::uint32_t stage, std::uint32_t microbatch, Cell cell) {
    const std::size_t end = (std::size_t{stage} + 1) * microbatches_;
    if (cells.size() < end) cells.resize(end);
    cells[end - microbatches_ + microbatch] = cell;
  }

  std::optional<Cell> forward_before(std::uint32_t stage, std::uint32_t microbatch) const {
    if (stage == 0) return std::nullopt;
    return forwards_[(std::size_t{stage} - 1) * microbatches_ + microbatch];
  }
  std::optional<Cell> backward_after(std::uint32_t stage, std::uint32_t microbatch) const {
    if (std::size_t{stage} + 1 == stages_) return std::nullopt;
    return backwards_[(std::size_t{stage} + 1) * microbatches_ + microbatch];
  }

  std::uint32_t microbatches_;
  std::size_t stages_ = 0;
  std::vector<Cell> forwards_;  // stage x M + microbatch
  std::vector<Cell> backwards_;
};

class Run {
 public:
  Run(const ActionLists& lists, std::uint32_t microbatches)
      : lists_(lists), producers_(lists, microbatches), next_(lists.rows.size(), 0) {
    for (bool advances = true; advances;) {
      advances = false;
      for (std::uint32_t rank = 0; rank < next_.size(); ++rank) advances = advance(rank) || advances;
    }
  }

  std::optional<std::uint32_t> stuck_rank() const {
    for (std::uint32_t rank = 0; rank < next_.size(); ++rank)
      if (next_[rank] < lists_.rows[rank].size()) return rank;
    return std::nullopt;
  }

  ListWait wait_of(std::uint32_t rank) const { return {{rank, next_[rank]}, *missing(rank)}; }

 private:
  // The first input that the rank's next action lacks.
  std::optional<Cell> missing(std::uint32_t rank) const {
    const auto& action = lists_.rows[rank][next_[rank]];
    if (!action) return std::nullopt;
    for (const auto& input : producers_.inputs_of(*action))
      if (input && next_[input->rank] <= input->slot) return input;
    return std::nullopt;
  }

  bool advance(std::uint32_t rank) {
    const std::uint32_t before = next_[rank];
    while (next_[rank] < lists_.rows[rank].size() && !missing(rank)) ++next_[rank];
    return next_[rank] > before;
  }

  const ActionLists& lists_;
  Producers producers_;
  std::vector<std::uint32_t> next_;  // by rank: its current slot
};

}  // namespace

std::vector<ListWait> waiting_circle(const ActionLists& lists, std::uint32_t microbatches) {
  const Run run(lists, microbatches);
  const auto stuck = run.stuck_rank();
  if (!stuck) return {};
  // Follows the waits from rank to rank until one repeats.
  std::vector<bool> seen(lists.rows.size(), false);
  std::uint32_t rank = *stuck;
  for (; !seen[rank]; rank = run.wait_of(rank).awaited.rank) seen[rank] = true;
  std::vector<ListWait> circle;
  const std::uint32_t first = rank;
  do {
    circle.push_back(run.wait_of(rank));
    rank = circle.back().awaited.rank;
  } while (rank != first);
  const auto lowest =
      std::min_element(circle.begin(), circle.end(),
                       [](const ListWait& a, const ListWait& b) { return a.waiting.rank < b.waiting.rank; });
  std::rotate(circle.begin(), lowest, circle.end());
  return circle;
}

}  // namespace spillway
