#include "maxplus/periodicity.h"

#include <algorithm>
#include <map>
#include <utility>

namespace spillway {
namespace {

// Of a fused event also how far its halves' microbatches lie apart.
std::pair<Event, std::int64_t> class_of(const Event& event) {
  const bool fused = event.kind == EventKind::ForwardBackward;
  return {of_any_microbatch(event),
          fused ? std::int64_t{event.microbatch.index()} - event.peer_microbatch.index() : 0};
}

bool repeats(const Event& event) {
  return !event.in_group() && event.kind != EventKind::StepBarrier;
}

bool last_equally_long(const Durations& durations, EventId a, EventId b) {
  for (std::uint32_t lane = 0; lane < durations.lanes(); ++lane) {
    if (durations.at(a, lane) != durations.at(b, lane)) return false;
  }
  return true;
}

// Does `later` wait for exactly what `event` waits for, `by` microbatches on?
bool wait_alike(const Translation& translation, const Precedence& precedence, EventId event, EventId later,
                std::uint32_t by) {
  std::vector<EventId> expected, found;
  for (const std::uint32_t before : precedence.before(event)) {
    const auto moved = translation.moved(EventId(before), by);
    if (!moved) return false;
    expected.push_back(*moved);
  }
  for (const std::uint32_t before : precedence.before(later)) found.emplace_back(before);
  std::sort(expected.begin(), expected.end());
  std::sort(found.begin(), found.end());
  return expected == found;
}

bool moves_onto(const Translation& translation, const Precedence& precedence, const Durations& durations,
                std::uint32_t microbatch, std::uint32_t by) {
  const auto& events = translation.events_at(microbatch);
  if (events.size() != translation.events_at(microbatch + by).size()) return false;
  return std::all_of(events.begin(), events.end(), [&](EventId event) {
    const auto later = translation.moved(event, by);
    return later && precedence.joined(event) == precedence.joined(*later) &&
           last_equally_long(durations, event, *later) &&
           wait_alike(translation, precedence, event, *later, by);
  });
}

}  // namespace

Translation::Translation(const Order& order) {
  std::map<std::pair<Event, std::int64_t>, std::uint32_t> classes;
  for (const Event& event : order.events()) {
    const auto next = static_cast<std::uint32_t>(classes.size());
    class_.push_back(repeats(event) ? classes.try_emplace(class_of(event), next).first->second : kNone);
    microbatch_.push_back(event.microbatch.index());
    microbatches_ = std::max(microbatches_, event.microbatch.index() + 1);
  }
  at_.resize(microbatches_);
  event_.assign(classes.size() * microbatches_, kNone);
  for (std::uint32_t id = 0; id < class_.size(); ++id) {
    if (class_[id] == kNone) continue;
    at_[microbatch_[id]].push_back(EventId(id));
    event_[std::size_t{class_[id]} * microbatches_ + microbatch_[id]] = id;
  }
}

std::optional<EventId> Translation::moved(EventId id, std::int64_t by) const {
  const std::int64_t to = microbatch(id) + by;
  if (!has_microbatch(id) || to < 0 || to >= microbatches_) return std::nullopt;
  const std::uint32_t event =
      event_[std::size_t{class_[id.index()]} * microbatches_ + static_cast<std::size_t>(to)];
  return event == kNone ? std::nullopt : std::optional(EventId(event));
}

std::optional<PeriodicMiddle> periodic_middle(const Translation& translation, const Precedence& precedence,
                                              const Durations& durations) {
  std::uint32_t first = translation.microbatches() / 3, end = translation.microbatches() - first;
  const auto repeats_after = [&](std::uint32_t microbatch, std::uint32_t period) {
    return moves_onto(translation, precedence, durations, microbatch, period);
  };
  for (std::uint32_t period = 1; 2 * period <= end - first; ++period) {
    std::uint32_t m = first;
    while (m + period < end && repeats_after(m, period)) ++m;
    if (m + period < end) continue;
    while (first > 0 && repeats_after(first - 1, period)) --first;
    while (end < translation.microbatches() && repeats_after(end - period, period)) ++end;
    return PeriodicMiddle{first, end, period};
  }
  return std::nullopt;
}

std::optional<Quotient> quotient(const PeriodicMiddle& middle, const Translation& translation,
                                 const Precedence& precedence, const Durations& durations) {
  Quotient wrapped;
  std::map<Port, std::uint32_t> node;
  for (std::uint32_t m = middle.first; m < middle.first + middle.period; ++m) {
    for (const EventId event : translation.events_at(m)) {
      for (std::uint32_t lane = 0; lane < durations.lanes(); lane += precedence.joined(event)) {
        node.emplace(Port{event, lane}, static_cast<std::uint32_t>(wrapped.tasks.size()));
        wrapped.tasks.push_back({event, lane});
      }
    }
  }
  bool closed = true;
  for (std::uint32_t to = 0; to < wrapped.tasks.size(); ++to) {
    precedence.for_each_before(wrapped.tasks[to], [&](Port before) {
      const std::int64_t ahead = std::int64_t{translation.microbatch(before.event)} - middle.first;
      const std::int64_t period = middle.period;
      const std::int64_t periods = (ahead >= 0 ? ahead : ahead - period + 1) / period;
      const auto home = translation.moved(before.event, -periods * period);
      if (!home) {
        closed = false;
        return;
      }
      wrapped.edges.push_back({node.at({*home, before.lane}), to, durations.at(before.event, before.lane),
                               static_cast<std::int32_t>(-periods)});
    });
  }
  return closed ? std::optional(std::move(wrapped)) : std::nullopt;
}

}  // namespace spillway
