// Encodes in bubbles. The body is run by itself on expected times; what it leaves idle on each rank are the
// gaps. The first gap of a rank begins with the step and grows as the body begins later:
//
//   rank 0  |e1     | F1 F2 F3 F4 .  .  B1 F5 B2 ...      P = 2. An encode in a gap has to end before its
//   rank 1  |e2  e3   .  F1 F2 F3 B1 F4 B2 ...            microbatch enters the body on rank 0
//            the body begins so late that all do (by halving), or later
//
// Encodes in the order of their deadlines, each on the rank that is done with it first. A later body has more
// encodes before it and leaves more of its gaps to backwards, so that there are several plans, of which the
// fastest is to be taken. Times in the plan are never zero (body_room.cpp), so that what follows also begins
// later, and an order of beginnings waits for nothing but earlier beginnings: no plan waits for itself. Body
// passes of the draws take what they take; a gap that turns out shorter delays what is behind it, as it would
// on the machine.
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

// How often the time by which the body may have to begin later is halved.
constexpr int kSteps = 40;
// How many plans there are between that time and the one in which everything is encoded before the body.
constexpr int kPlans = 5;

// A pass that is placed, and when it is to begin.
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
      if (!place_forwards(later)) continue;  // first come, first served is not monotone
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

  // How much later than the step the body begins at least.
  Seconds least_delay() {
    Seconds low, high = room_.gather + room_.least;
    for (const auto& passes : room_.encode) high += sum(passes);
    for (int step = 0; step < kSteps; ++step) {
      const Seconds middle = (low + high) / 2.0;
      (place_forwards(middle) ? high : low) = middle;
    }
    return high;
  }

  // With all encodes before the body on every rank, nothing else being idle.
  Seconds delay_of_all() const {
    Seconds all, longest;
    for (const auto& passes : room_.encode) {
      all += sum(passes);
      longest = std::max(longest, sum(passes));
    }
    return all / static_cast<double>(pipeline_.ranks) + longest + room_.gather;
  }

  // With the body that much later; false where some encode finds no place in time.
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
    if (!room_.has_backward) return;  // Lemma 1 leaves it out
    for (const std::uint32_t m : by(room_.leaves)) {
      const std::vector<Seconds>& passes = room_.backward[m];
      const Seconds ready = room_.leaves[m] + later + room_.scatter;
      take(gaps_[owner_[m].index()].fit(passes, ready, std::nullopt), m, true, passes);
    }
  }

  // The passes of a microbatch that found their places, the first ones.
  void take(const std::vector<GapUse>& uses, std::uint32_t m, bool backward,
            const std::vector<Seconds>& passes) {
    const std::uint32_t rank = owner_[m].index(), ranks = pipeline_.ranks;
    for (std::uint32_t i = 0; i < uses.size(); ++i) {
      const auto piece = backward ? static_cast<std::uint32_t>(passes.size()) - 1 - i : i;
      const RankGap& gap = gaps_[rank][uses[i].gap];
      begins_[rank].push_back({{gap.before, MicrobatchId(m), backward, piece}, uses[i].at});
      if (gap.host) hidden_.push_back({StageId(piece * ranks + rank), MicrobatchId(m), backward, *gap.host});
      gaps_[rank].take(uses[i], passes[i]);
    }
  }

  // Microbatches, the earliest time first.
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
  std::vector<RankGaps> gaps_;  // by rank: what is left of the room
  std::vector<HiddenPass> hidden_;
  std::vector<std::vector<Begin>> begins_;  // by rank
};

}  // namespace

std::vector<InputPlan> plans_in_gaps(const OwnerRequest& request, const Derived& derived) {
  return GapPlanner(derived.pipeline, body_room(request, derived)).plans();
}

}  // namespace spillway
