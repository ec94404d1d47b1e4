// Prints an order as text, so that tests read like the paper.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "derive/derive.h"

namespace spillway::testing {

inline std::vector<std::string> sorted(std::vector<std::string> lines) {
  std::sort(lines.begin(), lines.end());
  return lines;
}

// Returns lines such as "Fwd(enc,0,1) -Activation-> Coll(Gather,enc-llm,1)", one per edge, in id order.
inline std::vector<std::string> edge_lines(const Derived& derived) {
  std::vector<std::string> lines;
  for (const Edge& edge : derived.order.edges()) {
    lines.push_back(event_name(derived.order.event(edge.from), derived) + " -" +
                    std::string(to_string(edge.kind)) + "-> " +
                    event_name(derived.order.event(edge.to), derived));
  }
  return lines;
}

inline std::vector<std::string> event_lines(const Derived& derived) {
  std::vector<std::string> lines;
  for (const Event& event : derived.order.events()) lines.push_back(event_name(event, derived));
  return lines;
}

// Returns the rank's computing events, in order.
inline std::vector<EventId> computing(const Derived& derived, RankId rank) {
  std::vector<EventId> ids;
  for (EventId id : derived.order.nodes(rank)) {
    if (derived.order.event(id).computes()) ids.push_back(id);
  }
  return ids;
}

inline std::vector<std::string> computing_lines(const Derived& derived, std::uint32_t rank) {
  std::vector<std::string> lines;
  for (EventId id : computing(derived, RankId(rank))) {
    lines.push_back(event_name(derived.order.event(id), derived));
  }
  return lines;
}

}  // namespace spillway::testing
