// Small functions on text.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace spillway {

// Removes blanks from both ends.
inline constexpr std::string_view kBlanks = " \t\r\n";
std::string_view trimmed(std::string_view text, std::string_view blanks = kBlanks);

// Only ASCII letters change.
std::string lower(std::string_view text);

// The parts between separators: n separators give n + 1 parts. Returns views into `text`.
std::vector<std::string_view> split(std::string_view text, char separator);

// "1 rank", "4 ranks", "2 microbatches".
std::string counted(std::size_t count, std::string_view thing);

// Appends `next`, with `between` before it unless the list is empty.
void add_to_list(std::string& list, std::string_view next, std::string_view between = ", ");

// "a, b, c"
template <class Texts>
std::string joined(const Texts& texts, std::string_view between = ", ") {
  std::string list;
  bool first = true;
  for (const auto& text : texts) {
    if (!first) list += between;
    list += text;
    first = false;
  }
  return list;
}

}  // namespace spillway
