// One trace event, filled in member by member. Private to src/traces.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string_view>

#include "traces/files/json_events.h"

namespace spillway {

// Takes the event over from the parser, and hands it on at its end.
class JsonEventFields {
 public:
  JsonEventFields(std::span<const std::string_view> arguments,
                  const std::function<bool(const JsonEvent&)>& take)
      : wanted_(arguments), take_(take) {
    event_.arguments.resize(arguments.size());
  }

  void begin();
  bool end() { return take_(event_); }
  std::size_t count() const { return event_.number; }

  // `depth`: 1 for the event's own members, 2 for those of its args, deeper for what is passed over.
  void key(std::size_t depth, std::string_view name);
  void scalar(std::size_t depth, std::string_view text);

 private:
  enum class Field { None, Name, Category, Phase, At, Duration, Process, Thread, Id, Arguments };
  static Field field_of(std::string_view key);
  void set(std::string_view text);

  std::span<const std::string_view> wanted_;
  const std::function<bool(const JsonEvent&)>& take_;
  JsonEvent event_;
  Field field_ = Field::None;
  std::size_t argument_ = 0;  // which of those wanted; their number where it is none
};

}  // namespace spillway
