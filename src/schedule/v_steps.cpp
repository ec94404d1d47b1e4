// The block's passes slot by slot, each in the first slot in which it can run, the earliest of the block
// first; weight gradients in the slots left over, and in place of a forward where memory is full. It never
// gets stuck: of the passes not yet run, the block's earliest has its inputs, and memory for it as in the
// block itself, since forwards keep the block's order, but for the first ones, which fit all at once.
#include "schedule/v_steps.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace spillway {
namespace {

bool is_forward(std::uint32_t pass) {
  return pass < 2;
}

std::uint32_t chunk_of(std::uint32_t pass) {
  return pass == 0 || pass == 3 ? 0 : 1;
}

class VPlan {
 public:
  VPlan(const VBlock& block, const RunShape& shape, std::uint32_t limit, VSwitches switches)
      : block_(block), microbatches_(shape.microbatches), limit_(2 * limit), ranks_(shape.ranks) {
    if (switches.steady) {
      steady_from_ = block[0][kPasses - 1];
      steady_to_ = block[0][0] + kPeriod * (microbatches_ - 1);
    }
    if (switches.run_ahead) {
      for (std::uint32_t r = 0; r < shape.ranks; ++r) ranks_[r].ahead = first_forwards(r);
    }
    const std::size_t slots = std::size_t{2} * 3 * microbatches_ * shape.ranks;
    steps_.reserve(slots);
    for (std::uint32_t now = 0; steps_.size() < slots; ++now) fill_slot(now);
  }

  std::vector<VStep> steps() && { return std::move(steps_); }

 private:
  struct Rank {
    std::array<std::uint32_t, kPasses> done = {};
    std::array<std::uint32_t, kPasses> done_before = {};  // this slot
    std::array<std::uint32_t, 2> ahead = {};              // forwards by pass that need not keep the order
    std::vector<Slot> input_gradients;
    std::uint32_t weight_gradients = 0;

    std::uint32_t live() const { return done[0] + done[1] - weight_gradients; }
    bool pending() const { return weight_gradients < input_gradients.size(); }
  };

  void fill_slot(std::uint32_t now) {
    for (Rank& rank : ranks_) rank.done_before = rank.done;
    for (std::uint32_t r = 0; r < ranks_.size(); ++r) {
      const bool full = ranks_[r].live() >= limit_;
      std::optional<std::uint32_t> pass = earliest(r, now, true);
      const bool blocked = pass && is_forward(*pass) && full;  // first make room, if anything can
      if (blocked) pass = ranks_[r].pending() ? std::nullopt : earliest(r, now, false);
      if (pass) {
        run(r, *pass);
      } else if (ranks_[r].pending()) {
        run_weight_gradient(r);
      }
    }
  }

  std::uint32_t time(std::uint32_t r, std::uint32_t pass) const {
    return block_[r][pass] + kPeriod * ranks_[r].done[pass];
  }

  bool up_is_next(const std::array<std::uint32_t, kPasses>& done, std::uint32_t r) const {
    return done[0] == microbatches_ || block_[r][1] + kPeriod * done[1] < block_[r][0] + kPeriod * done[0];
  }

  // Of the block's first forwards on the rank, as many as memory takes, how many are of each pass.
  std::array<std::uint32_t, 2> first_forwards(std::uint32_t r) const {
    std::array<std::uint32_t, kPasses> done = {};
    while (done[0] + done[1] < std::min(limit_, 2 * microbatches_)) ++done[up_is_next(done, r) ? 1 : 0];
    return {done[0], done[1]};
  }

  bool in_turn(std::uint32_t r, std::uint32_t pass) const {
    const Rank& rank = ranks_[r];
    if (!is_forward(pass) || rank.done[pass] < rank.ahead[pass]) return true;
    const bool filling = rank.done[0] + rank.done[1] < rank.ahead[0] + rank.ahead[1];
    return !filling && pass == (up_is_next(rank.done, r) ? 1U : 0U);
  }

  // The pass that comes first in the block of those that can run now.
  std::optional<std::uint32_t> earliest(std::uint32_t r, std::uint32_t now, bool forwards) const {
    std::optional<std::uint32_t> first;
    for (std::uint32_t pass = forwards ? 0 : 2; pass < kPasses; ++pass) {
      if (ranks_[r].done[pass] == microbatches_ || !in_turn(r, pass) || !ready(r, pass, now)) continue;
      if (!first || time(r, pass) < time(r, *first)) first = pass;
    }
    return first;
  }

  bool ready(std::uint32_t r, std::uint32_t pass, std::uint32_t now) const {
    const std::uint32_t microbatch = ranks_[r].done[pass], at = time(r, pass);
    if (at >= steady_from_ && at <= steady_to_ && now < at) return false;
    if (pass > 0 && ranks_[r].done_before[pass - 1] <= microbatch) return false;
    const bool down = pass % 2 == 0;
    if (down) return r == 0 || ranks_[r - 1].done_before[pass] > microbatch;
    return r + 1 == ranks_.size() || ranks_[r + 1].done_before[pass] > microbatch;
  }

  void run(std::uint32_t r, std::uint32_t pass) {
    Rank& rank = ranks_[r];
    const Slot slot{is_forward(pass) ? Action::Forward : Action::BackwardInput, chunk_of(pass),
                    MicrobatchId(rank.done[pass]++)};
    if (!is_forward(pass)) rank.input_gradients.push_back(slot);
    steps_.push_back({r, slot});
  }

  void run_weight_gradient(std::uint32_t r) {
    Slot slot = ranks_[r].input_gradients[ranks_[r].weight_gradients++];
    slot.action = Action::BackwardWeight;
    steps_.push_back({r, slot});
  }

  const VBlock& block_;
  std::uint32_t microbatches_;
  std::uint32_t limit_;  // chunks' activations, each whole until its weight gradient
  std::uint32_t steady_from_ = 1;
  std::uint32_t steady_to_ = 0;
  std::vector<Rank> ranks_;
  std::vector<VStep> steps_;
};

}  // namespace

std::vector<VStep> v_steps(const VBlock& block, const RunShape& shape, std::uint32_t limit,
                           VSwitches switches) {
  return VPlan(block, shape, limit, switches).steps();
}

}  // namespace spillway
