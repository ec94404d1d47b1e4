#include "derive/owner.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <numeric>
#include <queue>
#include <utility>
#include <vector>

#include "base/error.h"

namespace spillway {
namespace {

inline RankId rank_at(std::size_t index) {
  return RankId(static_cast<std::uint32_t>(index));
}

// Distributes equal encodes in rounds: no rank gets its second before every chosen rank has its first. So
// early microbatches do not queue on the rank with the longest slack.
void deal(const OwnerProblem& problem, const std::vector<std::size_t>& order,
          std::vector<std::size_t>& picks) {
  for (std::size_t begin = 0; begin < order.size();) {
    std::size_t end = begin;
    while (end < order.size() && problem.encode[order[end]] == problem.encode[order[begin]]) ++end;
    std::map<std::size_t, std::size_t> held;
    std::vector<std::pair<std::size_t, std::size_t>> rounds;  // (round, rank)
    for (std::size_t i = begin; i < end; ++i) rounds.emplace_back(held[picks[i]]++, picks[i]);
    std::stable_sort(rounds.begin(), rounds.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    for (std::size_t i = begin; i < end; ++i) picks[i] = rounds[i - begin].second;
    begin = end;
  }
}

// Microbatches by encode time, heaviest first, equals in microbatch order.
std::vector<std::size_t> heaviest_first(const OwnerProblem& problem) {
  std::vector<std::size_t> order(problem.encode.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return problem.encode[a] > problem.encode[b]; });
  return order;
}

OwnerMap round_robin(const OwnerProblem& problem) {
  OwnerMap owner;
  for (std::size_t m = 0; m < problem.encode.size(); ++m)
    owner.push_back(rank_at(m % problem.microbatches() % problem.slack.size()));
  return owner;
}

OwnerMap blocked(const OwnerProblem& problem) {
  const std::size_t microbatches = problem.microbatches();
  OwnerMap owner;
  for (std::size_t m = 0; m < problem.encode.size(); ++m)
    owner.push_back(rank_at(m % microbatches * problem.slack.size() / microbatches));
  return owner;
}

// Gives the heaviest encode to the rank with the longest slack left; equal slacks go to the lower rank.
OwnerMap greedy(const OwnerProblem& problem) {
  using Left = std::pair<Seconds, std::size_t>;
  const auto shorter = [](const Left& a, const Left& b) {
    return a.first < b.first || (a.first == b.first && a.second > b.second);
  };
  std::priority_queue<Left, std::vector<Left>, decltype(shorter)> left(shorter);
  for (std::size_t rank = 0; rank < problem.slack.size(); ++rank) left.emplace(problem.slack[rank], rank);
  const std::vector<std::size_t> order = heaviest_first(problem);
  std::vector<std::size_t> picks;
  for (std::size_t m : order) {
    const auto [slack, rank] = left.top();
    left.pop();
    picks.push_back(rank);
    left.emplace(slack - problem.encode[m], rank);
  }
  deal(problem, order, picks);
  OwnerMap owner(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) owner[order[i]] = rank_at(picks[i]);
  return owner;
}

// The distance of `spill` above `bound`; not negative, even if rounding has put `spill` below.
Seconds gap_above(Seconds bound, Seconds spill) {
  return std::max(Seconds(), spill - bound);
}

// The steps after which min-max gives up its proof. There are fewer than P^M nodes above the leaves, and each
// takes at most P x P steps. So every problem with P^(M+2) below this is solved exactly.
constexpr std::uint64_t kMinMaxSteps = 32'000'000;

// The search recurses once per microbatch; beyond this many it returns the greedy map.
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
    // Adds in the same order as other code, so that equal maps have equal spills to the last bit.
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

// Least max spill; OwnerPolicy::MinMax says how far it is proved.
OwnerChoice least_spill(const OwnerProblem& problem) {
  return MinMaxSearch(problem).run();
}

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

// Least makespan found in at most `evaluations` calls of `makespan`; at least one.
OwnerMap least_makespan(const OwnerProblem& problem, const MakespanOf& makespan, std::uint32_t evaluations) {
  return MakespanSearch(problem, makespan, evaluations).run();
}

OwnerChoice judged(const OwnerProblem& problem, OwnerMap owner) {
  const Seconds spill = max_spill(problem, owner);
  return {std::move(owner), spill, gap_above(spill_lower_bound(problem), spill)};
}

}  // namespace

std::string to_string(OwnerPolicy policy) {
  for (const auto& [name, known] : kOwnerPolicies) {
    if (known == policy) return std::string(name);
  }
  throw ContractBreach("unknown owner policy");
}

std::vector<OwnerMap> by_input(const OwnerMap& owner, std::size_t microbatches) {
  std::vector<OwnerMap> maps;
  for (auto first = owner.begin(); first != owner.end();) {
    const auto end = first + static_cast<std::ptrdiff_t>(microbatches);
    maps.emplace_back(first, end);
    first = end;
  }
  return maps;
}

Seconds max_spill(const OwnerProblem& problem, const OwnerMap& owner) {
  std::vector<Seconds> over(problem.slack.size());
  for (std::size_t m = 0; m < owner.size(); ++m) over[owner[m].index()] += problem.encode[m];
  Seconds worst;
  for (std::size_t rank = 0; rank < over.size(); ++rank)
    worst = std::max(worst, over[rank] - problem.slack[rank]);
  return worst;
}

Seconds spill_lower_bound(const OwnerProblem& problem) {
  // Treats the work as divisible and fills the slacks with it, longest first, to an even level.
  std::vector<Seconds> slack = problem.slack;
  std::sort(slack.begin(), slack.end(), std::greater<>());
  const Seconds work = std::accumulate(problem.encode.begin(), problem.encode.end(), Seconds());
  Seconds bound, room;
  for (std::size_t used = 1; used <= slack.size(); ++used) {
    room += slack[used - 1];
    const Seconds level = (work - room) / static_cast<double>(used);
    const bool next_stays_dry = used == slack.size() || level <= Seconds() - slack[used];
    if (next_stays_dry) {
      bound = level;
      break;
    }
  }
  const Seconds heaviest = *std::max_element(problem.encode.begin(), problem.encode.end());
  return std::max({Seconds(), bound, heaviest - slack.front()});
}

OwnerChoice choose_owner(OwnerPolicy policy, const OwnerProblem& problem, const MakespanOf& makespan,
                         std::uint32_t evaluations) {
  ensure(!problem.encode.empty() && !problem.slack.empty(), "an owner map needs microbatches and ranks");
  switch (policy) {
    case OwnerPolicy::RoundRobin:
      return judged(problem, round_robin(problem));
    case OwnerPolicy::Blocked:
      return judged(problem, blocked(problem));
    case OwnerPolicy::Greedy:
      return judged(problem, greedy(problem));
    case OwnerPolicy::MinMax:
      return least_spill(problem);
    case OwnerPolicy::Makespan:
      ensure(evaluations > 0, "a search needs at least one evaluation");
      return judged(problem, least_makespan(problem, makespan, evaluations));
  }
  throw ContractBreach("unknown owner policy");
}

}  // namespace spillway
