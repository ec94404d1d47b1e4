#include "words/wording.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/printable.h"
#include "base/utf8.h"

namespace spillway {

namespace {

bool is_zero(std::string_view number) {
  return number.find_first_of("123456789in") == std::string_view::npos;  // neither infinite nor no number
}

}  // namespace

std::string percent(double share, int decimals) {
  const std::string number = fmt::format("{:.{}f}", 100 * share, decimals);
  return (is_zero(number) && number.starts_with('-') ? number.substr(1) : number) + " %";
}

std::string signed_percent(double share, int decimals) {
  const std::string number = fmt::format("{:+.{}f}", 100 * share, decimals);
  return (is_zero(number) ? number.substr(1) : number) + " %";
}

std::string padding(std::string_view text, std::size_t columns) {
  return std::string(columns - std::min(columns, display_width(text)), ' ');
}

std::string wrapped(std::string_view heading_text, std::string_view text_of_words, std::size_t columns) {
  const std::string heading = printable(heading_text), shown = printable(text_of_words);
  const std::string_view words = shown;
  std::string text(heading);
  const std::size_t indent = display_width(heading);
  std::size_t column = indent;
  for (std::size_t at = 0; at < words.size();) {
    const std::size_t end = std::min(words.find(' ', at), words.size());
    const std::string_view word = words.substr(at, end - at);
    const std::size_t width = display_width(word);
    const bool first = column == indent;
    if (!first && column + 1 + width > columns) {
      text += '\n' + std::string(indent, ' ');
      column = indent;
    } else if (!first) {
      text += ' ';
      ++column;
    }
    text += word;
    column += width;
    at = end + 1;
  }
  return text + '\n';
}

std::string marked(const std::string& name, std::string_view why_unranked) {
  return why_unranked.empty() ? name : name + " (not ranked)";
}

std::string unranked_line(std::string_view name, std::string_view why_unranked, std::size_t columns) {
  if (why_unranked.empty()) return {};
  return wrapped("  " + std::string(name) + " is not ranked: ", why_unranked, columns);
}

}  // namespace spillway
