#include "measured/files/json_file.h"

#include <span>

#include "base/error.h"
#include "measured/files/byte_source.h"

namespace spillway {
namespace {

using Json = nlohmann::ordered_json;

// No file of a profiler is half as large or as deep; what is read is held whole, and written by recursion.
constexpr std::size_t kLargest = std::size_t{256} << 20;
constexpr int kDeepest = 64;

std::string whole_text(const std::string& path) {
  ByteSource source(path);
  std::string text;
  for (std::size_t got = 1; got > 0;) {
    const std::size_t before = text.size();
    text.resize(before + (std::size_t{1} << 20));
    got = source.read(std::span(text).subspan(before));
    text.resize(before + got);
    if (text.size() > kLargest)
      throw InputError({{path, "/", "at most " + std::to_string(kLargest >> 20) + " MiB", "more"}});
  }
  return text;
}

}  // namespace

Json read_json_file(const std::string& path) {
  const auto is_shallow = [&](int depth, Json::parse_event_t, Json&) {
    if (depth <= kDeepest) return true;
    throw InputError({{path, "/", "at most " + std::to_string(kDeepest) + " levels of nesting", "more"}});
  };
  try {
    return Json::parse(whole_text(path), is_shallow);
  } catch (const Json::parse_error& error) {
    throw InputError(
        {{path, "byte " + std::to_string(error.byte), "JSON", "a syntax error, or the file's early end"}});
  } catch (const Json::out_of_range&) {
    throw InputError({{path, "/", "numbers that fit", "one that is too large"}});
  }
}

}  // namespace spillway
