#include "traces/files/json_events.h"

#include <rapidjson/error/en.h>
#include <rapidjson/reader.h>

#include <algorithm>

#include "base/error.h"
#include "traces/files/json_event_fields.h"
#include "traces/files/json_events_handler.h"
#include "traces/files/json_stream.h"

namespace spillway {
namespace {

// Deep nesting must not grow the call stack, so: iterative. Profilers write NaN, and a comma after the last.
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

// Of a document without events. PyTorch's other trace says what runs, and not when.
std::string instead(const JsonEventsRead& read) {
  if (read.outside_value("/schema").find("chakra") == std::string_view::npos) return "neither";
  return "an execution trace of PyTorch (ExecutionTraceObserver), without times: torch.profiler's has them";
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
    refuse(path, stream.Tell(), "an array of trace events, or an object with traceEvents", instead(read));
  return read;
}

}  // namespace spillway
