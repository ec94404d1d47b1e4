// Chrome trace-event JSON read from front to back, plain or gzipped, one event in memory at a time.
// Format: "Trace Event Format",
// https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU
// Parsed by RapidJSON: of 10^7 events it takes a quarter of the time of nlohmann's SAX parser (2.4
// against 9.8 s of processor time, a gigabyte of text), and it hands over numbers as text, which time stamps
// of 1.7e15 need. Private to src/traces.
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

// What the event does not have is empty. Numbers and strings are both text, as pid 7 and pid "stream 7" mean
// the same.
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
  std::vector<std::string> arguments;  // the values of those asked for, in that order
};

// A scalar beside the events, with its JSON pointer: "/distributedInfo/rank", "3".
struct OutsideValue {
  std::string pointer;
  std::string text;
};

struct JsonEventsRead {
  std::size_t events = 0;
  bool stopped = false;               // by the consumer
  bool unterminated = false;          // a bare array without its last bracket, as Chrome allows
  std::vector<OutsideValue> outside;  // not those of stack frames

  // Empty where there is none.
  std::string_view outside_value(std::string_view pointer) const;
};

// Hands over every event of {"traceEvents": [...]} or of a bare array, until the consumer returns false. Of
// an event's args, the values of the given keys; of one that is an array or object, its own scalars with
// blanks between. Throws InputError where the file cannot be read or unpacked, holds no such list, or its
// JSON is broken: with the offset, in bytes of the unpacked text.
JsonEventsRead read_json_events(const std::string& path, std::span<const std::string_view> arguments,
                                const std::function<bool(const JsonEvent&)>& take);

}  // namespace spillway
