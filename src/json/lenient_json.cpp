#include "json/lenient_json.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace spillway {
namespace {

constexpr std::array<std::string_view, 3> kNotFinite = {"-Infinity", "Infinity", "NaN"};

// Behind the text that begins at `at`.
std::size_t end_of_text(std::string_view text, std::size_t at) {
  for (std::size_t i = at + 1; i < text.size(); ++i) {
    if (text[i] == '\\')
      ++i;
    else if (text[i] == '"')
      return i + 1;
  }
  return text.size();
}

// Behind the comment that begins at `at`; `at` where none does.
std::size_t end_of_comment(std::string_view text, std::size_t at) {
  const std::string_view rest = text.substr(at);
  if (rest.starts_with("//")) return std::min(text.find('\n', at), text.size());
  if (!rest.starts_with("/*")) return at;
  const std::size_t end = text.find("*/", at + 2);
  return end == std::string_view::npos ? at : end + 2;
}

}  // namespace

std::string strict_json(std::string_view text) {
  std::string strict;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t past_text = text[at] == '"' ? end_of_text(text, at) : at;
    const std::size_t past_comment = end_of_comment(text, at);
    const auto word = std::ranges::find_if(
        kNotFinite, [&](std::string_view name) { return text.substr(at).starts_with(name); });
    if (past_comment > at) {
      for (; at < past_comment; ++at) strict += text[at] == '\n' ? '\n' : ' ';
    } else if (past_text > at) {
      strict += text.substr(at, past_text - at);
      at = past_text;
    } else if (word != kNotFinite.end()) {
      strict.append(1, '"').append(*word).append(1, '"');
      at += word->size();
    } else {
      strict += text[at++];
    }
  }
  return strict;
}

}  // namespace spillway
