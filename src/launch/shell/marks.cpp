#include "launch/shell/marks.h"

#include <algorithm>

namespace spillway {
namespace {

// Calls `on_unknown` for the number of each unknown part, and copies the other characters.
template <class OnUnknown>
std::string copied(std::string_view text, const OnUnknown& on_unknown) {
  std::string copy;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] == kLineBegins)
      number_of_mark(text, at);
    else if (text[at] == kUnknownBegins)
      copy += on_unknown(number_of_mark(text, at));
    else
      copy += text[at++];
  }
  return copy;
}

std::string unknown_mark(std::size_t index) {
  return kUnknownBegins + std::to_string(index) + kUnknownEnds;
}

}  // namespace

std::string UnknownParts::mark(const UnknownPart& part) {
  const auto same = std::ranges::find_if(parts_, [&](const UnknownPart& known) {
    return known.unset == part.unset && known.name == part.name && known.why == part.why;
  });
  const auto index = static_cast<std::size_t>(same - parts_.begin());
  if (same == parts_.end()) parts_.push_back(part);
  return unknown_mark(index);
}

std::string line_mark(std::size_t line) {
  return kLineBegins + std::to_string(line) + kLineEnds;
}

std::size_t number_of_mark(std::string_view text, std::size_t& at) {
  std::size_t number = 0;
  for (++at; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at)
    number = number * 10 + static_cast<std::size_t>(text[at] - '0');
  if (at < text.size()) ++at;
  return number;
}

std::string without_lines(std::string_view text) {
  return copied(text, unknown_mark);
}

std::size_t line_of(std::string_view text) {
  std::size_t at = text.find(kLineBegins);
  return at == std::string_view::npos ? 0 : number_of_mark(text, at);
}

bool has_unknown(std::string_view text) {
  return text.find(kUnknownBegins) != std::string_view::npos;
}

std::vector<std::size_t> unknowns_in(std::string_view text) {
  std::vector<std::size_t> found;
  copied(text, [&](std::size_t index) {
    found.push_back(index);
    return std::string();
  });
  return found;
}

std::string with_unset_as_empty(std::string_view text, const UnknownParts& parts) {
  return copied(
      text, [&](std::size_t index) { return parts.at(index).unset ? std::string() : unknown_mark(index); });
}

std::string shown(std::string_view text, const UnknownParts& parts) {
  return copied(text, [&](std::size_t index) {
    const UnknownPart& part = parts.at(index);
    return part.name.empty() ? std::string("?") : '$' + part.name;
  });
}

}  // namespace spillway
