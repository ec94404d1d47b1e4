#include "sim/dates.h"

#include <algorithm>
#include <vector>

namespace spillway {
namespace {

std::uint64_t dates_of(const Event& event, std::span<const SlabSteps> inside) {
  if (event.communicates()) return event.in_group() ? 3 : 2;
  if (!event.computes()) return 0;
  std::size_t most = 0;
  for (const SlabSteps& steps : inside) most = std::max({most, steps.exposed.size(), steps.hidden.size()});
  return 1 + 2 * most;
}

}  // namespace

Seconds least_makespan(const Order& order, const Durations& durations) {
  std::vector<Seconds> computing(order.rank_count());
  Seconds longest;
  for (std::uint32_t index = 0; index < order.event_count(); ++index) {
    const Event& event = order.event(EventId(index));
    const Seconds duration = durations.at(EventId(index), 0);
    longest = std::max(longest, duration);
    if (event.computes()) computing[event.rank.index()] += duration;
  }
  for (const Seconds busy : computing) longest = std::max(longest, busy);
  return longest;
}

std::uint64_t dates_in_a_row(const Order& order, std::span<const SlabSteps> inside) {
  const std::size_t lanes = inside.empty() ? 0 : inside.size() / order.event_count();
  std::vector<std::uint64_t> until(order.event_count());
  std::uint64_t most = 0;
  for (std::uint32_t index = 0; index < order.event_count(); ++index) {
    for (const std::uint32_t before : order.predecessors(EventId(index)))
      until[index] = std::max(until[index], until[before]);
    until[index] += dates_of(order.event(EventId(index)), inside.subspan(index * lanes, lanes));
    most = std::max(most, until[index]);
  }
  return most;
}

}  // namespace spillway
