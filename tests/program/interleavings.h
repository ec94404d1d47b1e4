// The slow, obvious oracle of deadlock.h: every interleaving of a tiny program, explored. Messages are kept
// in queues, and buffers are slots that sends take and receives free.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "program/program.h"

namespace spillway::testing {

class Interleavings {
 public:
  // `buffers` of each ordered pair of ranks; nothing: any number.
  Interleavings(const Program& program, std::optional<std::uint32_t> buffers)
      : program_(program), buffers_(buffers) {
    explore({std::vector<std::size_t>(program.programs.size()), {}, {}, {}});
  }

  bool some_blocks() const { return blocks_ > 0; }
  bool some_ends() const { return ends_ > 0; }
  // The ways in which executions block, by where each rank stands.
  std::size_t ways_to_block() const { return blocks_; }

 private:
  using Key = std::tuple<std::size_t, std::uint32_t>;  // of a message at the sending rank: rank, action
  struct Pair {
    std::deque<Key> unmatched;     // sends without a receive, in their order
    std::uint32_t free_posts = 0;  // receives that were posted before their sends
    auto operator<=>(const Pair&) const = default;
  };
  struct State {
    std::vector<std::size_t> next;
    std::map<std::pair<std::size_t, std::size_t>, Pair> pairs;
    std::map<std::pair<std::size_t, std::uint32_t>, std::vector<std::size_t>> groups;  // group, number: ranks
    std::set<std::pair<std::size_t, std::uint32_t>> arrived;  // rank, action of a meeting
    auto operator<=>(const State&) const = default;
  };

  std::size_t peer(std::size_t rank, RankId other) const {
    return program_.programs[rank].replica.index() * program_.ranks + other.index();
  }
  const RankAction& action(std::size_t rank, std::size_t index) const {
    return program_.programs[rank].actions[index];
  }

  // How many actions of the same kind and pair, or of the same group, the rank executes before `index`.
  template <class Same>
  std::uint32_t number(std::size_t rank, std::size_t index, const Same& same) const {
    std::uint32_t count = 0;
    for (std::size_t i = 0; i < index; ++i)
      if (same(action(rank, i))) ++count;
    return count;
  }

  static std::optional<std::size_t> group_of(const RankAction& action) {
    if (const auto* one = std::get_if<BroadcastAction>(&action)) return one->group;
    if (const auto* one = std::get_if<ReduceAction>(&action)) return one->group;
    if (const auto* one = std::get_if<ComputeAction>(&action); one && one->group) return *one->group;
    if (std::holds_alternative<BarrierAction>(action)) return kAll;
    return {};
  }
  std::size_t size_of(std::size_t group) const {
    return group == kAll ? program_.programs.size() : program_.groups[group].size();
  }
  std::pair<std::size_t, std::uint32_t> meeting(std::size_t rank, std::size_t index) const {
    const std::size_t group = *group_of(action(rank, index));
    return {group, number(rank, index, [&](const RankAction& other) { return group_of(other) == group; })};
  }
  bool all_are_there(const State& state, std::pair<std::size_t, std::uint32_t> where) const {
    const auto there = state.groups.find(where);
    return there != state.groups.end() && there->second.size() == size_of(where.first);
  }

  bool is_over(const State& state, std::size_t rank, std::uint32_t index) const {
    if (index >= state.next[rank]) return false;
    const RankAction& awaited = action(rank, index);
    if (const auto* send = std::get_if<Send>(&awaited)) {
      const Pair& pair = state.pairs.at({rank, peer(rank, send->peer)});
      for (std::size_t i = 0; i < pair.unmatched.size(); ++i)
        if (pair.unmatched[i] == Key{rank, index}) return !buffers_ || i < *buffers_;
      return true;
    }
    if (const auto* receive = std::get_if<PostReceive>(&awaited)) {
      const std::size_t from = peer(rank, receive->peer);
      const auto same = [&](const RankAction& other) {
        const auto* send = std::get_if<Send>(&other);
        return send && peer(from, send->peer) == rank;
      };
      return number(from, state.next[from], same) > receive->tag;
    }
    return all_are_there(state, meeting(rank, index));
  }

  // Returns the state after the rank's next action, or nothing if it blocks and changes nothing.
  std::optional<State> after(State state, std::size_t rank) const {
    const std::size_t index = state.next[rank];
    const RankAction& now = action(rank, index);
    if (const auto* wait = std::get_if<Wait>(&now)) {
      if (!is_over(state, rank, wait->of)) return {};
    } else if (const auto* send = std::get_if<Send>(&now)) {
      Pair& pair = state.pairs[{rank, peer(rank, send->peer)}];
      if (pair.free_posts > 0)
        --pair.free_posts;
      else
        pair.unmatched.push_back({rank, static_cast<std::uint32_t>(index)});
    } else if (const auto* receive = std::get_if<PostReceive>(&now)) {
      Pair& pair = state.pairs[{peer(rank, receive->peer), rank}];
      if (pair.unmatched.empty())
        ++pair.free_posts;
      else
        pair.unmatched.pop_front();
    } else if (group_of(now)) {
      return after_group(std::move(state), rank);
    }
    ++state.next[rank];
    return state;
  }

  std::optional<State> after_group(State state, std::size_t rank) const {
    const std::size_t index = state.next[rank];
    const auto where = meeting(rank, index);
    const bool blocks = std::holds_alternative<ComputeAction>(action(rank, index)) || where.first == kAll;
    const bool comes = state.arrived.insert({rank, static_cast<std::uint32_t>(index)}).second;
    if (comes) state.groups[where].push_back(rank);
    std::ranges::sort(state.groups[where]);
    if (blocks && !all_are_there(state, where)) return comes ? std::optional(state) : std::nullopt;
    ++state.next[rank];
    return state;
  }

  void explore(State first) {
    std::set<State> known = {first};
    std::vector<State> open = {std::move(first)};
    while (!open.empty()) {
      const State state = std::move(open.back());
      open.pop_back();
      bool at_end = true, goes_on = false;
      for (std::size_t rank = 0; rank < state.next.size(); ++rank) {
        if (state.next[rank] == program_.programs[rank].actions.size()) continue;
        at_end = false;
        auto next = after(state, rank);
        if (!next) continue;
        goes_on = true;
        if (known.insert(*next).second) open.push_back(std::move(*next));
      }
      if (at_end) ++ends_;
      if (!at_end && !goes_on) ++blocks_;
    }
  }

  static constexpr std::size_t kAll = ~std::size_t{0};
  const Program& program_;
  std::optional<std::uint32_t> buffers_;
  std::size_t blocks_ = 0, ends_ = 0;
};

}  // namespace spillway::testing
