// The slow, obvious way to execute a program: without MPI, in virtual time, under rendezvous sends. Every
// rank tries its next action again and again until none gets on.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "program/program.h"

namespace spillway::testing {

class VirtualPlay {
 public:
  explicit VirtualPlay(const Program& program) : program_(program), ranks_(program.programs.size()) {
    for (bool moved = true; moved;) {
      moved = false;
      for (std::size_t rank = 0; rank < ranks_.size(); ++rank)
        while (at(rank) && step(rank)) moved = true;
    }
  }

  // The end of the step; nothing if the ranks block for ever.
  std::optional<Seconds> end() const {
    Seconds last;
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
      if (ranks_[rank].next < program_.programs[rank].actions.size()) return {};
      last = std::max(last, ranks_[rank].free);
    }
    return last;
  }

 private:
  using Message = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>;
  using Meeting = std::tuple<int, std::uint32_t, std::uint32_t, std::size_t>;  // kind, group, stage, which
  struct Rank {
    std::size_t next = 0;
    Seconds free = {};
    std::map<std::uint32_t, Meeting> exchanges = {};  // by action
    std::map<std::tuple<int, std::uint32_t, std::uint32_t>, std::size_t> count = {};
    std::optional<Meeting> waits_in = {};  // of a compute with a group, or the barrier
  };

  const RankAction* at(std::size_t rank) const {
    const auto& actions = program_.programs[rank].actions;
    return ranks_[rank].next < actions.size() ? &actions[ranks_[rank].next] : nullptr;
  }

  // Returns true if the rank's next action is over.
  bool step(std::size_t rank) {
    if (!std::visit([&](const auto& action) { return act(rank, action); }, *at(rank))) return false;
    ++ranks_[rank].next;
    return true;
  }

  bool until(std::size_t rank, Seconds time) {
    ranks_[rank].free = std::max(ranks_[rank].free, time);
    return true;
  }

  bool act(std::size_t rank, const ComputeAction& action) {
    if (action.group && !met(rank, 0, *action.group, 0, program_.groups[*action.group].size())) return false;
    return until(rank, ranks_[rank].free + action.time);
  }
  bool act(std::size_t rank, const PostReceive& action) {
    posted_[received(rank, action)] = ranks_[rank].free;
    return true;
  }
  bool act(std::size_t rank, const Send& action) {
    sent_[sent(rank, action)] = ranks_[rank].free;
    return true;
  }
  bool act(std::size_t rank, const Wait& action) {
    const RankAction& of = program_.programs[rank].actions[action.of];
    if (const auto* receive = std::get_if<PostReceive>(&of)) {
      const auto at = sent_.find(received(rank, *receive));
      return at != sent_.end() && until(rank, at->second + receive->time);
    }
    if (const auto* send = std::get_if<Send>(&of)) {
      const auto at = posted_.find(sent(rank, *send));
      return at != posted_.end() && until(rank, std::max(at->second, sent_[sent(rank, *send)] + send->time));
    }
    if (const auto* reduce = std::get_if<ReduceAction>(&of))
      return over(rank, action.of, reduce->group, reduce->time);
    const auto* broadcast = std::get_if<BroadcastAction>(&of);
    return !broadcast || over(rank, action.of, broadcast->group, broadcast->time);
  }
  bool act(std::size_t, const SeamAction&) { return true; }
  bool act(std::size_t, const LossAction&) { return true; }
  bool act(std::size_t rank, const BroadcastAction& action) {
    return begin(rank, {1, action.group, action.stage.index()});
  }
  bool act(std::size_t rank, const ReduceAction& action) {
    return begin(rank, {2, action.group, action.stage.index()});
  }
  bool act(std::size_t rank, const UpdateAction& action) {
    return until(rank, ranks_[rank].free + action.time);
  }
  bool act(std::size_t rank, const BarrierAction& action) {
    return met(rank, 3, 0, 0, ranks_.size()) && until(rank, ranks_[rank].free + action.time);
  }

  Meeting join(std::size_t rank, const std::tuple<int, std::uint32_t, std::uint32_t>& key) {
    const Meeting meeting = std::tuple_cat(key, std::tuple(ranks_[rank].count[key]++));
    meetings_[meeting].push_back(ranks_[rank].free);
    return meeting;
  }

  bool begin(std::size_t rank, const std::tuple<int, std::uint32_t, std::uint32_t>& key) {
    ranks_[rank].exchanges[static_cast<std::uint32_t>(ranks_[rank].next)] = join(rank, key);
    return true;
  }

  bool over(std::size_t rank, std::uint32_t action, std::uint32_t group, Seconds time) {
    const auto& begun = meetings_[ranks_[rank].exchanges.at(action)];
    return begun.size() == program_.groups[group].size() && until(rank, latest(begun) + time);
  }

  // The rank comes once, and goes on when the others are there.
  bool met(std::size_t rank, int kind, std::uint32_t group, std::uint32_t stage, std::size_t members) {
    auto& waits = ranks_[rank].waits_in;
    if (!waits) waits = join(rank, {kind, group, stage});
    const auto& begun = meetings_[*waits];
    if (begun.size() < members) return false;
    waits.reset();
    return until(rank, latest(begun));
  }

  static Seconds latest(const std::vector<Seconds>& times) {
    return *std::max_element(times.begin(), times.end());
  }

  Message received(std::size_t rank, const MessageAction& message) const {
    const RankProgram& own = program_.programs[rank];
    return {own.replica.index(), message.peer.index(), own.rank.index(), message.tag};
  }
  Message sent(std::size_t rank, const MessageAction& message) const {
    const RankProgram& own = program_.programs[rank];
    return {own.replica.index(), own.rank.index(), message.peer.index(), message.tag};
  }

  const Program& program_;
  std::vector<Rank> ranks_;
  std::map<Message, Seconds> sent_, posted_;
  std::map<Meeting, std::vector<Seconds>> meetings_;
};

}  // namespace spillway::testing
