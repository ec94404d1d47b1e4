#include "report/words/wording.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/printable.h"

namespace spillway {

std::string counted(std::size_t count, std::string_view thing) {
  std::string text = std::to_string(count) + ' ' + std::string(thing);
  if (count != 1) text += thing.ends_with("ch") ? "es" : "s";
  return text;
}

std::string signed_percent(double share, int decimals) {
  return fmt::format("{:+.{}f} %", 100 * share, decimals);
}

std::string wrapped(std::string_view heading_text, std::string_view text_of_words, std::size_t columns) {
  const std::string heading = printable(heading_text), shown = printable(text_of_words);
  const std::string_view words = shown;
  std::string text(heading);
  std::size_t column = heading.size();
  for (std::size_t at = 0; at < words.size();) {
    const std::size_t end = std::min(words.find(' ', at), words.size());
    const std::size_t length = end - at;
    const bool first = column == heading.size();
    if (!first && column + 1 + length > columns) {
      text += '\n' + std::string(heading.size(), ' ');
      column = heading.size();
    } else if (!first) {
      text += ' ';
      ++column;
    }
    text += words.substr(at, length);
    column += length;
    at = end + 1;
  }
  return text + '\n';
}

}  // namespace spillway
