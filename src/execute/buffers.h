// The buffers that messages of a program need while it is played.
//
// Idea: a rank's actions have a fixed order, so the buffers in use at each of them are known before the
// start. A message takes the smallest free buffer that holds it, otherwise the largest free one grows. All
// buffers are made and touched before the first step: pages that are touched first take time.
//
// Example: a rank that sends 4 MB, waits for that, then receives 2 MB needs one buffer of 4 MB.
//
// Cost: linear in the actions, but for a map of the free buffers. Tests: tests/execute/buffers_test.cpp.
#pragma once

#include <cstdint>
#include <vector>

#include "base/error.h"
#include "program/program.h"

namespace spillway {

// Groups exchange this many bytes at a time, so that their buffers stay small. Messages move in pieces of it.
inline constexpr std::uint64_t kPieceBytes = 1 << 19;

struct BufferPlan {
  std::vector<std::uint64_t> bytes;      // by buffer
  std::vector<std::uint32_t> of_action;  // by action; without meaning where it moves no bytes

  Bytes total() const;  // a count of bytes might not hold it
};

// Exchanges of groups without known bytes need none. Contract: check_sizes finds nothing, and no action moves
// more than kMostActionBytes.
BufferPlan buffers_of(const Program& program, const RankProgram& of);

// Returns a violation if sizes of messages are not known; it says what to state.
std::vector<Violation> check_sizes(const Program& program);

// Returns a violation if the buffers of all ranks do not fit in `memory` bytes. Contract: check_sizes finds
// nothing.
std::vector<Violation> check_buffers(const Program& program, std::uint64_t memory);

}  // namespace spillway
