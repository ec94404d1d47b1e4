// Composition is feedback. Stack the outputs y of both parts, and let u be what neither of them provides:
//
//          +-----+                       y = M y  max  N u,   M: the columns of joined inputs
//   u ---->|  a  |----+----> y                                N: the start and all other columns
//       +->|     |    |
//       |  +-----+    |                  least solution y = M* N u,  M* = I max M max M^2 max ...
//       +--------<----+
//       |  +-----+    |                  Ports are numbered topologically, so M is strictly lower triangular,
//       +->|  b  |----+----> y           M* ends after as many terms as there are outputs, and M* N is found
//   u ---->|     |                       row by row, by substitution.
//          +-----+
#include "maxplus/composition.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "base/error.h"

namespace spillway {
namespace {

// Returns an event's part: regions, then seams by their upstream region, then the barrier of all.
std::size_t part_of(const Outline& derived, const Event& event) {
  const std::size_t regions = derived.regions.size();
  if (event.kind == EventKind::StepBarrier) return 2 * regions;
  const std::size_t region = derived.stage(event.stage).region.index();
  if (event.kind != EventKind::Collective) return region;
  const std::size_t peer = derived.stage(event.peer_stage).region.index();
  return region == peer ? region : regions + std::min(region, peer);
}

// Returns how many of `parts` wait for each port.
std::map<Port, std::size_t> readers(std::span<const TransferFunction> parts) {
  std::map<Port, std::size_t> count;
  for (const TransferFunction& part : parts) {
    for (const Port input : part.inputs()) ++count[input];
  }
  return count;
}

std::vector<Port> united(std::span<const Port> a, std::span<const Port> b) {
  std::vector<Port> both;
  both.reserve(a.size() + b.size());
  std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
  return both;
}

std::vector<Port> without(std::span<const Port> ports, std::span<const Port> taken) {
  std::vector<Port> left;
  std::set_difference(ports.begin(), ports.end(), taken.begin(), taken.end(), std::back_inserter(left));
  return left;
}

std::size_t position(std::span<const Port> ports, Port port) {
  return static_cast<std::size_t>(std::lower_bound(ports.begin(), ports.end(), port) - ports.begin());
}

bool contains(std::span<const Port> ports, Port port) {
  return std::binary_search(ports.begin(), ports.end(), port);
}

// Fills the row of `output` of `part` in the columns of `joined`. An input from outside is copied. An input
// from an output of `joined` goes through that output's row, which is known because it comes earlier.
void substitute(const TransferFunction& part, std::size_t output, TransferFunction& joined) {
  const std::size_t own = position(joined.outputs(), part.outputs()[output]);
  const auto target = joined.row(own);
  target[0] = part.from_start(output).value();
  for (std::size_t i = 0; i < part.inputs().size(); ++i) {
    const double delay = part.delay(output, i).value();
    if (delay == kNoPath.value()) continue;
    const Port input = part.inputs()[i];
    if (!contains(joined.outputs(), input)) {
      double& direct = target[1 + position(joined.inputs(), input)];
      direct = std::max(direct, delay);
      continue;
    }
    const std::size_t earlier = position(joined.outputs(), input);
    ensure(earlier < own, "joined outputs wait for earlier ones only");
    const std::span<const double> known = joined.row(earlier);
    for (std::size_t column = 0; column < known.size(); ++column)
      target[column] = std::max(target[column], known[column] + delay);
  }
}

}  // namespace

TransferFunction compose(const TransferFunction& a, const TransferFunction& b) {
  std::vector<Port> outputs = united(a.outputs(), b.outputs());
  ensure(outputs.size() == a.outputs().size() + b.outputs().size(), "an output belongs to one part");
  std::vector<Port> inputs = without(united(a.inputs(), b.inputs()), outputs);
  TransferFunction joined(std::move(inputs), std::move(outputs));
  std::size_t next_a = 0, next_b = 0;
  for (const Port output : joined.outputs()) {
    if (contains(a.outputs(), output))
      substitute(a, next_a++, joined);
    else
      substitute(b, next_b++, joined);
  }
  return joined;
}

TransferFunction restrict_to(const TransferFunction& part, std::span<const Port> outputs) {
  TransferFunction kept({part.inputs().begin(), part.inputs().end()}, {outputs.begin(), outputs.end()});
  for (std::size_t o = 0; o < outputs.size(); ++o) {
    ensure(contains(part.outputs(), outputs[o]), "only outputs can be kept");
    std::ranges::copy(part.row(position(part.outputs(), outputs[o])), kept.row(o).begin());
  }
  return kept;
}

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
