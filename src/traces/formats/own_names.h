// Interprets the names and arguments of events that Spillway wrote, in Chrome traces and in Chakra's
// execution traces. Private to src/traces.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "traces/events/trace.h"

namespace spillway {

inline constexpr std::array<std::string_view, 6> kOwnArguments = {"replica", "rank",     "microbatch",
                                                                  "stage",   "to_stage", "to_rank"};

// A transfer has both sides; any other event has only the near one. A dropped event has a reason instead.
// Times and names are not set.
struct OwnEvent {
  std::optional<TraceEvent> near = {};
  std::optional<TraceEvent> far = {};
  std::string_view dropped = {};  // "events of regions ..."
};

// `arguments` are in the order of kOwnArguments, each empty if absent.
OwnEvent own_event(std::string_view name, std::span<const std::string> arguments);

bool is_own_name(std::string_view name);

}  // namespace spillway
