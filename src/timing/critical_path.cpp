#include "timing/critical_path.h"

#include <algorithm>
#include <optional>

namespace spillway {
namespace {

CriticalEvent last_to_end(const Timeline& timeline) {
  const auto ends = timeline.end.flat();
  const auto index = static_cast<std::size_t>(std::max_element(ends.begin(), ends.end()) - ends.begin());
  return {EventId(static_cast<std::uint32_t>(index / timeline.end.lanes())),
          static_cast<std::uint32_t>(index % timeline.end.lanes())};
}

// The predecessor whose end let `at` start, on any lane that `at` joins.
std::optional<CriticalEvent> cause(const Order& order, const Timeline& timeline, CriticalEvent at) {
  const Seconds start = timeline.start.at(at.event, at.lane);
  const std::uint32_t joined = std::min(order.event(at.event).joined_replicas, timeline.end.lanes());
  const std::uint32_t first = at.lane - at.lane % joined;
  for (std::uint32_t predecessor : order.predecessors(at.event)) {
    for (std::uint32_t lane = first; lane < first + joined; ++lane) {
      if (timeline.end.at(EventId(predecessor), lane) == start)
        return CriticalEvent{EventId(predecessor), lane};
    }
  }
  return std::nullopt;
}

}  // namespace

std::vector<CriticalEvent> critical_path(const Order& order, const Timeline& timeline) {
  std::vector<CriticalEvent> path{last_to_end(timeline)};
  while (const auto before = cause(order, timeline, path.back())) path.push_back(*before);
  std::reverse(path.begin(), path.end());
  return path;
}

}  // namespace spillway
