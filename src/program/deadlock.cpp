#include "program/deadlock.h"

#include <algorithm>
#include <map>
#include <utility>

#include "program/execution.h"

namespace spillway {
namespace {

std::optional<std::uint32_t> least_buffers(const Program& program) {
  ProgramExecution execution(program, 0);
  while (!execution.run())
    if (!execution.grow_buffers()) return {};
  return execution.buffers();
}

// Searches what ranks wait for, depth first, for a way back. The nodes are blocked ranks, and meetings at
// which they wait: a meeting needs all members that have not arrived.
class CycleSearch {
 public:
  CycleSearch(const Program& program, const ProgramExecution& execution)
      : program_(program), execution_(execution) {}

  void search(BlockingCheck& check) {
    for (std::size_t rank = 0; rank < program_.programs.size() && cycle_.empty(); ++rank)
      if (!execution_.ended(rank)) visit({rank, {}});
    for (const std::size_t rank : cycle_) check.cycle.push_back({rank, execution_.standing(rank)});
    if (cycle_.empty()) check.starved = starved_;
  }

 private:
  using Meeting = std::pair<std::size_t, std::uint32_t>;  // group, number
  // A rank, or a meeting if there is one.
  struct Waiting {
    std::size_t rank;
    std::optional<Meeting> meeting;

    friend auto operator<=>(const Waiting&, const Waiting&) = default;
  };
  struct Open {
    Waiting node;
    std::vector<Waiting> needs;
  };
  enum class State { Open, Done };

  std::vector<Waiting> needs_of(const Waiting& node) {
    std::vector<Waiting> needs;
    const auto add = [&](std::size_t rank) {
      if (!execution_.ended(rank))
        needs.push_back({rank, {}});
      else if (!starved_)
        starved_ = ActionPlace{last_rank_, execution_.standing(last_rank_)};
    };
    if (node.meeting) {
      for (const std::size_t rank : execution_.members(node.meeting->first))
        if (!execution_.has_arrived(rank, node.meeting->first, node.meeting->second)) add(rank);
      return needs;
    }
    last_rank_ = node.rank;
    const ProgramExecution::Need need = execution_.need(node.rank);
    if (need.rank) add(*need.rank);
    if (need.meeting) needs.push_back({0, need.meeting});
    return needs;
  }

  void visit(const Waiting& start) {
    if (!states_.try_emplace(start, State::Open).second) return;
    std::vector<Open> open = {{start, needs_of(start)}};
    while (!open.empty()) {
      if (open.back().needs.empty()) {
        states_[open.back().node] = State::Done;
        open.pop_back();
        continue;
      }
      const Waiting next = open.back().needs.back();
      open.back().needs.pop_back();
      const auto [known, fresh] = states_.try_emplace(next, State::Open);
      if (!fresh && known->second == State::Open) return close(open, next);
      if (fresh) open.push_back({next, needs_of(next)});
    }
  }

  void close(const std::vector<Open>& open, const Waiting& back) {
    auto at = std::ranges::find(open, back, &Open::node);
    for (; at != open.end(); ++at)
      if (!at->node.meeting) cycle_.push_back(at->node.rank);
    std::ranges::rotate(cycle_, std::ranges::min_element(cycle_));
  }

  const Program& program_;
  const ProgramExecution& execution_;
  std::map<Waiting, State> states_;
  std::vector<std::size_t> cycle_;  // ranks, from the first one on
  std::size_t last_rank_ = 0;       // that led to a meeting
  std::optional<ActionPlace> starved_;
};

}  // namespace

BlockingCheck check_blocking(const Program& program, std::optional<std::uint32_t> buffers) {
  BlockingCheck check;
  check.buffers_needed = least_buffers(program);
  check.safe = check.buffers_needed && (!buffers || *buffers >= *check.buffers_needed);
  if (check.safe) return check;
  ProgramExecution execution(program, buffers.value_or(ProgramExecution::kUnbounded));
  execution.run();
  CycleSearch(program, execution).search(check);
  return check;
}

}  // namespace spillway
