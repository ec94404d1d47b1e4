// Collects the actions of one rank as they are read, and finds the actions that its waits name. Private to
// src/program.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/findings.h"
#include "program/action_reader.h"
#include "program/program.h"

namespace spillway {

class RankActions {
 public:
  explicit RankActions(std::size_t program) : program_(program) {}

  // Adds the next action. One that could not be read keeps its place and counts as anything that a wait may
  // name, so that each fault is reported once.
  void add(ReadAction read, Findings& findings);

  std::size_t size() const { return actions_.size(); }
  // False if an action could not be read.
  bool whole() const { return broken_ == 0; }
  bool is_whole(std::size_t index) const { return states_[index] != State::Broken; }

  // The ranks that broadcasts give as their roots, by the index of the action.
  const std::vector<std::pair<std::size_t, std::uint32_t>>& roots() const { return roots_; }

  RankProgram program(ReplicaId replica, RankId rank) &&;

 private:
  enum class State : std::uint8_t { Broken, Whole, WaitedFor };

  void add_id(std::optional<std::uint64_t> id);
  void resolve(Wait& wait, std::uint64_t id, Findings& findings);
  std::optional<std::size_t> index_of(std::uint64_t id) const;

  std::size_t program_;
  std::vector<RankAction> actions_;
  std::vector<State> states_;
  std::uint64_t first_id_ = 0;
  std::vector<std::uint64_t> ids_;                           // empty while ids follow one another
  std::unordered_map<std::uint64_t, std::size_t> index_of_;  // empty then, too
  std::size_t broken_ = 0;
  std::vector<std::pair<std::size_t, std::uint32_t>> roots_;
};

}  // namespace spillway
