#include "report/trace/counters.h"

#include <algorithm>
#include <map>

namespace spillway {
namespace {

struct Step {
  Seconds at;
  double by;
};

// What comes and goes at one time is one level.
void add_level(Counter& counter, CounterLevel level) {
  if (!counter.empty() && counter.back().since == level.since) counter.pop_back();
  if (counter.empty() || counter.back().value != level.value) counter.push_back(level);
}

Counter sum_of(std::vector<Step> steps) {
  std::stable_sort(steps.begin(), steps.end(), [](const Step& a, const Step& b) { return a.at < b.at; });
  Counter counter{{Seconds(), 0}};
  double value = 0;
  for (const Step& step : steps) add_level(counter, {step.at, value += step.by});
  return counter;
}

struct Span {
  Seconds start, end;
};

Counter open_at_once(const std::vector<Span>& spans) {
  std::vector<Step> steps;
  for (const Span& span : spans) {
    steps.push_back({span.start, 1});
    steps.push_back({span.end, -1});
  }
  return sum_of(std::move(steps));
}

}  // namespace

Counter microbatches_in_flight(const Derived& derived, const Timeline& timeline, std::uint32_t lane,
                               RankId rank) {
  std::map<MicrobatchId, Span> spans;
  const auto widen = [&](MicrobatchId microbatch, Span by) {
    Span& span = spans.try_emplace(microbatch, by).first->second;
    span = {std::min(span.start, by.start), std::max(span.end, by.end)};
  };
  for (const EventId id : derived.order.nodes(rank)) {
    const Event& event = derived.order.event(id);
    if (!event.computes()) continue;
    const Span span{timeline.start.at(id, lane), timeline.end.at(id, lane)};
    widen(event.microbatch, span);
    if (event.kind == EventKind::ForwardBackward) widen(event.peer_microbatch, span);
  }
  std::vector<Span> all;
  for (const auto& [microbatch, span] : spans) all.push_back(span);
  return open_at_once(all);
}

Counter links_in_use(const Derived& derived, const Timeline& timeline, std::uint32_t lane, RankId rank) {
  std::vector<Span> spans;
  for (const EventId id : derived.order.nodes(rank))
    if (derived.order.event(id).communicates())
      spans.push_back({timeline.start.at(id, lane), timeline.end.at(id, lane)});
  return open_at_once(spans);
}

Counter memory_held(const std::vector<MemoryLevel>& levels) {
  Counter counter;
  for (const MemoryLevel& level : levels) add_level(counter, {level.since, level.total.value()});
  return counter;
}

}  // namespace spillway
