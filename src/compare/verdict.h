// A comparison in a sentence for each schedule. Private to src/compare.
#pragma once

#include <string>
#include <string_view>

#include "compare/comparison.h"

namespace spillway {

// "/network/p2p_ms", "/network/p2p_ms and 2 more".
std::string pointers_text(const std::vector<std::string>& pointers);

// A part of a step in words: "transposed forward".
std::string cause_text(std::string name);

// A value of a document in a few characters; "none" where there is none.
std::string value_text(const std::optional<Node>& value);

// "greedy: B is 3.2 % slower than A [3.0, 3.4]: 123.1 ms to 127.0 ms; ..."
std::string verdict(const Comparison& comparison, const ScheduleComparison& schedule);

// "greedy", or "1f1b to zb-h1" where the two have other names.
std::string name_text(const ScheduleComparison& schedule);

}  // namespace spillway
