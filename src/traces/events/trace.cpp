#include "traces/events/trace.h"

#include <algorithm>
#include <array>
#include <tuple>

namespace spillway {
namespace {

auto sort_key(const TraceEvent& event) {
  return std::make_tuple(event.step, event.replica, event.rank, event.start, event.end(), event.kind,
                         event.stage, event.microbatch, event.stream, event.name);
}

}  // namespace

std::string_view to_string(TraceKind kind) {
  constexpr std::array<std::string_view, 12> words = {
      "forward",       "backward",      "backward-input", "backward-weight", "send-forward", "recv-forward",
      "send-backward", "recv-backward", "collective",     "kernel",          "annotation",   "host"};
  return words[static_cast<std::size_t>(kind)];
}

bool is_compute(TraceKind kind) {
  return kind <= TraceKind::BackwardWeight;
}

bool is_transfer(TraceKind kind) {
  return kind >= TraceKind::SendForward && kind <= TraceKind::ReceiveBackward;
}

void normalise(Trace& trace) {
  auto& events = trace.events;
  const auto before = [](const TraceEvent& a, const TraceEvent& b) { return sort_key(a) < sort_key(b); };
  if (!std::is_sorted(events.begin(), events.end(), before)) std::sort(events.begin(), events.end(), before);
  const auto same = std::unique(events.begin(), events.end());
  if (same == events.end()) return;
  const auto count = static_cast<std::size_t>(events.end() - same);
  events.erase(same, events.end());
  trace.notes.push_back({NoteKind::Dropped, count, "events that the file holds twice"});
}

}  // namespace spillway
