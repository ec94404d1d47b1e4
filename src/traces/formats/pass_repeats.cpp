#include "traces/formats/pass_repeats.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

namespace spillway {

std::uint32_t number_repeats(std::span<TraceEvent> events) {
  std::vector<TraceEvent*> by_start;
  for (TraceEvent& event : events) by_start.push_back(&event);
  std::ranges::stable_sort(by_start, {}, &TraceEvent::start);
  std::map<std::tuple<TraceKind, std::uint16_t, std::uint32_t>, std::uint32_t> seen;
  std::uint32_t step = 0;
  for (TraceEvent* event : by_start) {
    const bool told = (is_compute(event->kind) || is_transfer(event->kind)) && event->microbatch != kUnknown;
    if (told) step = std::max(step, seen[{event->kind, event->stage, event->microbatch}]++);
    event->step = step;
  }
  return step + 1;
}

}  // namespace spillway
