// Decides whether a program can block for ever with K buffers for each ordered pair of ranks.
//
// Model: a rank executes its actions in order. `Send` and `PostReceive` go on at once, and so do the starts
// of broadcasts and reductions. A wait for a receive blocks until its send has started. A wait for send
// number j of a pair (by tags, from 0) blocks until its receive is posted, or until fewer than K earlier
// sends of the pair lack a posted receive. Receives are posted in the order of tags, so both mean: until
// receive number j - K is posted; if j < K it never blocks. A wait for a broadcast or reduction blocks until
// all members of the group have started it. A pass of a group and the barrier block until all members have
// arrived. Rendezvous is K = 0; buffered is K without bound.
//
// Answer: the program's answer does not depend on times. The program and K alone fix the set of actions of
// other ranks that an action needs: no need is an alternative, and none depends on who came first. An action
// that has been executed stays executed. So two actions that can both be executed can be executed in either
// order, and every execution that goes on while it can ends with the same actions executed: the least set
// that is closed under "its needs and its predecessors in the rank are executed". If one execution blocks,
// each blocks, at the same actions. tests/program/deadlock_test.cpp explores all interleavings of small
// programs.
//
// A larger K removes needs. So the least safe K is found in one execution: where all ranks are blocked, K
// grows to the least value that lets one of them go on.
//
// Cycle: each blocked rank stands at one action, which needs actions that others have not reached. If every
// one of these others stands at an action of its own, following the needs comes back to where it began.
//
// Cost: linear in the actions, and in the members of the groups at which ranks are blocked. Memory: some
// numbers for each pair of ranks and operation of a group.
//
// Example: rank 0 sends to rank 1 and waits for it; rank 1 does the same to rank 0; then both post their
// receives. With K = 0 both wait for ever: the cycle has the two waits. K = 1 is safe.
//
// Source: the completion of sends in the MPI standard, 3.4 and 3.5.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "program/program.h"

namespace spillway {

// An action of Program::programs.
struct ActionPlace {
  std::size_t program, action;

  friend auto operator<=>(const ActionPlace&, const ActionPlace&) = default;
};

struct BlockingCheck {
  bool safe = true;
  std::optional<std::uint32_t> buffers_needed = {};  // the least K that is safe; nothing if none is
  // Where the program blocks: each action waits until the rank of the next goes on, the last for the first.
  std::vector<ActionPlace> cycle = {};
  // If the program blocks without a cycle: an action that needs one that no rank executes, since the rank
  // that would have to is at its end.
  std::optional<ActionPlace> starved = {};
};

// No bound is buffered sends. Contract: tags of each pair of ranks count up from 0 at both ends, groups have
// the ranks that use them as members, and a wait names an action that starts something.
BlockingCheck check_blocking(const Program& program, std::optional<std::uint32_t> buffers);

}  // namespace spillway
