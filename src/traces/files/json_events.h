// Reads Chrome trace-event JSON, plain or gzipped, from front to back, with one event in memory at a time.
// Format: "Trace Event Format",
// https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU
// RapidJSON parses it. For 10^7 events (a gigabyte of text) it takes a quarter of the time of nlohmann's SAX
// parser: 2.4 against 9.8 s of processor time. It also passes numbers as text, which time stamps of 1.7e15
// need. Private to src/traces.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "traces/files/clock_reading.h"

namespace spillway {

// A member that the event lacks is empty. Numbers and strings are both text, because pid 7 and pid "stream 7"
// are the same kind of name.
struct JsonEvent {
  std::size_t number = 0;  // from 1, in the file's order
  char phase = 0;          // 'X' complete, 'B' begin, 'E' end, 'i' instant, 'M' metadata, ...
  std::string name;
  std::string category;
  std::string process;
  std::string thread;
  std::string id;
  std::optional<ClockReading> at;
  std::optional<double> duration_us;
  std::vector<std::string> arguments;  // the values of the requested keys, in their order
};

// A scalar outside the events, with its JSON pointer: "/distributedInfo/rank", "3".
struct OutsideValue {
  std::string pointer;
  std::string text;
};

struct JsonEventsRead {
  std::size_t events = 0;
  bool stopped = false;               // by the consumer
  bool unterminated = false;          // a bare array without its closing bracket, which Chrome allows
  std::vector<OutsideValue> outside;  // without those of stack frames

  // Returns an empty text if there is no such value.
  std::string_view outside_value(std::string_view pointer) const;
};

// Calls `take` for every event of {"traceEvents": [...]} or of a bare array, until it returns false. Of an
// event's args it passes the values of the given keys. A value that is an array or object becomes its own
// scalars, joined by blanks. Throws InputError if the file cannot be read or unpacked, holds no such list, or
// has broken JSON. The error names the offset in bytes of the unpacked text.
JsonEventsRead read_json_events(const std::string& path, std::span<const std::string_view> arguments,
                                const std::function<bool(const JsonEvent&)>& take);

}  // namespace spillway
