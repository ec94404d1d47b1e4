// DualPipe and DualPipeV: every rank holds two stages that microbatches cross in opposite senses, so that a
// forward in one sense runs together with a backward in the other (F&B) and each hides the other's
// communication. DualPipe keeps the model twice and feeds half of the microbatches from each end; DualPipeV
// folds it once, at the last rank, and every rank's order is that of one half of DualPipe.
//
//   rank 0  F F F F'I'W'F'&     . &'    B'  . &'    B'  I W I W      DualPipe, P = 4, M = 8; or DualPipeV,
//   rank 1  . F F'F F'F B'  &'    &     &'    B'  B   . I'I W'W      P = 2, M = 4: ranks 0 and 1 alone
//   rank 2  . F'F F'F F'B   &     &'    &     B   B'  . I I'W W'
//   rank 3  F'F'F'F I W F &'    . &     B'  . &     B   I'W'I'W'     F = I = W, F&B = F + B; chunk 1 has '
//
// 0 is the sense that comes to this rank first, 1 the other; a half has H ranks (P/2, or P of DualPipeV), h
// of them lie outside of this one, n microbatches come per sense (M/2, or M); I is the input gradient alone,
// B both, W the oldest weight gradient owed:
//   1. 2(H-h-1) x F0   2. (h+1) x (F0, F1)   3. (H-h-1) x (I1, W, F1)   4. (n-2H+h+1) x (F0&B1, F1&B0)
//   5. (H-h-1) x (B1, F1&B0)   6. (h+1) x (B1, B0), the second half I only   7. (H-h-1) x (W, I0)
//   8. (h+1) x W. In the middle (h = H-1) the first F0 and B1 of step 4 run one after the other.
//
// Bubble (H-1)(F&B + B - 3W) of the ranks in the middle, where F = I and W <= F; the others overlap less, so
// that they work longer where overlap pays, and idle less. Every rank holds at most 2H+1 stages' activations,
// its slab being two stages. DeepSeek-V3, https://arxiv.org/abs/2412.19437, section 3.2.1; steps and refusals
// as in https://github.com/deepseek-ai/DualPipe and PyTorch's ScheduleDualPipeV. Tests:
// tests/schedule/dualpipe_test.cpp.
#include <algorithm>
#include <deque>
#include <string>
#include <utility>

#include "schedule/skeletons.h"

namespace spillway {
namespace {

constexpr std::uint32_t kNear = 0, kFar = 1;  // the sense that reaches a rank first, and the other

class EightSteps {
 public:
  // `to_turn` is H, `before` is h, `per_sense` is n. Microbatches of the near sense cross chunk `near_chunk`.
  // With `two_feeds`, even microbatches cross chunk 0 and odd ones chunk 1; otherwise all cross both.
  EightSteps(std::uint32_t to_turn, std::uint32_t before, std::uint32_t per_sense, std::uint32_t near_chunk,
             bool two_feeds)
      : after_(to_turn - before - 1),
        before_(before),
        steady_(per_sense + before + 1 - 2 * to_turn),
        near_chunk_(near_chunk),
        two_feeds_(two_feeds) {}

  RankOrder order() {
    warm_up();
    steady();
    cool_down();
    return std::move(order_);
  }

 private:
  void warm_up() {
    for (std::uint32_t i = 0; i < 2 * after_; ++i) forward(kNear);
    for (std::uint32_t i = 0; i < before_ + 1; ++i) {
      forward(kNear);
      forward(kFar);
    }
    for (std::uint32_t i = 0; i < after_; ++i) {
      input(kFar);
      weight();
      forward(kFar);
    }
  }

  void steady() {
    for (std::uint32_t i = 0; i < steady_; ++i) {
      if (i == 0 && after_ == 0) {
        forward(kNear);
        backward(kFar);
      } else {
        overlapped(kNear, kFar);
      }
      overlapped(kFar, kNear);
    }
    for (std::uint32_t i = 0; i < after_; ++i) {
      backward(kFar);
      overlapped(kFar, kNear);
    }
  }

  // The first loop has 2(before + 1) backwards; the last before + 1 of them defer their weight gradients.
  void cool_down() {
    for (std::uint32_t i = 0; i < 2 * (before_ + 1); ++i) {
      const std::uint32_t sense = i % 2 == 0 ? kFar : kNear;
      if (i < before_ + 1) {
        backward(sense);
      } else {
        input(sense);
      }
    }
    for (std::uint32_t i = 0; i < after_; ++i) {
      weight();
      input(kNear);
    }
    for (std::uint32_t i = 0; i < before_ + 1; ++i) weight();
  }

  Slot slot(Action action, std::uint32_t sense, std::uint32_t i) const {
    const std::uint32_t chunk = sense == kNear ? near_chunk_ : 1 - near_chunk_;
    return {action, chunk, MicrobatchId(two_feeds_ ? 2 * i + chunk : i)};
  }

  void forward(std::uint32_t sense) { order_.push_back(slot(Action::Forward, sense, forwards_[sense]++)); }
  void backward(std::uint32_t sense) { order_.push_back(slot(Action::Backward, sense, backwards_[sense]++)); }
  void input(std::uint32_t sense) {
    order_.push_back(slot(Action::BackwardInput, sense, backwards_[sense]++));
    owed_.push_back(order_.back());
  }
  void weight() {
    order_.push_back({Action::BackwardWeight, owed_.front().chunk, owed_.front().microbatch});
    owed_.pop_front();
  }
  void overlapped(std::uint32_t forward_sense, std::uint32_t backward_sense) {
    Slot both = slot(Action::ForwardBackward, forward_sense, forwards_[forward_sense]++);
    const Slot half = slot(Action::Backward, backward_sense, backwards_[backward_sense]++);
    both.backward_chunk = half.chunk;
    both.backward_microbatch = half.microbatch;
    order_.push_back(both);
  }

  std::uint32_t after_, before_;  // ranks between this one and the turn, or its own end
  std::uint32_t steady_;
  std::uint32_t near_chunk_;
  bool two_feeds_;
  std::uint32_t forwards_[2] = {}, backwards_[2] = {};
  std::deque<Slot> owed_;
  RankOrder order_;
};

// Refuses the shapes that the asserts of deepseek-ai/DualPipe refuse.
void refuse_unless_even(std::vector<Violation>& violations, const char* pointer, const char* why,
                        std::uint32_t count) {
  if (count % 2 == 0) return;
  violations.push_back(
      {"", pointer, std::string("an even number for dualpipe, ") + why, std::to_string(count)});
}

}  // namespace

RankOrder dualpipe(const RunShape& shape, RankId rank) {
  const std::uint32_t from_end = shape.ranks - 1 - rank.index();
  const std::uint32_t near_chunk = rank.index() < from_end ? 0 : 1;
  return EightSteps(shape.ranks / 2, std::min(rank.index(), from_end), shape.microbatches / 2, near_chunk,
                    true)
      .order();
}

double dualpipe_bound(const RunShape& shape, RankId) {
  return (shape.ranks + 1) / 2.0;
}

std::vector<Violation> check_dualpipe(std::string_view name, const RunShape& shape) {
  std::vector<Violation> violations;
  refuse_unless_even(violations, "/pipeline/ranks", "whose halves mirror each other", shape.ranks);
  refuse_unless_even(violations, "/pipeline/microbatches", "half of which enter at each end",
                     shape.microbatches);
  for (Violation& violation : check_fill(name, shape)) violations.push_back(std::move(violation));
  return violations;
}

RankOrder dualpipev(const RunShape& shape, RankId rank) {
  return EightSteps(shape.ranks, rank.index(), shape.microbatches, 0, false).order();
}

double dualpipev_bound(const RunShape& shape, RankId) {
  return (2.0 * shape.ranks + 1) / 2;
}

std::vector<Violation> check_fill(std::string_view name, const RunShape& shape) {
  const std::uint64_t fewest = 2 * std::uint64_t{shape.ranks};
  if (shape.microbatches >= fewest) return {};
  return {{"", "/pipeline/microbatches",
           "at least " + std::to_string(fewest) + " for " + std::string(name) + ", twice the " +
               std::to_string(shape.ranks) + " ranks",
           std::to_string(shape.microbatches)}};
}

}  // namespace spillway
