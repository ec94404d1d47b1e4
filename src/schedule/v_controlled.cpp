// V-Half and V-Min repeat one building block every six slots (two chunks' F, I and W). The block is a
// microbatch's way down the ranks, up again, and back. The distance between its four passes on a rank
// determines how long activations live, and so how many live at once: about a half and a third of 1F1B's.
//
//   rank 0  1  2  .  .  .  1' A' 3  w  2' B' w  A  4  w  3' C' w  B  w  .  4' D' C  w  w  .  D  w
//   rank 1  .  1  .  .  1' 2  .  A' 2' w  3  A  B' w  3' w  4  B  C' w  4' w  C  D' w  w  D  w
//   rank 2  .  .  1  1' .  .  2  2' A' A  w  3  w  3' B' B  w  4  w  4' C' C  w  w  D' D  w  w
//
//   v-half; 1 is a forward, A an input gradient of microbatch 1, w a weight gradient, ' marks chunk 1
//
// At F = I = W = 1 per chunk the bubble is at most 3P-4 for v-half (M >= P) and 4P-5 for v-min, a little
// under 1/2 and 2/3 of 1F1B's 6(P-1). At most floor((P+2)/2) and floor((P+4)/3) microbatches' activations
// live on a rank, even if they count whole until the weight gradient. All plans are in slots, for F = I = W,
// like the authors'; the expected times choose one of four plans. O(ranks x microbatches).
//
// Qi et al. 2024, Pipeline Parallelism with Controllable Memory, https://arxiv.org/abs/2405.15362, sections 3
// and 4. The blocks are those of sail-sg/zero-bubble-pipeline-parallelism, scheduler/zbv_greedy.py; the rule
// that moves passes forward into the block's gaps is ours. Tests: tests/schedule/v_controlled_test.cpp.
#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "schedule/rank_order.h"
#include "schedule/skeleton.h"

namespace spillway {
namespace {

// The passes of a microbatch on every rank, in order: its forward through chunk 0 (down the ranks) and chunk
// 1 (up), its input gradients through chunk 1 (down) and chunk 0 (up).
inline constexpr std::uint32_t kPasses = 4;
inline constexpr std::uint32_t kPeriod = 6;  // slots from one microbatch to the next

// The slot of each pass of microbatch 0, by rank; other microbatches follow one period apart.
using VBlock = std::vector<std::array<std::uint32_t, kPasses>>;

struct VStep {
  std::uint32_t rank;
  Slot slot;
};

struct VSwitches {
  bool steady;     // between the first microbatch's end and the last one's start, keep the block's own times
  bool run_ahead;  // the forwards that fill the memory first need not keep the block's order
};

bool is_forward(std::uint32_t pass) {
  return pass < 2;
}

std::uint32_t chunk_of(std::uint32_t pass) {
  return pass == 0 || pass == 3 ? 0 : 1;
}

// Puts the block's passes into slots one slot after the other. A pass takes the first slot in which it can
// run; the pass that is earliest in the block comes first. Weight gradients take the slots left over, and the
// place of a forward where memory is full. The plan never gets stuck: the block's earliest remaining pass has
// its inputs. It has as much memory as in the block itself, because forwards keep the block's order. The
// first forwards may leave that order, but they fit into memory all at once.
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
    std::array<std::uint32_t, kPasses> done_before = {};  // before this slot
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
      const bool blocked = pass && is_forward(*pass) && full;  // first free memory, if possible
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

  // The numbers per pass among the block's first forwards on the rank, as many as fit into memory.
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

  // Returns the first pass of the block among those that can run now.
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
  std::uint32_t limit_;  // in chunks' activations, each whole until its weight gradient
  std::uint32_t steady_from_ = 1;
  std::uint32_t steady_to_ = 0;
  std::vector<Rank> ranks_;
  std::vector<VStep> steps_;
};

// The block's passes slot by slot, with at most `limit` microbatches' activations on a rank. Each step stands
// after those that it waits for. Contract: the block itself stays within the limit.
std::vector<VStep> v_steps(const VBlock& block, const RunShape& shape, std::uint32_t limit,
                           VSwitches switches) {
  return VPlan(block, shape, limit, switches).steps();
}

VBlock half_block(std::uint32_t ranks) {
  const std::uint32_t p = ranks, apart = p % 2 == 0 ? 3 : 0;  // or passes of even P would meet in one slot
  VBlock block;
  for (std::uint32_t r = 0; r < p; ++r) {
    block.push_back({2 * r, 3 * p - r - 2, 3 * p + apart + 2 * r - 1, 6 * p + apart - r - 2});
  }
  return block;
}

VBlock min_block(std::uint32_t ranks) {
  const std::uint32_t p = ranks, apart = p % 3 == 0 ? 2 : 0;  // or passes of such P would meet in one slot
  VBlock block;
  for (std::uint32_t r = 0; r < p; ++r) {
    block.push_back({r, 2 * p - 1 - r, 2 * p + apart + r, 4 * p + apart - 1 - r});
  }
  return block;
}

// Runs the steps with the expected times. One pass suffices, because each step stands after those that it
// waits for.
class ExpectedRun {
 public:
  ExpectedRun(const std::vector<VStep>& steps, const RunShape& shape) : shape_(shape), clocks_(shape.ranks) {
    for (const VStep& step : steps) run(step);
  }

  // The longest time from a rank's first start to its last end.
  Seconds longest_span() const {
    Seconds longest;
    for (const Clock& clock : clocks_) longest = std::max(longest, clock.free_at - clock.first_start.value());
    return longest;
  }

 private:
  struct Clock {
    std::optional<Seconds> first_start;
    Seconds free_at;
    std::array<std::vector<Seconds>, kPasses> ends;
  };

  static std::uint32_t pass_of(const Slot& slot) {
    return slot.action == Action::Forward ? slot.chunk : kPasses - 1 - slot.chunk;
  }

  void run(const VStep& step) {
    Clock& clock = clocks_[step.rank];
    const Seconds start = std::max(clock.free_at, arrival(step));
    if (!clock.first_start) clock.first_start = start;
    clock.free_at = start + duration(step);
    if (step.slot.action != Action::BackwardWeight) clock.ends[pass_of(step.slot)].push_back(clock.free_at);
  }

  // The arrival of the step's input from the previous rank on its way, if there is one.
  Seconds arrival(const VStep& step) const {
    if (step.slot.action == Action::BackwardWeight) return {};
    const std::uint32_t pass = pass_of(step.slot);
    const bool down = pass % 2 == 0;
    if (step.rank == (down ? 0 : shape_.ranks - 1)) return {};
    const Clock& before = clocks_[down ? step.rank - 1 : step.rank + 1];
    return before.ends[pass][step.slot.microbatch.index()] + shape_.expected.transfer;
  }

  Seconds duration(const VStep& step) const {
    const StageExpectation stage =
        shape_.expected.stage(stage_of_chunk(Fold::Reflected, shape_.ranks, step.slot.chunk, step.rank));
    if (step.slot.action == Action::Forward) return stage.forward;
    return step.slot.action == Action::BackwardInput ? stage.input_gradient : stage.weight_gradient;
  }

  const RunShape& shape_;
  std::vector<Clock> clocks_;
};

// Tries each switch on and off, and returns the plan with the shortest expected time.
std::vector<RankOrder> shortest(const VBlock& block, const RunShape& shape, std::uint32_t limit) {
  std::vector<VStep> best;
  Seconds best_span;
  for (bool steady : {false, true}) {
    for (bool run_ahead : {false, true}) {
      std::vector<VStep> steps = v_steps(block, shape, limit, {steady, run_ahead});
      const Seconds span = ExpectedRun(steps, shape).longest_span();
      if (!best.empty() && !(span < best_span)) continue;
      best = std::move(steps);
      best_span = span;
    }
  }
  std::vector<RankOrder> orders(shape.ranks);
  for (RankOrder& order : orders) order.reserve(std::size_t{2} * 3 * shape.microbatches);
  for (const auto& [rank, slot] : best) orders[rank].push_back(slot);
  return orders;
}

// The number of microbatches whose activations a rank may hold.
std::uint32_t half_limit(const RunShape& shape) {
  return (shape.ranks + 2) / 2;
}
std::uint32_t min_limit(const RunShape& shape) {
  return (shape.ranks + 4) / 3;
}

}  // namespace

std::vector<RankOrder> v_half(const RunShape& shape) {
  return shortest(half_block(shape.ranks), shape, half_limit(shape));
}

double v_half_bound(const RunShape& shape, RankId) {
  return half_limit(shape);
}

std::vector<RankOrder> v_min(const RunShape& shape) {
  return shortest(min_block(shape.ranks), shape, min_limit(shape));
}

double v_min_bound(const RunShape& shape, RankId) {
  return min_limit(shape);
}

}  // namespace spillway
