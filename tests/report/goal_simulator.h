// Plays GOAL by its definition, the slow way: LogGOPS with L alone, o = g = O = G = 0 and no rendezvous, as
// LogGOPSim plays it. Each rank has one processor.
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

// Fails the test if the text does not follow txt2bin.re, or uses a label before its line.
GoalProgram parse_goal(const std::string& text);

// Returns the end of the last operation in ns. Fails the test if a message has no counterpart of its size, if
// operations wait in a circle, or if two computations of a rank overlap.
std::uint64_t goal_makespan(const GoalProgram& program);

}  // namespace spillway::testing
