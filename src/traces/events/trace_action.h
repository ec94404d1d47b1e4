// What an event does, in PyTorch's words for it: the stage, what is done, the microbatch. Private to
// src/traces.
#pragma once

#include <array>
#include <string_view>

#include "traces/events/trace.h"

namespace spillway {

// [kind] "2F0" is the forward of microbatch 0 in stage 2, "2SEND_F0" sends what it made, "2W" the second half
// of the backward of a microbatch that is not known. The kinds beyond have no such word.
inline constexpr std::array<std::string_view, 9> kTraceActions = {
    "F", "B", "I", "W", "SEND_F", "RECV_F", "SEND_B", "RECV_B", "COLLECTIVE"};

inline bool has_action(TraceKind kind) {
  return static_cast<std::size_t>(kind) < kTraceActions.size();
}

}  // namespace spillway
