#include "traces/files/json_events.h"

#include <rapidjson/error/en.h>
#include <rapidjson/reader.h>

#include <algorithm>
#include <array>

#include "base/error.h"
#include "base/number.h"
#include "json/json_stream.h"

namespace spillway {
namespace {

// Takes one trace event from the parser, member by member, and passes it on at its end.
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

  // `depth`: 1 for the event's own members, 2 for those of its args, more for members that are skipped.
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
  std::size_t argument_ = 0;  // index of the wanted argument, or their number if not wanted
};

JsonEventFields::Field JsonEventFields::field_of(std::string_view key) {
  if (key == "name") return Field::Name;
  if (key == "cat") return Field::Category;
  if (key == "ph") return Field::Phase;
  if (key == "ts") return Field::At;
  if (key == "dur") return Field::Duration;
  if (key == "pid") return Field::Process;
  if (key == "tid") return Field::Thread;
  if (key == "id") return Field::Id;
  if (key == "args") return Field::Arguments;
  return Field::None;
}

void JsonEventFields::begin() {
  const std::size_t number = event_.number + 1;
  std::vector<std::string> arguments = std::move(event_.arguments);
  for (std::string& argument : arguments) argument.clear();
  event_.number = number;
  event_.phase = 0;
  for (std::string* text : {&event_.name, &event_.category, &event_.process, &event_.thread, &event_.id})
    text->clear();
  event_.at.reset();
  event_.duration_us.reset();
  event_.arguments = std::move(arguments);
}

void JsonEventFields::key(std::size_t depth, std::string_view name) {
  if (depth == 1) {
    field_ = field_of(name);
    argument_ = wanted_.size();  // if args is an array, it has no keys
  }
  if (depth == 2)
    argument_ = static_cast<std::size_t>(std::find(wanted_.begin(), wanted_.end(), name) - wanted_.begin());
}

void JsonEventFields::scalar(std::size_t depth, std::string_view text) {
  if (depth == 1) set(text);
  if (depth < 2 || depth > 3 || field_ != Field::Arguments || argument_ == wanted_.size()) return;
  std::string& argument = event_.arguments[argument_];
  if (!argument.empty()) argument += ' ';
  argument += text;
}

void JsonEventFields::set(std::string_view text) {
  switch (field_) {
    case Field::Name:
      event_.name = text;
      break;
    case Field::Category:
      event_.category = text;
      break;
    case Field::Phase:
      event_.phase = text.size() == 1 ? text[0] : '\0';
      break;
    case Field::At:
      event_.at = ClockReading::parse(text);
      break;
    case Field::Duration:
      event_.duration_us = number_from<double>(text);
      break;
    case Field::Process:
      event_.process = text;
      break;
    case Field::Thread:
      event_.thread = text;
      break;
    case Field::Id:
      event_.id = text;
      break;
    case Field::None:
    case Field::Arguments:
      break;
  }
}

// Tracks where the parser is in a document of trace events: inside an event, or outside the events.
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
  // If the handler stopped the parser, these two say why.
  bool too_deep() const { return !is_shallow(); }
  bool too_much_outside() const { return read_.outside.size() > kMostOutside; }
  bool between_events_of_bare_array() const {
    return inside_ == 0 && levels_.size() == 1 && levels_[0].array;
  }

 private:
  static constexpr std::string_view kEventsKey = "traceEvents";
  // No profiler's file is half as deep, or has half as many values outside its events.
  static constexpr std::size_t kDeepest = 256, kMostOutside = 100'000;
  // Call stacks are large and not used here.
  static constexpr std::array<std::string_view, 2> kPassedOver = {"stackFrames", "samples"};

  // One step of the path from the root to the next value.
  struct Level {
    bool array;
    std::size_t index;  // of an array's element
    std::string key;    // of an object's member
  };

  bool is_events_key() const {
    return levels_.size() == 1 && !levels_[0].array && levels_[0].key == kEventsKey;
  }
  // Returns true if the innermost open container is the list of events.
  bool at_events() const {
    if (levels_.empty() || !levels_.back().array) return false;
    return levels_.size() == 1 || (levels_.size() == 2 && !levels_[0].array && levels_[0].key == kEventsKey);
  }
  bool passed_over() const {
    return levels_.empty() || levels_[0].array || levels_[0].key == kEventsKey ||
           std::find(kPassedOver.begin(), kPassedOver.end(), levels_[0].key) != kPassedOver.end();
  }
  // Inside an event, the limit on its length is enough.
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
  std::vector<Level> levels_;  // open containers, down to the list of events
  std::size_t inside_ = 0;     // open containers from the event inwards
  bool found_ = false;
};

// The parser is iterative because deep nesting must not grow the call stack. Profilers write NaN and trailing
// commas.
constexpr unsigned kFlags = rapidjson::kParseIterativeFlag | rapidjson::kParseNumbersAsStringsFlag |
                            rapidjson::kParseNanAndInfFlag | rapidjson::kParseTrailingCommasFlag |
                            rapidjson::kParseValidateEncodingFlag;

[[noreturn]] void refuse(const std::string& path, std::size_t offset, std::string expected,
                         std::string found) {
  throw InputError({{path, "byte " + std::to_string(offset), std::move(expected), std::move(found)}});
}

std::string what_broke(rapidjson::ParseErrorCode code, bool at_end, std::size_t events) {
  const std::string what = at_end ? "the end of the file" : rapidjson::GetParseError_En(code);
  return what + " after " + std::to_string(events) + " events";
}

}  // namespace

std::string_view JsonEventsRead::outside_value(std::string_view pointer) const {
  const auto found = std::find_if(outside.begin(), outside.end(),
                                  [&](const OutsideValue& value) { return value.pointer == pointer; });
  return found == outside.end() ? std::string_view() : found->text;
}

JsonEventsRead read_json_events(const std::string& path, std::span<const std::string_view> arguments,
                                const std::function<bool(const JsonEvent&)>& take) {
  JsonStream stream(path);
  if (stream.at_end()) refuse(path, 0, "trace events as JSON", "an empty file");
  JsonEventsRead read;
  JsonEventFields event(arguments, take);
  JsonEventsHandler handler(event, read, stream);
  rapidjson::Reader reader;
  reader.Parse<kFlags>(stream, handler);
  read.events = event.count();
  if (read.stopped) return read;
  if (handler.too_deep())
    refuse(path, reader.GetErrorOffset(), "JSON that is not nested so deep", "more levels");
  if (handler.too_much_outside())
    refuse(path, reader.GetErrorOffset(), "trace events and a few values beside them",
           "more than a few values");
  if (reader.HasParseError()) {
    read.unterminated = stream.at_end() && handler.between_events_of_bare_array();
    if (!read.unterminated)
      refuse(path, reader.GetErrorOffset(), "trace events as JSON",
             what_broke(reader.GetParseErrorCode(), stream.at_end(), read.events));
  }
  if (!handler.found_events())
    refuse(path, stream.Tell(), "an array of trace events, or an object with traceEvents", "neither");
  return read;
}

}  // namespace spillway
