#include "traces/formats/range_pairs.h"

namespace spillway {

std::vector<RangePairs::Open>& RangePairs::track_of(const JsonEvent& event) {
  key_ = event.process;
  key_.append(1, '/').append(event.thread).append(1, '/').append(event.id);
  return open_[key_];
}

void RangePairs::begin(const JsonEvent& event, TraceBuilder& trace) {
  if (!event.at) return trace.drop("events without a start", event.number);
  track_of(event).push_back({trace.name(event.name), *event.at, event.number});
}

std::optional<ClockReading> RangePairs::end(const JsonEvent& event, TraceBuilder& trace) {
  std::vector<Open>& open = track_of(event);
  // Chrome lets an end leave its name out.
  const bool fits = !open.empty() && (event.name.empty() || trace.names()[open.back().name] == event.name);
  if (!fits) return trace.drop("ends without a begin", event.number), std::nullopt;
  const ClockReading start = open.back().at;
  open.pop_back();
  return start;
}

void RangePairs::finish(TraceBuilder& trace) const {
  for (const auto& [track, open] : open_)
    for (const Open& range : open) trace.drop("begins without an end", range.number);
}

}  // namespace spillway
