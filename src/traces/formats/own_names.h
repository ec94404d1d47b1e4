// What the events of our own runs are, by their names and arguments, wherever they are written: Chrome traces
// and Chakra's execution traces. Private to src/traces.
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

// A transfer has both sides, anything else the near one; what is dropped has a reason instead. Without times
// and names.
struct OwnEvent {
  std::optional<TraceEvent> near = {};
  std::optional<TraceEvent> far = {};
  std::string_view dropped = {};  // "events of regions ..."
};

// `arguments` in the order of kOwnArguments, empty where there is none.
OwnEvent own_event(std::string_view name, std::span<const std::string> arguments);

bool is_own_name(std::string_view name);

}  // namespace spillway
