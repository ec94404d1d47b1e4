// Knows where in a document of trace events the parser is: in an event, or beside the events. Private to
// src/measured.
#pragma once

#include <rapidjson/reader.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "measured/json_event_fields.h"
#include "measured/json_events.h"

namespace spillway {

class JsonEventsHandler : public rapidjson::BaseReaderHandler<rapidjson::UTF8<>, JsonEventsHandler> {
 public:
  JsonEventsHandler(JsonEventFields& event, JsonEventsRead& read) : event_(event), read_(read) {}

  bool Default() { return scalar({}); }  // null, and NaN
  bool Bool(bool value) { return scalar(value ? "true" : "false"); }
  bool String(const char* text, rapidjson::SizeType size, bool) { return scalar({text, size}); }
  bool RawNumber(const char* text, rapidjson::SizeType size, bool) { return scalar({text, size}); }
  bool Key(const char* text, rapidjson::SizeType size, bool) {
    if (inside_ > 0)
      event_.key(inside_, {text, size});
    else
      levels_.back().key.assign(text, size);
    return true;
  }
  bool StartObject() {
    if (inside_ == 0 && !at_events()) return open(false);
    if (inside_++ == 0) event_.begin();
    return true;
  }
  bool EndObject(rapidjson::SizeType) {
    if (inside_ == 0) return close();
    if (--inside_ > 0) return true;
    read_.stopped = !event_.end();
    return !read_.stopped;
  }
  bool StartArray() {
    if (inside_ > 0) return ++inside_, true;
    found_ = found_ || levels_.empty() || is_events_key();
    return open(true);
  }
  bool EndArray(rapidjson::SizeType) {
    if (inside_ > 0) return --inside_, true;
    return close();
  }

  bool found_events() const { return found_; }
  bool between_events_of_bare_array() const {
    return inside_ == 0 && levels_.size() == 1 && levels_[0].array;
  }

 private:
  static constexpr std::string_view kEventsKey = "traceEvents";
  // Large, and of no use here: call stacks.
  static constexpr std::array<std::string_view, 2> kPassedOver = {"stackFrames", "samples"};

  // One step of the way from the root to the value that comes next.
  struct Level {
    bool array;
    std::size_t index;  // of an array's element
    std::string key;    // of an object's member
  };

  bool is_events_key() const {
    return levels_.size() == 1 && !levels_[0].array && levels_[0].key == kEventsKey;
  }
  // Is the innermost open container the list of events?
  bool at_events() const {
    if (levels_.empty() || !levels_.back().array) return false;
    return levels_.size() == 1 || (levels_.size() == 2 && !levels_[0].array && levels_[0].key == kEventsKey);
  }
  bool passed_over() const {
    return levels_.empty() || levels_[0].array || levels_[0].key == kEventsKey ||
           std::find(kPassedOver.begin(), kPassedOver.end(), levels_[0].key) != kPassedOver.end();
  }
  bool open(bool array) {
    levels_.push_back({array, 0, {}});
    return true;
  }
  bool close() {
    levels_.pop_back();
    return next();
  }
  bool next() {
    if (!levels_.empty() && levels_.back().array) ++levels_.back().index;
    return true;
  }
  bool scalar(std::string_view text) {
    if (inside_ > 0) return event_.scalar(inside_, text), true;
    if (!passed_over()) read_.outside.push_back({pointer(), std::string(text)});
    return next();
  }
  std::string pointer() const {
    std::string text;
    for (const Level& level : levels_) text += '/' + (level.array ? std::to_string(level.index) : level.key);
    return text;
  }

  JsonEventFields& event_;
  JsonEventsRead& read_;
  std::vector<Level> levels_;  // of the containers that are open, up to the list of events
  std::size_t inside_ = 0;     // containers open from the event inwards
  bool found_ = false;
};

}  // namespace spillway
