// The slow, obvious execution of a program with its times, under rendezvous sends: each rank runs its actions
// in order, a message takes its seconds from the moment both sides have started it, and waits block.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "program/program.h"

namespace spillway::testing {

class LiteralProgram {
 public:
  explicit LiteralProgram(const Program& program)
      : program_(program), next_(program.programs.size()), now_(program.programs.size()) {}

  // Returns when the last rank ends, or nothing if ranks block.
  std::optional<double> makespan() {
    for (bool more = true; more;) {
      more = false;
      for (std::size_t rank = 0; rank < next_.size(); ++rank)
        while (next_[rank] < actions(rank).size() && step(rank)) ++next_[rank], more = true;
    }
    for (std::size_t rank = 0; rank < next_.size(); ++rank)
      if (next_[rank] < actions(rank).size()) return {};
    return *std::ranges::max_element(now_);
  }

 private:
  // What ranks start together: a message (replica, from, to, tag) or an operation of a group.
  using Name = std::tuple<int, std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>;
  struct Shared {
    std::map<std::size_t, double> started;  // by rank
    std::size_t parties;
    double seconds;
  };

  const std::vector<RankAction>& actions(std::size_t rank) const { return program_.programs[rank].actions; }

  Name name_of(std::size_t rank, std::size_t index) const {
    const RankProgram& of = program_.programs[rank];
    const RankAction& action = of.actions[index];
    if (const auto* send = std::get_if<Send>(&action))
      return {0, of.replica.index(), of.rank.index(), send->peer.index(), send->tag};
    if (const auto* receive = std::get_if<PostReceive>(&action))
      return {0, of.replica.index(), receive->peer.index(), of.rank.index(), receive->tag};
    std::uint32_t before = 0;
    const std::uint32_t group = group_of(action);
    for (std::size_t i = 0; i < index; ++i)
      if (meets(of.actions[i]) && group_of(of.actions[i]) == group) ++before;
    return {1, group, before, 0, 0};
  }

  static bool meets(const RankAction& action) {
    const auto* compute = std::get_if<ComputeAction>(&action);
    return std::holds_alternative<BroadcastAction>(action) || std::holds_alternative<ReduceAction>(action) ||
           std::holds_alternative<BarrierAction>(action) || (compute && compute->group);
  }
  std::uint32_t group_of(const RankAction& action) const {
    if (const auto* one = std::get_if<BroadcastAction>(&action)) return one->group;
    if (const auto* one = std::get_if<ReduceAction>(&action)) return one->group;
    if (const auto* one = std::get_if<ComputeAction>(&action); one && one->group) return *one->group;
    return static_cast<std::uint32_t>(program_.groups.size());  // the barrier's
  }

  // Starts this rank's part of something shared, once. The slowest party's time counts.
  Shared& start(std::size_t rank, std::size_t parties, double seconds) {
    Shared& shared = shared_.try_emplace(name_of(rank, next_[rank]), Shared{{}, parties, 0}).first->second;
    if (shared.started.emplace(rank, now_[rank]).second) shared.seconds = std::max(shared.seconds, seconds);
    return shared;
  }

  // Returns when it is over; nothing as long as a party is missing.
  static std::optional<double> end_of(const Shared& shared) {
    if (shared.started.size() < shared.parties) return {};
    double start = 0;
    for (const auto& [rank, since] : shared.started) start = std::max(start, since);
    return start + shared.seconds;
  }

  bool block(std::size_t rank, const Shared& shared) {
    const std::optional<double> end = end_of(shared);
    if (end) now_[rank] = std::max(now_[rank], *end);
    return end.has_value();
  }

  bool step(std::size_t rank) {
    return std::visit([&](const auto& action) { return run(rank, action); }, actions(rank)[next_[rank]]);
  }
  bool run(std::size_t rank, const ComputeAction& action) {
    if (action.group)
      return block(rank, start(rank, program_.groups[*action.group].size(), action.time.value()));
    now_[rank] += action.time.value();
    return true;
  }
  bool run(std::size_t rank, const MessageAction& action) {
    return start(rank, 2, action.time.value()), true;
  }
  bool run(std::size_t rank, const Wait& wait) { return block(rank, shared_.at(name_of(rank, wait.of))); }
  bool run(std::size_t, const SeamAction&) { return true; }
  bool run(std::size_t, const LossAction&) { return true; }
  bool run(std::size_t rank, const BroadcastAction& action) {
    return start(rank, program_.groups[action.group].size(), action.time.value()), true;
  }
  bool run(std::size_t rank, const ReduceAction& action) {
    return start(rank, program_.groups[action.group].size(), action.time.value()), true;
  }
  bool run(std::size_t rank, const UpdateAction& action) {
    now_[rank] += action.time.value();
    return true;
  }
  bool run(std::size_t rank, const BarrierAction& action) {
    return block(rank, start(rank, program_.programs.size(), action.time.value()));
  }

  const Program& program_;
  std::vector<std::size_t> next_;
  std::vector<double> now_;
  std::map<Name, Shared> shared_;
};

inline std::optional<double> literal_makespan(const Program& program) {
  return LiteralProgram(program).makespan();
}

}  // namespace spillway::testing
