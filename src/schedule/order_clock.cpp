#include "schedule/order_clock.h"

#include <algorithm>
#include <optional>

#include "base/error.h"

namespace spillway {
namespace {

class OrderClock {
 public:
  OrderClock(const RunShape& shape, const std::vector<RankOrder>& orders)
      : shape_(shape), orders_(orders), ranks_(orders.size()) {}

  Seconds last_end() {
    for (bool moved = true; moved;) {
      moved = false;
      for (std::uint32_t r = 0; r < ranks_.size(); ++r) moved |= run(r);
    }
    Seconds last;
    for (std::uint32_t r = 0; r < ranks_.size(); ++r) {
      ensure(ranks_[r].next == orders_[r].size(), "the orders never wait for themselves");
      last = std::max(last, ranks_[r].free_at);
    }
    return last;
  }

 private:
  struct Rank {
    std::size_t next = 0;
    Seconds free_at = {};
    std::vector<Seconds> forward_ends, gradient_ends;  // microbatches come in order
  };

  // As far as the rank gets.
  bool run(std::uint32_t r) {
    Rank& rank = ranks_[r];
    const std::size_t before = rank.next;
    for (; rank.next < orders_[r].size(); ++rank.next) {
      const std::optional<Seconds> ready = ready_at(r, orders_[r][rank.next].action);
      if (!ready) break;
      end_slot(rank, orders_[r][rank.next].action, *ready, shape_.expected.stage(r));
    }
    return rank.next > before;
  }

  // Nothing where the input has not been made.
  std::optional<Seconds> ready_at(std::uint32_t r, Action action) const {
    const Rank& rank = ranks_[r];
    const bool forward = action == Action::Forward, last = r + 1 == ranks_.size();
    if (action == Action::BackwardWeight || (forward && r == 0) || (!forward && last)) return Seconds();
    const std::vector<Seconds>& sent = forward ? ranks_[r - 1].forward_ends : ranks_[r + 1].gradient_ends;
    const std::size_t wanted = (forward ? rank.forward_ends : rank.gradient_ends).size();
    return wanted < sent.size() ? std::optional(sent[wanted] + shape_.expected.transfer) : std::nullopt;
  }

  static void end_slot(Rank& rank, Action action, Seconds ready, const StageExpectation& stage) {
    const Seconds start = std::max(rank.free_at, ready);
    if (action == Action::Forward) {
      rank.forward_ends.push_back(rank.free_at = start + stage.forward);
    } else if (action == Action::BackwardInput) {
      rank.gradient_ends.push_back(rank.free_at = start + stage.input_gradient);
    } else {
      rank.free_at = start + stage.weight_gradient;
    }
  }

  const RunShape& shape_;
  const std::vector<RankOrder>& orders_;
  std::vector<Rank> ranks_;
};

}  // namespace

Seconds last_end(const RunShape& shape, const std::vector<RankOrder>& orders) {
  return OrderClock(shape, orders).last_end();
}

}  // namespace spillway
