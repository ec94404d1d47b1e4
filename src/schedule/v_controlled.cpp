// V-Half and V-Min: one building block, a microbatch's way down the ranks, up again, and back, is repeated
// every six slots (two chunks' F, I and W). How far apart its four passes lie on a rank is how long
// activations live, hence how many live at once: about a half and a third of 1F1B's.
//
//   rank 0  1  2  .  .  .  1' A' 3  w  2' B' w  A  4  w  3' C' w  B  w  .  4' D' C  w  w  .  D  w
//   rank 1  .  1  .  .  1' 2  .  A' 2' w  3  A  B' w  3' w  4  B  C' w  4' w  C  D' w  w  D  w
//   rank 2  .  .  1  1' .  .  2  2' A' A  w  3  w  3' B' B  w  4  w  4' C' C  w  w  D' D  w  w
//
//   v-half; 1 is a forward, A an input gradient of microbatch 1, w a weight gradient, ' marks chunk 1
//
// At F = I = W = 1 per chunk the bubble is at most 3P-4 for v-half (M >= P) and 4P-5 for v-min, a little
// under 1/2 and 2/3 of 1F1B's 6(P-1). At most floor((P+2)/2) and floor((P+4)/3) microbatches' activations
// live on a rank, even were they whole until the weight gradient. All plans are in slots, that is for F = I =
// W, as the authors' are (v_steps.cpp); the expected times choose one of four. O(ranks x microbatches).
//
// Qi et al. 2024, Pipeline Parallelism with Controllable Memory, https://arxiv.org/abs/2405.15362, sections 3
// and 4. The blocks are those of sail-sg/zero-bubble-pipeline-parallelism, scheduler/zbv_greedy.py; how
// passes are moved forward in the block's gaps is not. Tests: tests/schedule/v_controlled_test.cpp.
#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "schedule/skeleton.h"
#include "schedule/v_steps.h"

namespace spillway {
namespace {

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

// The steps as they run where they take the times that are expected. One pass: each stands after those it
// waits for.
class ExpectedRun {
 public:
  ExpectedRun(const std::vector<VStep>& steps, const RunShape& shape) : shape_(shape), clocks_(shape.ranks) {
    for (const VStep& step : steps) run(step);
  }

  // From a rank's first start to its last end.
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

  // When the step has its input from the rank before it on the way, if there is one.
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

// Of the plans with each switch on and off, the one that is expected to be the shortest.
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

// Microbatches whose activations a rank holds.
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
