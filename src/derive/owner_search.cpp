#include "derive/owner_search.h"

#include <algorithm>
#include <utility>

#include "derive/owner_rules.h"

namespace spillway {
namespace {

// Steps after which min-max gives up its proof. A node above the leaves, of which there are fewer than P^M,
// takes P x P of them at most, so every problem with P^(M+2) below it is solved exactly.
constexpr std::uint64_t kMinMaxSteps = 32'000'000;

// The search goes one call deeper per microbatch; beyond this many it leaves the greedy map as it is.
constexpr std::size_t kMinMaxMicrobatches = 10'000;

// Depth-first branch and bound over heaviest-first assignments, from the greedy map.
class MinMaxSearch {
 public:
  explicit MinMaxSearch(const OwnerProblem& problem)
      : problem_(problem),
        order_(heaviest_first(problem)),
        best_(greedy(problem)),
        best_spill_(max_spill(problem, best_)),
        bound_(spill_lower_bound(problem)),
        left_(problem.slack),
        current_(best_) {}

  OwnerChoice run() {
    const bool searched = order_.size() <= kMinMaxMicrobatches;
    if (searched) visit(0, Seconds());
    const bool proved = searched && steps_ < kMinMaxSteps;
    // Added up as everywhere else, so that the same map spills the same to the last bit.
    const Seconds spill = max_spill(problem_, best_);
    return {best_, spill, proved ? Seconds() : gap_above(bound_, spill)};
  }

 private:
  void visit(std::size_t depth, Seconds spill) {
    if (spill >= best_spill_ || best_spill_ <= bound_ || steps_ >= kMinMaxSteps) return;
    if (depth == order_.size()) {
      best_ = current_;
      best_spill_ = spill;
      return;
    }
    steps_ += left_.size() * left_.size();
    const std::size_t m = order_[depth];
    for (std::size_t rank = 0; rank < left_.size(); ++rank) {
      if (same_as_earlier(rank)) continue;
      const Seconds before = left_[rank];
      left_[rank] -= problem_.encode[m];
      current_[m] = rank_at(rank);
      visit(depth + 1, std::max(spill, Seconds() - left_[rank]));
      left_[rank] = before;
    }
  }

  // Ranks with equal slack left are interchangeable.
  bool same_as_earlier(std::size_t rank) const {
    return std::find(left_.begin(), left_.begin() + static_cast<std::ptrdiff_t>(rank), left_[rank]) !=
           left_.begin() + static_cast<std::ptrdiff_t>(rank);
  }

  const OwnerProblem& problem_;
  std::vector<std::size_t> order_;
  OwnerMap best_;
  Seconds best_spill_;
  Seconds bound_;
  std::vector<Seconds> left_;
  OwnerMap current_;
  std::uint64_t steps_ = 0;
};

// First-improvement hill climbing: move a microbatch to another rank, or swap two.
class MakespanSearch {
 public:
  MakespanSearch(const OwnerProblem& problem, const MakespanOf& makespan, std::uint32_t evaluations)
      : problem_(problem), makespan_(makespan), left_(evaluations), best_(greedy(problem)) {
    best_makespan_ = evaluate(best_);
    for (const OwnerMap& start : {round_robin(problem), blocked(problem), least_spill(problem).owner})
      try_map(start);
  }

  OwnerMap run() {
    while (left_ > 0 && (improve_by_move() || improve_by_swap())) {
    }
    return best_;
  }

 private:
  Seconds evaluate(const OwnerMap& owner) {
    --left_;
    return makespan_(owner);
  }

  bool try_map(const OwnerMap& owner) {
    if (left_ == 0) return false;
    const Seconds makespan = evaluate(owner);
    if (makespan >= best_makespan_) return false;
    best_ = owner;
    best_makespan_ = makespan;
    return true;
  }

  bool improve_by_move() {
    for (std::size_t m = 0; m < best_.size() && left_ > 0; ++m) {
      for (std::size_t rank = 0; rank < problem_.slack.size() && left_ > 0; ++rank) {
        if (best_[m] == rank_at(rank)) continue;
        OwnerMap moved = best_;
        moved[m] = rank_at(rank);
        if (try_map(moved)) return true;
      }
    }
    return false;
  }

  bool improve_by_swap() {
    for (std::size_t a = 0; a < best_.size() && left_ > 0; ++a) {
      for (std::size_t b = a + 1; b < best_.size() && left_ > 0; ++b) {
        if (best_[a] == best_[b]) continue;
        OwnerMap swapped = best_;
        std::swap(swapped[a], swapped[b]);
        if (try_map(swapped)) return true;
      }
    }
    return false;
  }

  const OwnerProblem& problem_;
  const MakespanOf& makespan_;
  std::uint32_t left_;
  OwnerMap best_;
  Seconds best_makespan_;
};

}  // namespace

OwnerChoice least_spill(const OwnerProblem& problem) {
  return MinMaxSearch(problem).run();
}

OwnerMap least_makespan(const OwnerProblem& problem, const MakespanOf& makespan, std::uint32_t evaluations) {
  return MakespanSearch(problem, makespan, evaluations).run();
}

Seconds gap_above(Seconds bound, Seconds spill) {
  return std::max(Seconds(), spill - bound);
}

}  // namespace spillway
