#include "traces/events/trace_builder.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/number.h"

namespace spillway {
namespace {

constexpr std::uint8_t kOwnStreams = 128;  // streams below keep their numbers

std::string what_was_dropped(const std::string& what, std::size_t first) {
  return what + " (the first is event " + std::to_string(first) + ")";
}

}  // namespace

TraceBuilder::TraceBuilder(std::string format) {
  trace_.format = std::move(format);
  trace_.steps = {"0"};
}

void TraceBuilder::start_file(const std::string& path) {
  trace_.files.push_back(path);
}

void TraceBuilder::finish_file(const JsonEventsRead& read) {
  if (read.unterminated) note(NoteKind::Guessed, 0, "the array of events has no end; all events are used");
}

std::uint8_t TraceBuilder::stream(std::string_view text) {
  const auto number = number_from<std::uint8_t>(text);
  if (number && *number < kOwnStreams) return *number;
  // All streams beyond the last number share it.
  return static_cast<std::uint8_t>(std::min<std::uint32_t>(kOwnStreams + streams_[text], 255));
}

bool TraceBuilder::add(const JsonEvent& event, const ClockReading& start, Seconds duration, TraceEvent what) {
  if (duration < Seconds(0)) return drop("events with a negative duration", event.number), false;
  if (!base_) base_ = start;
  what.start = start.since(*base_);
  what.duration = duration;
  what.name = name(event.name);
  trace_.events.push_back(what);
  return true;
}

bool TraceBuilder::add(const JsonEvent& event, TraceEvent what) {
  if (!event.at) return drop("events without a start", event.number), false;
  if (!event.duration_us) return drop("events without a duration", event.number), false;
  return add(event, *event.at, microseconds(*event.duration_us), what);
}

bool TraceBuilder::add(const JsonEvent& end, const ClockReading& start, TraceEvent what) {
  if (!end.at) return drop("events without a time", end.number), false;
  return add(end, start, end.at->since(start), what);
}

void TraceBuilder::drop(std::string_view what, std::size_t event_number) {
  auto found = dropped_.find(what);
  if (found == dropped_.end()) found = dropped_.emplace(std::string(what), Dropped{0, event_number}).first;
  ++found->second.count;
}

void TraceBuilder::note(NoteKind kind, std::size_t count, std::string text) {
  trace_.notes.push_back({kind, count, std::move(text)});
}

void TraceBuilder::number_steps() {
  std::map<std::uint32_t, std::uint32_t> index;
  for (const TraceEvent& event : trace_.events) index.emplace(event.step, 0);
  trace_.steps.clear();
  for (auto& [number, position] : index) {
    position = static_cast<std::uint32_t>(trace_.steps.size());
    trace_.steps.push_back(std::to_string(number));
  }
  for (TraceEvent& event : trace_.events) event.step = index.at(event.step);
}

Trace TraceBuilder::finish() && {
  std::string why;
  for (const auto& [what, dropped] : dropped_) {
    trace_.notes.push_back({NoteKind::Dropped, dropped.count, what_was_dropped(what, dropped.first)});
    why += (why.empty() ? " after " : ", ") + to_string(trace_.notes.back());
  }
  if (trace_.events.empty())
    throw InputError(
        {{trace_.files.front(), "/", "a trace with events of a device or a pipeline", "none" + why}});
  Seconds first = trace_.events.front().start;
  for (const TraceEvent& event : trace_.events) first = std::min(first, event.start);
  for (TraceEvent& event : trace_.events) event.start -= first;
  trace_.origin_s = base_->seconds() + first.value();
  trace_.names = names_.texts();
  normalise(trace_);
  return std::move(trace_);
}

}  // namespace spillway
