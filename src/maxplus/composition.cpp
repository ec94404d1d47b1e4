#include "maxplus/composition.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/error.h"

namespace spillway {
namespace {

// Regions, then seams by their upstream region, then the barrier, which belongs to all.
std::size_t part_of(const Outline& derived, const Event& event) {
  const std::size_t regions = derived.regions.size();
  if (event.kind == EventKind::StepBarrier) return 2 * regions;
  const std::size_t region = derived.stage(event.stage).region.index();
  if (event.kind != EventKind::Collective) return region;
  const std::size_t peer = derived.stage(event.peer_stage).region.index();
  return region == peer ? region : regions + std::min(region, peer);
}

// How many of the parts that are left wait for each port.
std::map<Port, std::size_t> readers(std::span<const TransferFunction> parts) {
  std::map<Port, std::size_t> count;
  for (const TransferFunction& part : parts) {
    for (const Port input : part.inputs()) ++count[input];
  }
  return count;
}

}  // namespace

std::vector<std::vector<EventId>> parts_along_seams(const Derived& derived) {
  std::vector<std::vector<EventId>> parts(2 * derived.regions.size() + 1);
  for (std::uint32_t id = 0; id < derived.order.event_count(); ++id)
    parts[part_of(derived, derived.order.event(EventId(id)))].push_back(EventId(id));
  std::erase_if(parts, [](const auto& part) { return part.empty(); });
  return parts;
}

TransferFunction compose_all(std::span<const TransferFunction> parts) {
  const std::map<Port, std::size_t> all_readers = readers(parts);
  std::map<Port, std::size_t> waiting = all_readers;
  TransferFunction whole({}, {});
  for (const TransferFunction& part : parts) {
    whole = compose(whole, part);
    for (const Port input : part.inputs()) --waiting[input];
    std::vector<Port> kept;
    for (const Port output : whole.outputs()) {
      if (!all_readers.contains(output) || waiting[output] > 0) kept.push_back(output);
    }
    whole = restrict_to(whole, kept);
  }
  return whole;
}

Seconds makespan_by_regions(const Derived& derived, const Durations& durations) {
  const Precedence precedence(derived.order);
  std::vector<TransferFunction> parts;
  for (const auto& events : parts_along_seams(derived))
    parts.push_back(denotation(precedence, durations, events));
  const TransferFunction step = compose_all(parts);
  ensure(step.inputs().empty(), "the parts together wait for nothing");
  Seconds last;
  for (const Seconds end : completions(step, {})) last = std::max(last, end);
  return last;
}

}  // namespace spillway
