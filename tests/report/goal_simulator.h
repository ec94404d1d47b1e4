// GOAL played by its definition, the slow way: LogGOPS with L alone, o = g = O = G = 0 and no rendezvous, as
// LogGOPSim plays it. One processor for each rank.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace spillway::testing {

struct GoalOperation {
  std::uint32_t rank;
  std::string word;       // calc, send, recv
  std::uint64_t amount;   // ns, or bytes
  std::uint32_t partner;  // of a message
  std::uint32_t tag;
  std::vector<std::size_t> needs;
};

struct GoalProgram {
  std::uint64_t latency;  // -L of the first lines
  std::uint32_t ranks;
  std::vector<GoalOperation> operations;
};

// Fails the test where the text is not as txt2bin.re has it, or names a label before its line.
GoalProgram parse_goal(const std::string& text);

// The end of the last operation, ns. Fails the test where a message has no counterpart of its size, where
// operations wait in a circle, or where two computations of a rank overlap.
std::uint64_t goal_makespan(const GoalProgram& program);

}  // namespace spillway::testing
