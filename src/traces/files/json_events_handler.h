// Knows where in a document of trace events the parser is: in an event, or beside the events. Private to
// src/traces.
#pragma once

#include <rapidjson/reader.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "traces/files/json_event_fields.h"
#include "traces/files/json_events.h"
#include "traces/files/json_stream.h"

namespace spillway {

class JsonEventsHandler : public rapidjson::BaseReaderHandler<rapidjson::UTF8<>, JsonEventsHandler> {
 public:
  JsonEventsHandler(JsonEventFields& event, JsonEventsRead& read, JsonStream& stream)
      : event_(event), read_(read), stream_(stream) {}

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
    if (inside_ == 0) stream_.begin_part();
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
  // Was the parser stopped by this, if by anything?
  bool too_deep() const { return !is_shallow(); }
  bool too_much_outside() const { return read_.outside.size() > kMostOutside; }
  bool between_events_of_bare_array() const {
    return inside_ == 0 && levels_.size() == 1 && levels_[0].array;
  }

 private:
  static constexpr std::string_view kEventsKey = "traceEvents";
  // No profiler's file is half as deep, or has half as many values beside its events.
  static constexpr std::size_t kDeepest = 256, kMostOutside = 100'000;
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
  // Inside an event its length is limit enough.
  bool is_shallow() const { return levels_.size() <= kDeepest; }
  bool open(bool array) {
    stream_.begin_part();
    levels_.push_back({array, 0, {}});
    return is_shallow();
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
    stream_.begin_part();
    if (!passed_over()) read_.outside.push_back({pointer(), std::string(text)});
    return next() && !too_much_outside();
  }
  std::string pointer() const {
    std::string text;
    for (const Level& level : levels_) text += '/' + (level.array ? std::to_string(level.index) : level.key);
    return text;
  }

  JsonEventFields& event_;
  JsonEventsRead& read_;
  JsonStream& stream_;
  std::vector<Level> levels_;  // of the containers that are open, up to the list of events
  std::size_t inside_ = 0;     // containers open from the event inwards
  bool found_ = false;
};

}  // namespace spillway
