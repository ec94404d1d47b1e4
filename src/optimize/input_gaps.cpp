// Encodes in bubbles. The body runs alone on expected times, and leaves gaps on each rank. The first gap of a
// rank starts with the step and grows as the body begins later:
//
//   rank 0  |e1     | F1 F2 F3 F4 .  .  B1 F5 B2 ...      P = 2. An encode in a gap has to end before its
//   rank 1  |e2  e3   .  F1 F2 F3 B1 F4 B2 ...            microbatch enters the body on rank 0
//            the body begins so late that all do (by halving), or later
//
// Encodes are placed in the order of their deadlines, each on the rank that completes it first. A later body
// has more encodes before it and leaves more of its gaps to backwards. So there are several plans, and the
// caller takes the fastest. Times in a plan are never zero (body_room.cpp), so a successor always begins
// later. An order of beginnings waits only for earlier beginnings, and no plan waits for itself. In the
// draws, passes of the body take their own times. A gap that turns out shorter delays what follows, as it
// would on the machine.
// Source: Optimus (ATC 2025), section 4.2; Kimi K3, technical report, section 5.2.3.
// Tests: tests/systems/input_gaps_test.cpp.
#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "optimize/body_room.h"
#include "optimize/input_plan.h"

namespace spillway {
namespace {

// The number of halvings in the search for the least delay of the body.
constexpr int kSteps = 40;
// The number of plans between the least delay and the delay with every encode before the body.
constexpr int kPlans = 5;

// A placed pass, and its planned beginning.
struct Begin {
  PlacedPass pass;
  Seconds at;
};

class GapPlanner {
 public:
  GapPlanner(const Pipeline& pipeline, BodyRoom room)
      : pipeline_(pipeline), room_(std::move(room)), owner_(pipeline.microbatches) {}

  std::vector<InputPlan> plans() {
    const Seconds least = least_delay(), most = std::max(least, delay_of_all());
    std::vector<InputPlan> plans;
    for (int i = 0; i < kPlans; ++i) {
      const Seconds later = least + (most - least) * (static_cast<double>(i) / (kPlans - 1));
      if (!place_forwards(later))
        continue;  // placing is not monotone in the delay: encodes take gaps first come, first served
      place_backwards(later);
      plans.push_back({owner_, in_order(), hidden_});
      if (least == most) break;
    }
    ensure(!plans.empty(), "what ended in time by the least delay does so again");
    return plans;
  }

 private:
  static Seconds sum(const std::vector<Seconds>& passes) {
    return std::accumulate(passes.begin(), passes.end(), Seconds());
  }

  // Returns the least delay of the body, counted from the start of the step.
  Seconds least_delay() {
    Seconds low, high = room_.gather + room_.least;
    for (const auto& passes : room_.encode) high += sum(passes);
    for (int step = 0; step < kSteps; ++step) {
      const Seconds middle = (low + high) / 2.0;
      (place_forwards(middle) ? high : low) = middle;
    }
    return high;
  }

  // Returns the delay with all encodes before the body on every rank and nothing else idle.
  Seconds delay_of_all() const {
    Seconds all, longest;
    for (const auto& passes : room_.encode) {
      all += sum(passes);
      longest = std::max(longest, sum(passes));
    }
    return all / static_cast<double>(pipeline_.ranks) + longest + room_.gather;
  }

  // Places forwards with the body delayed by `later`. Returns false if some encode has no place in time.
  bool place_forwards(Seconds later) {
    gaps_ = room_.gaps;
    for (RankGaps& gaps : gaps_) gaps.delay(later);
    begins_.assign(pipeline_.ranks, {});
    hidden_.clear();
    return std::ranges::all_of(by(room_.enters), [&](std::uint32_t m) { return place_forward(m, later); });
  }

  bool place_forward(std::uint32_t m, Seconds later) {
    const std::vector<Seconds>& passes = room_.encode[m];
    std::vector<GapUse> best;
    for (std::uint32_t rank = 0; rank < gaps_.size(); ++rank) {
      std::vector<GapUse> uses = gaps_[rank].fit(passes, Seconds(), room_.enters[m] + later - room_.gather);
      if (uses.size() < passes.size() || (!best.empty() && uses.back().end >= best.back().end)) continue;
      best = std::move(uses);
      owner_[m] = RankId(rank);
    }
    take(best, m, false, passes);
    return !best.empty();
  }

  void place_backwards(Seconds later) {
    if (room_.trained.empty()) return;  // Lemma 1 drops the backwards
    for (const std::uint32_t m : by(room_.leaves)) {
      const std::vector<Seconds>& passes = room_.backward[m];
      const Seconds ready = room_.leaves[m] + later + room_.scatter;
      take(gaps_[owner_[m].index()].fit(passes, ready, std::nullopt), m, true, passes);
    }
  }

  // Takes gaps for the first passes of a microbatch, one for each use.
  void take(const std::vector<GapUse>& uses, std::uint32_t m, bool backward,
            const std::vector<Seconds>& passes) {
    const std::uint32_t rank = owner_[m].index(), ranks = pipeline_.ranks;
    for (std::uint32_t i = 0; i < uses.size(); ++i) {
      const std::uint32_t piece = backward ? room_.trained[i] : i;
      const RankGap& gap = gaps_[rank][uses[i].gap];
      begins_[rank].push_back({{gap.before, MicrobatchId(m), backward, piece}, uses[i].at});
      if (gap.host) hidden_.push_back({StageId(piece * ranks + rank), MicrobatchId(m), backward, *gap.host});
      gaps_[rank].take(uses[i], passes[i]);
    }
  }

  // Returns the microbatches in ascending order of time.
  static std::vector<std::uint32_t> by(const std::vector<Seconds>& times) {
    std::vector<std::uint32_t> order(times.size());
    for (std::uint32_t m = 0; m < order.size(); ++m) order[m] = m;
    std::ranges::stable_sort(order, {}, [&](std::uint32_t m) { return times[m]; });
    return order;
  }

  std::vector<std::vector<PlacedPass>> in_order() {
    std::vector<std::vector<PlacedPass>> placed;
    for (std::vector<Begin>& begins : begins_) {
      std::ranges::stable_sort(begins, {}, &Begin::at);
      std::vector<PlacedPass>& own = placed.emplace_back();
      for (const Begin& begin : begins) own.push_back(begin.pass);
    }
    return placed;
  }

  const Pipeline& pipeline_;
  const BodyRoom room_;
  OwnerMap owner_;
  std::vector<RankGaps> gaps_;  // by rank: the room that is left
  std::vector<HiddenPass> hidden_;
  std::vector<std::vector<Begin>> begins_;  // by rank
};

}  // namespace

std::vector<InputPlan> plans_in_gaps(const OwnerRequest& request, const Derived& derived) {
  return GapPlanner(derived.pipeline, body_room(request, derived)).plans();
}

}  // namespace spillway
