// A Trace under construction from events that come one by one with readings of the file's clock. Private to
// src/traces.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "traces/events/trace.h"
#include "traces/files/clock_reading.h"
#include "traces/files/json_events.h"
#include "traces/files/name_index.h"

namespace spillway {

class TraceBuilder {
 public:
  explicit TraceBuilder(std::string format);

  void start_file(const std::string& path);
  // Notes where the file ended too early, though all its events could be taken.
  void finish_file(const JsonEventsRead& read);

  // Index of the name, which is stored once.
  std::uint32_t name(std::string_view text) { return names_[text]; }

  // Small numbers stay what they are; what is none below 128 gets the next free one from there on.
  std::uint8_t stream(std::string_view text);

  // Fills start, duration and name from the event and keeps it; counts it as dropped where it has no start,
  // or its duration is none or negative. Returns whether it was kept.
  bool add(const JsonEvent& event, TraceEvent what);
  // The same from one reading to another.
  bool add(const JsonEvent& end, const ClockReading& start, TraceEvent what);

  // `what` completes "12 ...": "events of the host's operators".
  void drop(std::string_view what, std::size_t event_number);
  void note(NoteKind kind, std::size_t count, std::string text);

  std::vector<TraceEvent>& events() { return trace_.events; }
  const std::vector<std::string>& names() const { return names_.texts(); }

  // Names the steps after the numbers that the events' `step` holds so far, and makes these indices.
  void number_steps();

  // Moves the origin to the first start, writes the notes and normalises. Throws InputError where nothing was
  // kept, with what was dropped.
  Trace finish() &&;

 private:
  struct Dropped {
    std::size_t count = 0;
    std::size_t first = 0;
  };

  bool add(const JsonEvent& event, const ClockReading& start, Seconds duration, TraceEvent what);

  Trace trace_;
  NameIndex names_;
  NameIndex streams_;  // those that are no small numbers
  std::map<std::string, Dropped, std::less<>> dropped_;
  std::optional<ClockReading> base_;  // the first event's; starts count from here until finish
};

}  // namespace spillway
