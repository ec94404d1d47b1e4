// Builds a Trace from events that arrive one by one with readings of the file's clock. Private to src/traces.
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
  // Adds a note if the file ended too early, although all its events were usable.
  void finish_file(const JsonEventsRead& read);

  // The index of the name, which is stored once.
  std::uint32_t name(std::string_view text) { return names_[text]; }

  // Numbers below 128 keep their value. Any other text gets the next free number from 128 on.
  std::uint8_t stream(std::string_view text);

  // Fills in start, duration and name from the event, keeps it and returns true. If it has no start or no
  // duration, or a negative duration, counts it as dropped and returns false.
  bool add(const JsonEvent& event, TraceEvent what);
  // Does the same for an event from one reading to another.
  bool add(const JsonEvent& end, const ClockReading& start, TraceEvent what);

  // `what` completes "12 ...", as "events of the host's operators" does.
  void drop(std::string_view what, std::size_t event_number);
  void note(NoteKind kind, std::size_t count, std::string text);

  std::vector<TraceEvent>& events() { return trace_.events; }
  const std::vector<std::string>& names() const { return names_.texts(); }

  // Names the steps after the numbers in the events' `step`, and replaces these by indices.
  void number_steps();

  // Moves the origin to the first start, writes the notes and normalises. Throws InputError if no event was
  // kept; the error says what was dropped.
  Trace finish() &&;

 private:
  struct Dropped {
    std::size_t count = 0;
    std::size_t first = 0;
  };

  bool add(const JsonEvent& event, const ClockReading& start, Seconds duration, TraceEvent what);

  Trace trace_;
  NameIndex names_;
  NameIndex streams_;  // those that are not small numbers
  std::map<std::string, Dropped, std::less<>> dropped_;
  std::optional<ClockReading> base_;  // the first event's time; starts count from it until finish()
};

}  // namespace spillway
