// ZB-1p and ZB-2p minimize the bubble for the expected times, under a memory limit of P or 2P microbatches'
// activations. Forwards fill the pipeline until the first gradient can return or memory is full. Then every
// turn adds a forward and an input gradient to each rank. Weight gradients run where the rank would wait, or
// where they must free memory. Three switches tune this; the best of the eight plans is taken. The plan for
// zero transfer time is taken instead if it ends earlier under the real transfer time, because a heuristic
// may do better with less information.
//
//   rank 0  1 2 3 4 . . . A w 5 B w 6 C w D w E w F w          zb-1p, F = I = W; 1 forward, A input gradient
//   rank 1  . 1 2 3 . . A 4 B w 5 C w 6 D w E w F w w          of microbatch 1, w a weight gradient, the
//   rank 2  . . 1 2 . A 3 B 4 C w 5 D w 6 E w F w w w          oldest that is left
//   rank 3  . . . 1 A 2 B 3 C 4 D w 5 E w 6 F w w w w
//
// A rank never holds more than the limit, in bytes: an activation counts whole from the forward on, and from
// the input gradient on with the part that the weight gradient needs. (So parts of more chunks than the limit
// may be held.) It cannot deadlock under any expectations, because a slot is added after those that it waits
// for. O(ranks x microbatches). Qi et al. 2024, Zero Bubble Pipeline Parallelism,
// https://arxiv.org/abs/2401.10241, section 3; as in sail-sg/zero-bubble-pipeline-parallelism,
// scheduler/zb.py, with two differences: stages of unequal times never ask for a forward before its input,
// and a stage without activations counts with the defaults. Tests: tests/schedule/zb_auto_test.cpp.
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.h"
#include "schedule/rank_order.h"
#include "schedule/skeletons.h"

namespace spillway {
namespace {

// Runs each slot as soon as its rank is free and its input is there, with the durations of the shape's
// expectations. Linear in the slots and in ranks x turns; there are at most ranks + slots of a rank turns.
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

  // Runs the rank as far as its inputs allow.
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

  // The time when the input is there; nothing if it has not been made.
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

// The last end of rank orders of one straight pipeline. Contract: `orders` are of P stages with split
// backwards and never wait for themselves.
Seconds last_end(const RunShape& shape, const std::vector<RankOrder>& orders) {
  return OrderClock(shape, orders).last_end();
}

struct Switches {
  bool bubble_before_first_gradient;  // no forward that would delay the first input gradient
  bool gradients_first;               // defer a forward if an input gradient is about to arrive
  bool fill_every_gap;                // a weight gradient even if waiting would not hurt the worst rank
};

struct Stage {
  StageExpectation expected;
  std::uint32_t forwards = 0;
  std::uint32_t input_gradients = 0;
  std::uint32_t weight_gradients = 0;
  Seconds first_start = {};
  Seconds free_at = {};
  Seconds bubble = {};  // since the first forward
  std::vector<Seconds> forward_ends;
  std::vector<Seconds> input_gradient_ends;
  RankOrder order;

  std::uint32_t pending() const { return input_gradients - weight_gradients; }

  // Returns true if the activations stay within `limit` whole ones.
  bool fits(std::uint32_t limit, std::uint32_t more_forwards, std::uint32_t more_weight_gradients) const {
    const double whole = forwards + more_forwards - input_gradients;
    const double rest = pending() - more_weight_gradients;
    return whole * expected.activations + rest * expected.weight_gradient_activations <=
           limit * expected.activations;
  }
};

// A stage that holds nothing would have no limit, so it counts with the default activations.
StageExpectation countable(StageExpectation stage) {
  if (!(stage.activations > 0)) {
    stage.activations = StageExpectation().activations;
    stage.weight_gradient_activations = StageExpectation().weight_gradient_activations;
  }
  stage.weight_gradient_activations = std::clamp(stage.weight_gradient_activations, 0.0, stage.activations);
  return stage;
}

class ZeroBubblePlan {
 public:
  ZeroBubblePlan(const RunShape& shape, std::uint32_t limit, Switches switches)
      : microbatches_(shape.microbatches),
        limit_(limit),
        switches_(switches),
        transfer_(shape.expected.transfer),
        stages_(shape.ranks) {
    for (std::uint32_t r = 0; r < shape.ranks; ++r) {
      stages_[r].expected = countable(shape.expected.stage(r));
      stages_[r].order.reserve(3 * std::size_t{microbatches_});
    }
    fill();
    for (std::uint32_t m = 1; m < microbatches_; ++m) advance();
    for (std::uint32_t r = 0; r < shape.ranks; ++r) catch_up(r);
  }

  // The longest time from a rank's first start to its last end.
  Seconds longest_span() const {
    Seconds longest;
    for (const Stage& stage : stages_) longest = std::max(longest, stage.free_at - stage.first_start);
    return longest;
  }

  std::vector<RankOrder> orders() && {
    std::vector<RankOrder> orders;
    for (Stage& stage : stages_) orders.push_back(std::move(stage.order));
    return orders;
  }

 private:
  std::uint32_t ranks() const { return static_cast<std::uint32_t>(stages_.size()); }

  // The arrivals of the inputs of the rank's next forward and input gradient from the other rank.
  Seconds forward_arrives(std::uint32_t r) const {
    return r == 0 ? Seconds() : stages_[r - 1].forward_ends[stages_[r].forwards] + transfer_;
  }
  Seconds gradient_arrives(std::uint32_t r) const {
    return r + 1 == ranks() ? Seconds()
                            : stages_[r + 1].input_gradient_ends[stages_[r].input_gradients] + transfer_;
  }

  void run(Stage& stage, Action action, std::uint32_t microbatch, Seconds ready, Seconds duration) {
    const Seconds start = std::max(stage.free_at, ready);
    if (stage.order.empty()) {
      stage.first_start = start;
    } else {
      stage.bubble += start - stage.free_at;
      worst_bubble_ = std::max(worst_bubble_, stage.bubble);
    }
    stage.free_at = start + duration;
    stage.order.push_back({action, 0, MicrobatchId(microbatch)});
  }

  void forward(std::uint32_t r) {
    Stage& stage = stages_[r];
    run(stage, Action::Forward, stage.forwards, forward_arrives(r), stage.expected.forward);
    stage.forward_ends.push_back(stage.free_at);
    ++stage.forwards;
  }

  void input_gradient(std::uint32_t r) {
    Stage& stage = stages_[r];
    run(stage, Action::BackwardInput, stage.input_gradients, gradient_arrives(r),
        stage.expected.input_gradient);
    stage.input_gradient_ends.push_back(stage.free_at);
    ++stage.input_gradients;
  }

  void weight_gradient(std::uint32_t r) {
    Stage& stage = stages_[r];
    run(stage, Action::BackwardWeight, stage.weight_gradients, Seconds(), stage.expected.weight_gradient);
    ++stage.weight_gradients;
  }

  void catch_up(std::uint32_t r) {
    while (stages_[r].pending() > 0) weight_gradient(r);
  }

  // Adds the warm-up and the first input gradient of every rank.
  void fill() {
    for (std::uint32_t r = 0; r < ranks(); ++r) forward(r);
    const std::vector<std::uint32_t> ahead = forwards_ahead();
    for (std::uint32_t r = 0; r < ranks(); ++r) {
      for (std::uint32_t i = 0; i < ahead[r]; ++i) forward(r);
    }
    for (std::uint32_t r = ranks(); r-- > 0;) input_gradient(r);
  }

  // The number of forwards after the first one for which a rank has time and memory before its first input
  // gradient. It is smaller than on the previous rank, unless both have run all.
  std::vector<std::uint32_t> forwards_ahead() const {
    std::vector<std::uint32_t> ahead(ranks(), 0);
    Seconds gradient_end = stages_.back().free_at + stages_.back().expected.input_gradient;
    for (std::uint32_t r = ranks() - 1; r-- > 0;) {
      const Stage& stage = stages_[r];
      const Seconds arrival = gradient_end + transfer_, each = stage.expected.forward;
      Seconds busy_until = stage.free_at;
      while (1 + ahead[r] < microbatches_ && stage.fits(limit_, ahead[r] + 1, 0) &&
             (switches_.bubble_before_first_gradient ? busy_until + each <= arrival : busy_until < arrival)) {
        busy_until += each;
        ++ahead[r];
      }
      gradient_end = std::max(busy_until, arrival) + stage.expected.input_gradient;
    }
    for (std::uint32_t r = 1; r < ranks(); ++r) {
      const bool all = 1 + ahead[r] == microbatches_;
      if (ahead[r] < ahead[r - 1] || (all && ahead[r] == ahead[r - 1])) continue;
      ahead[r] = std::max(ahead[r - 1], 1U) - 1;
    }
    return ahead;
  }

  // Adds one input gradient to every rank, after one more forward if a microbatch is left.
  void advance() {
    const std::vector<bool> due = forwards_due();
    for (std::uint32_t r = 0; r < ranks(); ++r) {
      if (!due[r]) continue;
      while (!stages_[r].fits(limit_, 1, 0)) weight_gradient(r);
      use_gap(r, forward_arrives(r));
      forward(r);
    }
    for (std::uint32_t r = ranks(); r-- > 0;) {
      use_gap(r, gradient_arrives(r));
      if (r == 0 && stages_[r].forwards == microbatches_) catch_up(r);
      input_gradient(r);
    }
  }

  // If a rank runs no forward now, the ranks before it need not run one either.
  std::vector<bool> forwards_due() const {
    std::vector<bool> due(ranks());
    for (std::uint32_t r = ranks(); r-- > 0;) {
      due[r] = (r + 1 == ranks() || due[r + 1]) && stages_[r].forwards < microbatches_ && !puts_off(r);
    }
    return due;
  }

  // Returns true if the rank waits for the earliest input gradient of the next rank, instead of running a
  // forward that the next rank cannot use yet.
  bool puts_off(std::uint32_t r) const {
    if (!switches_.gradients_first || r + 1 == ranks()) return false;
    const Stage &stage = stages_[r], &next = stages_[r + 1];
    if (stage.forwards < next.forwards + 2) return false;
    const Seconds arrival = next.free_at + next.expected.forward + next.expected.input_gradient + transfer_;
    if (stage.free_at >= arrival) return true;
    std::uint32_t making_room = 0;
    while (making_room < stage.pending() && !stage.fits(limit_, 1, making_room)) ++making_room;
    const Seconds forward_end =
        stage.free_at + stage.expected.forward + making_room * stage.expected.weight_gradient;
    return forward_end > arrival && arrival - stage.free_at <= worst_bubble_ - stage.bubble;
  }

  // Runs weight gradients before `until`. The last one may end later, unless the rank has less bubble than
  // the worst even if it waits.
  void use_gap(std::uint32_t r, Seconds until) {
    const Stage& stage = stages_[r];
    while (stage.pending() > 0 && stage.free_at + stage.expected.weight_gradient <= until) weight_gradient(r);
    if (stage.pending() == 0 || stage.free_at >= until) return;
    const bool harmless = until - stage.free_at <= worst_bubble_ - stage.bubble;
    if (switches_.fill_every_gap || !harmless) weight_gradient(r);
  }

  std::uint32_t microbatches_;
  std::uint32_t limit_;
  Switches switches_;
  Seconds transfer_;
  Seconds worst_bubble_ = {};
  std::vector<Stage> stages_;
};

std::vector<RankOrder> least_span(const RunShape& shape, std::uint32_t limit) {
  std::optional<ZeroBubblePlan> best;
  for (bool bubble_before_first_gradient : {true, false}) {
    for (bool gradients_first : {true, false}) {
      for (bool fill_every_gap : {true, false}) {
        ZeroBubblePlan plan(shape, limit, {bubble_before_first_gradient, gradients_first, fill_every_gap});
        if (!best || plan.longest_span() < best->longest_span()) best = std::move(plan);
      }
    }
  }
  return std::move(*best).orders();
}

// Plans with a limit of `limit` microbatches' activations on each rank.
std::vector<RankOrder> zb_auto(const RunShape& shape, std::uint32_t limit) {
  std::vector<RankOrder> orders = least_span(shape, limit);
  if (shape.expected.transfer == Seconds()) return orders;
  RunShape at_once = shape;
  at_once.expected.transfer = {};
  std::vector<RankOrder> others = least_span(at_once, limit);
  return last_end(shape, others) < last_end(shape, orders) ? others : orders;
}

}  // namespace

std::vector<RankOrder> zb_1p(const RunShape& shape) {
  return zb_auto(shape, shape.ranks);
}

std::vector<RankOrder> zb_2p(const RunShape& shape) {
  return zb_auto(shape, 2 * shape.ranks);
}

}  // namespace spillway
