// Short ways to make lists and to read their faults.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "schedule/placed_orders.h"

namespace spillway::testing {

inline ActionLists lists_of(std::string_view text) {
  return std::get<ActionLists>(parse_action_lists(text));
}

// Returns "/0/2: expected ..., found ...".
inline std::vector<std::string> list_complaints(std::string_view text, std::uint32_t ranks,
                                                std::uint32_t microbatches) {
  std::vector<std::string> lines;
  for (const Violation& v : check_action_lists(lists_of(text), ranks, microbatches))
    lines.push_back(v.pointer + ": expected " + v.expected + ", found " + v.found);
  return lines;
}

}  // namespace spillway::testing
