#include "measured/plain_text.h"

#include <algorithm>

namespace spillway {

std::string plain(std::string_view text) {
  constexpr char kDelete = '\x7f';
  std::string shown(text);
  std::replace_if(
      shown.begin(), shown.end(), [](char c) { return (c >= 0 && c < ' ') || c == kDelete; }, ' ');
  return shown;
}

std::string quoted(std::string_view text) {
  constexpr std::size_t kMost = 60;
  const bool whole = text.size() <= kMost;
  return '"' + plain(text.substr(0, kMost)) + (whole ? "\"" : "...\"");
}

}  // namespace spillway
