#include "derive/owner_rules.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <queue>
#include <utility>

namespace spillway {
namespace {

// Hands equal encodes out in rounds: no rank gets its second of them before every rank chosen has its first,
// so that early microbatches are not queued behind each other on the rank with the longest slack.
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

}  // namespace

std::vector<std::size_t> heaviest_first(const OwnerProblem& problem) {
  std::vector<std::size_t> order(problem.encode.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return problem.encode[a] > problem.encode[b]; });
  return order;
}

OwnerMap round_robin(const OwnerProblem& problem) {
  OwnerMap owner;
  for (std::size_t m = 0; m < problem.encode.size(); ++m) owner.push_back(rank_at(m % problem.slack.size()));
  return owner;
}

OwnerMap blocked(const OwnerProblem& problem) {
  const std::size_t microbatches = problem.encode.size();
  OwnerMap owner;
  for (std::size_t m = 0; m < microbatches; ++m)
    owner.push_back(rank_at(m * problem.slack.size() / microbatches));
  return owner;
}

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

}  // namespace spillway
