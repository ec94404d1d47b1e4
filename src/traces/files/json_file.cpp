#include "traces/files/json_file.h"

#include "base/error.h"
#include "json/byte_source.h"

namespace spillway {
namespace {

using Json = nlohmann::ordered_json;

// No profiler's file is half as large or as deep. The document is held in memory and written by recursion.
constexpr std::size_t kLargest = std::size_t{256} << 20;
constexpr int kDeepest = 64;
// Counts keys and brackets, too. A value takes more memory than its text.
constexpr std::size_t kMostValues = std::size_t{1} << 24;

std::string whole_text(const std::string& path) {
  std::string text = ByteSource(path).read(kLargest + 1);
  if (text.size() <= kLargest) return text;
  throw InputError({{path, "/", "at most " + std::to_string(kLargest >> 20) + " MiB", "more"}});
}

}  // namespace

Json read_json_file(const std::string& path) {
  std::size_t values = 0;
  const auto is_usual = [&](int depth, Json::parse_event_t, Json&) {
    ++values;
    if (depth > kDeepest)
      throw InputError({{path, "/", "at most " + std::to_string(kDeepest) + " levels of nesting", "more"}});
    if (values > kMostValues)
      throw InputError(
          {{path, "/", "at most " + std::to_string(kMostValues) + " values, keys and brackets", "more"}});
    return true;
  };
  try {
    return Json::parse(whole_text(path), is_usual);
  } catch (const Json::parse_error& error) {
    throw InputError(
        {{path, "byte " + std::to_string(error.byte), "JSON", "a syntax error, or the file's early end"}});
  } catch (const Json::out_of_range&) {
    throw InputError({{path, "/", "numbers that fit", "one that is too large"}});
  }
}

}  // namespace spillway
