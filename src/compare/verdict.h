// The verdict on a comparison, one sentence for each schedule, and its words. Private to src/compare.
#pragma once

#include <string>
#include <string_view>

#include "compare/comparison.h"

namespace spillway {

// Returns "/network/p2p_ms", or "/network/p2p_ms and 2 more".
std::string pointers_text(const std::vector<std::string>& pointers);

// Returns the words for a part of a step: "transposed forward".
std::string cause_text(std::string name);

// Returns a value of a document in a few characters, or "none" if there is no value.
std::string value_text(const std::optional<Node>& value);

// Returns "greedy: B is 3.2 % slower than A [3.0, 3.4]: 123.1 ms to 127.0 ms; ...".
std::string verdict(const Comparison& comparison, const ScheduleComparison& schedule);

// Returns "greedy", or "1f1b to zb-h1" if the two names differ.
std::string name_text(const ScheduleComparison& schedule);

}  // namespace spillway
