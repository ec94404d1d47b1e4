// Begin and end events of Chrome traces put together: an end closes what was opened last on its track.
// Private to src/traces.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "traces/events/trace_builder.h"
#include "traces/files/json_events.h"

namespace spillway {

class RangePairs {
 public:
  void begin(const JsonEvent& event, TraceBuilder& trace);

  // When the range began that this event ends; nothing, and the event counted as dropped, where none is open
  // on its track, or the one that was opened last has another name: then that one stays open.
  std::optional<ClockReading> end(const JsonEvent& event, TraceBuilder& trace);

  // Counts what is still open as dropped.
  void finish(TraceBuilder& trace) const;

 private:
  struct Open {
    std::uint32_t name;  // in the trace
    ClockReading at;
    std::size_t number;  // of its event
  };
  // Asynchronous events of one id are a track of their own.
  std::vector<Open>& track_of(const JsonEvent& event);

  std::map<std::string, std::vector<Open>> open_;
  std::string key_;  // kept, because it is written for each event
};

}  // namespace spillway
