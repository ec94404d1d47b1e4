#include "base/text.h"

#include <algorithm>
#include <cctype>

namespace spillway {

std::string_view trimmed(std::string_view text, std::string_view blanks) {
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::string lower(std::string_view text) {
  std::string letters(text);
  std::transform(letters.begin(), letters.end(), letters.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  return letters;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t end; (end = text.find(separator)) != std::string_view::npos; text.remove_prefix(end + 1))
    parts.push_back(text.substr(0, end));
  parts.push_back(text);
  return parts;
}

void add_to_list(std::string& list, std::string_view next, std::string_view between) {
  if (!list.empty()) list += between;
  list += next;
}

std::string counted(std::size_t count, std::string_view thing) {
  std::string text = std::to_string(count) + ' ' + std::string(thing);
  if (count != 1) text += thing.ends_with("ch") ? "es" : "s";
  return text;
}

}  // namespace spillway
