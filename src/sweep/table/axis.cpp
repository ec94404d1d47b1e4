#include "sweep/table/axis.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/number.h"
#include "json/dumped.h"

namespace spillway {
namespace {

// The ending of a key in an experiment or platform, and the unit that it means.
struct Suffix {
  std::string_view ending;
  std::string_view unit;
};
constexpr std::array<Suffix, 9> kSuffixes = {{
    {"_s", "s"},
    {"_ms", "ms"},
    {"_us", "us"},
    {"_bytes", "B"},
    {"_gb", "GB"},
    {"_gbps", "GB/s"},
    {"_tflops", "TFLOP/s"},
    {"_hour_usd", "USD/h"},
    {"_tokens", "tokens"},
}};

// A figure with a source is an object: the key of that object has the unit.
std::string_view without_value(std::string_view pointer) {
  if (pointer.ends_with("/value")) pointer.remove_suffix(6);
  return pointer;
}

const Suffix* suffix_of(std::string_view pointer) {
  const auto found = std::find_if(kSuffixes.begin(), kSuffixes.end(),
                                  [&](const Suffix& s) { return pointer.ends_with(s.ending); });
  return found == kSuffixes.end() ? nullptr : found;
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

}  // namespace

std::string axis_unit(const std::string& pointer) {
  const Suffix* suffix = suffix_of(without_value(pointer));
  return suffix ? std::string(suffix->unit) : "";
}

std::string axis_label(const std::string& pointer) {
  std::string words(without_value(pointer));
  const Suffix* suffix = suffix_of(words);
  if (suffix) words.resize(words.size() - suffix->ending.size());
  std::replace(words.begin(), words.end(), '/', ' ');
  std::replace(words.begin(), words.end(), '_', ' ');
  replace_all(words, "~1", "/");  // in the order that RFC 6901 requires
  replace_all(words, "~0", "~");
  if (words.starts_with(' ')) words.erase(0, 1);
  return suffix ? words + " (" + std::string(suffix->unit) + ')' : words;
}

std::string axis_text(const std::string& value) {
  const bool quoted = value.size() > 2 && value.starts_with('"') && value.find('\\') == std::string::npos;
  if (!quoted) return value;
  const std::string inside = value.substr(1, value.size() - 2);
  return is_json(inside) ? value : inside;
}

std::optional<double> axis_number(const std::string& value) {
  return number_from<double>(value);
}

bool same_axis_value(const std::string& value, const std::string& asked) {
  if (value == asked || axis_text(value) == asked) return true;
  return is_json(asked) && same_json(asked, value);
}

}  // namespace spillway
