// Executes a program's actions in any order that its needs allow, without times. Private to src/program.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "program/program.h"

namespace spillway {

class ProgramExecution {
 public:
  static constexpr std::uint32_t kUnbounded = std::numeric_limits<std::uint32_t>::max();

  ProgramExecution(const Program& program, std::uint32_t buffers);

  // Goes on until every rank is at its end or blocked. Returns true if all are at their ends.
  bool run();
  // Grows the number of buffers to the least with which a blocked rank goes on. Returns false if no number
  // lets one go on.
  bool grow_buffers();
  std::uint32_t buffers() const { return buffers_; }

  bool ended(std::size_t rank) const { return next_[rank] == program_.programs[rank].actions.size(); }
  // The action at which the rank stands. Contract: the rank is not at its end.
  std::size_t standing(std::size_t rank) const { return next_[rank]; }

  // A blocked rank waits for another rank, or for the members of a meeting that have not arrived.
  struct Need {
    std::optional<std::size_t> rank;
    std::optional<std::pair<std::size_t, std::uint32_t>> meeting;  // group, number
  };
  // Contract: the rank is blocked.
  Need need(std::size_t rank) const;
  // The group's members as indices of Program::programs; the last group is all ranks.
  const std::vector<std::size_t>& members(std::size_t group) const { return members_[group]; }
  bool has_arrived(std::size_t rank, std::size_t group, std::uint32_t number) const;

 private:
  // The messages of an ordered pair of ranks. At most one rank is blocked at each side.
  struct PairOfRanks {
    std::size_t from, to;
    std::uint32_t sent = 0, posted = 0;
  };
  struct Meetings {
    std::vector<std::uint32_t> arrived;             // by number of the operation
    std::vector<std::vector<std::size_t>> waiting;  // ranks
  };
  struct Rank {
    std::unordered_map<std::size_t, std::uint32_t> started;  // by group: operations
    std::unordered_map<std::size_t, std::uint32_t> number;   // of an operation, by action
    bool arrived = false;                                    // at the meeting where it stands
    bool ready = false;                                      // in ready_
  };

  void wake(std::size_t rank);
  bool step(std::size_t rank);
  bool wait(std::size_t rank, const Wait& wait);
  bool meet(std::size_t rank, std::size_t group);
  std::uint32_t arrive(std::size_t rank, std::size_t group);
  bool is_over(std::size_t rank, std::size_t group, std::uint32_t number);
  std::optional<std::size_t> meeting_group(const RankAction& action) const;
  PairOfRanks& pair(std::size_t from, RankId to);
  const PairOfRanks& pair(std::size_t from, RankId to) const;
  std::size_t peer_of(std::size_t rank, RankId peer) const;
  bool send_is_over(const PairOfRanks& pair, std::uint32_t tag) const;

  const Program& program_;
  std::uint32_t buffers_;
  std::vector<std::size_t> next_;
  std::vector<Rank> ranks_;
  std::unordered_map<std::uint64_t, PairOfRanks> pairs_;
  std::vector<std::vector<std::size_t>> members_;
  std::vector<Meetings> meetings_;
  std::vector<std::size_t> ready_;  // ranks that may go on
};

}  // namespace spillway
