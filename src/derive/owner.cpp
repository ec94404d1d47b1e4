#include "derive/owner.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

#include "base/error.h"
#include "derive/owner_rules.h"
#include "derive/owner_search.h"

namespace spillway {
namespace {

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

Seconds max_spill(const OwnerProblem& problem, const OwnerMap& owner) {
  std::vector<Seconds> over(problem.slack.size());
  for (std::size_t m = 0; m < owner.size(); ++m) over[owner[m].index()] += problem.encode[m];
  Seconds worst;
  for (std::size_t rank = 0; rank < over.size(); ++rank)
    worst = std::max(worst, over[rank] - problem.slack[rank]);
  return worst;
}

Seconds spill_lower_bound(const OwnerProblem& problem) {
  // Divisible work poured into the slacks, longest first, until the level is even.
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
