#include "timing/warm_up.h"

#include <algorithm>
#include <limits>

namespace spillway {
namespace {

constexpr std::uint32_t kNoStep = std::numeric_limits<std::uint32_t>::max();

// The events of a rank that matter to its warm-up.
struct RankEvents {
  std::optional<EventId> first;
  std::vector<EventId> before;
};

// The computing events among them.
RankEvents computed(const Derived& derived, const Feeding& feeding, RankId rank) {
  RankEvents events;
  for (EventId id : derived.order.nodes(rank)) {
    const Event& event = derived.order.event(id);
    if (!event.computes()) continue;
    if (derived.stage(event.stage).region >= feeding.fed) {
      events.first = id;
      break;
    }
    if (!is_transposed_work(derived, feeding, event)) events.before.push_back(id);
  }
  if (!events.first) events.before.clear();
  return events;
}

// Adds the blocking transfers of these events, because they occupy the sender.
void add_sent(const Derived& derived, std::vector<RankEvents>& ranks) {
  std::vector<bool> before(derived.order.event_count());
  for (const RankEvents& rank : ranks)
    for (EventId id : rank.before) before[id.index()] = true;
  for (std::uint32_t rank = 0; rank < ranks.size(); ++rank) {
    if (ranks[rank].before.empty()) continue;
    for (EventId id : derived.order.nodes(RankId(rank))) {
      if (!derived.order.event(id).transfers()) continue;
      const auto from = derived.order.predecessors(id);
      if (std::any_of(from.begin(), from.end(), [&](std::uint32_t sender) { return before[sender]; }))
        ranks[rank].before.push_back(id);
    }
  }
}

std::vector<RankEvents> events_of(const Derived& derived, const Feeding& feeding) {
  std::vector<RankEvents> ranks;
  for (std::uint32_t rank = 0; rank < derived.order.rank_count(); ++rank)
    ranks.push_back(computed(derived, feeding, RankId(rank)));
  if (derived.point_to_point == PointToPoint::Blocking) add_sent(derived, ranks);
  return ranks;
}

// By event: true if it is one of them, or one of them waits for it.
std::vector<bool> needed(const Order& order, const std::vector<RankEvents>& ranks) {
  std::vector<bool> needed(order.event_count());
  for (const RankEvents& rank : ranks) {
    if (!rank.first) continue;
    needed[rank.first->index()] = true;
    for (EventId id : rank.before) needed[id.index()] = true;
  }
  for (std::size_t index = needed.size(); index-- > 0;) {
    if (!needed[index]) continue;
    for (std::uint32_t before : order.predecessors(EventId(static_cast<std::uint32_t>(index))))
      needed[before] = true;
  }
  return needed;
}

}  // namespace

WarmUp::WarmUp(const Derived& derived, const Feeding& feeding) {
  const std::vector<RankEvents> ranks = events_of(derived, feeding);
  const std::vector<bool> is_needed = needed(derived.order, ranks);
  std::vector<std::uint32_t> step_of(is_needed.size(), kNoStep);
  for (std::uint32_t index = 0; index < is_needed.size(); ++index) {
    if (!is_needed[index]) continue;
    const Event& event = derived.order.event(EventId(index));
    Step step{EventId(index),
              event.joined_replicas,
              is_transposed_work(derived, feeding, event) || feeds(derived, feeding, event) ||
                  event.kind == EventKind::Broadcast,
              {}};
    for (std::uint32_t before : derived.order.predecessors(step.event))
      if (step_of[before] != kNoStep) step.before.push_back(step_of[before]);
    if (step.free && step.before.empty()) continue;
    step_of[index] = static_cast<std::uint32_t>(steps_.size());
    steps_.push_back(std::move(step));
  }
  for (const RankEvents& events : ranks) {
    Rank& rank = ranks_.emplace_back();
    if (events.first) rank.first = step_of[events.first->index()];
    for (EventId id : events.before) rank.before.push_back(step_of[id.index()]);
  }
}

std::vector<EventId> WarmUp::events() const {
  std::vector<EventId> events;
  for (const Step& step : steps_) events.push_back(step.event);
  return events;
}

void WarmUp::run(const Durations& of_events, PerEvent<Seconds>& start, PerEvent<Seconds>& end) const {
  const std::uint32_t lanes = end.lanes();
  for (std::uint32_t index = 0; index < steps_.size(); ++index) {
    const Step& step = steps_[index];
    const EventId id(index);
    for (std::uint32_t lane = 0; lane < lanes; ++lane)
      for (std::uint32_t before : step.before)
        start.at(id, lane) = std::max(start.at(id, lane), end.at(EventId(before), lane));
    const std::uint32_t joined = std::min(step.joined, lanes);
    for (std::uint32_t lane = 0; lane < lanes && joined > 1; lane += joined) {
      Seconds last;
      for (std::uint32_t i = lane; i < lane + joined; ++i) last = std::max(last, start.at(id, i));
      for (std::uint32_t i = lane; i < lane + joined; ++i) start.at(id, i) = last;
    }
    for (std::uint32_t lane = 0; lane < lanes; ++lane)
      end.at(id, lane) = step.free ? start.at(id, lane) : start.at(id, lane) + of_events.at(id, lane);
  }
}

std::vector<std::vector<Seconds>> WarmUp::slack(const Durations& of_events) const {
  const std::uint32_t count = of_events.lanes();
  PerEvent<Seconds> start(steps_.size(), count), end(steps_.size(), count);
  run(of_events, start, end);
  std::vector<std::vector<Seconds>> slack(count);
  for (std::uint32_t lane = 0; lane < count; ++lane) {
    for (const Rank& rank : ranks_) {
      std::vector<TimeSpan> spans;
      for (std::uint32_t step : rank.before)
        spans.push_back({start.at(EventId(step), lane), end.at(EventId(step), lane)});
      const Seconds until = rank.first ? start.at(EventId(*rank.first), lane) : Seconds();
      slack[lane].push_back(idle_time(std::move(spans), until));
    }
  }
  return slack;
}

std::vector<std::vector<Seconds>> warm_up_slack(const Derived& derived, const Durations& durations) {
  const std::optional<Feeding> feeding = feeding_of(derived);
  if (!feeding) return {};
  const WarmUp warm_up(derived, *feeding);
  const std::vector<EventId> events = warm_up.events();
  Durations of_events(events.size(), durations.lanes());
  for (std::uint32_t i = 0; i < events.size(); ++i)
    for (std::uint32_t lane = 0; lane < durations.lanes(); ++lane)
      of_events.at(EventId(i), lane) = durations.at(events[i], lane);
  return warm_up.slack(of_events);
}

Seconds idle_time(std::vector<TimeSpan> spans, Seconds until) {
  std::sort(spans.begin(), spans.end(),
            [](const TimeSpan& a, const TimeSpan& b) { return a.start < b.start; });
  Seconds idle, covered;  // `covered`: the end of the covered prefix
  for (const TimeSpan& span : spans) {
    const Seconds start = std::min(span.start, until);
    if (start > covered) idle += start - covered;
    covered = std::max(covered, span.end);
  }
  return until > covered ? idle + (until - covered) : idle;
}

}  // namespace spillway
