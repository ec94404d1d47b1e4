#include "base/printable.h"

#include <cstdio>

#include "base/utf8.h"

namespace spillway {
namespace {

bool is_plain(char c) {
  return c >= ' ' && c < '\x7f';
}

// Unicode 15: general categories Cc, Zl, Zp, the property Bidi_Control, and U+FEFF.
bool misleads(char32_t code) {
  return code < 0x20 || (code >= 0x7F && code < 0xA0) || code == 0x061C || code == 0x200E || code == 0x200F ||
         (code >= 0x2028 && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069) || code == 0xFEFF;
}

std::string spelled(const char* form, unsigned number) {
  char text[16];
  std::snprintf(text, sizeof text, form, number);
  return text;
}

std::string spelled(char32_t code) {
  if (code == '\n') return "\\n";
  if (code == '\r') return "\\r";
  if (code == '\t') return "\\t";
  return spelled("\\u%04x", static_cast<unsigned>(code));
}

// Appends the character at the front, or its escape, to `shown`. Returns the character's length.
std::size_t take_character(std::string_view text, std::string& shown) {
  const std::size_t length = character_length(text);
  if (length == 0) {
    shown += spelled("\\x%02x", static_cast<unsigned char>(text[0]));
    return 1;
  }
  const std::string_view character = text.substr(0, length);
  const char32_t code = code_point(character);
  if (misleads(code))
    shown += spelled(code);
  else
    shown += character;
  return length;
}

template <class Passes>
std::string shown_text(std::string_view text, Passes passes) {
  std::string shown;
  shown.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    while (at < text.size() && passes(text[at])) ++at;
    shown += text.substr(begin, at - begin);
    if (at < text.size()) at += take_character(text.substr(at), shown);
  }
  return shown;
}

}  // namespace

std::string printable(std::string_view text) {
  return shown_text(text, is_plain);
}

std::string printable_lines(std::string_view text) {
  return shown_text(text, [](char c) { return is_plain(c) || c == '\n' || c == '\t'; });
}

std::string in_quotes(std::string_view text, std::size_t most) {
  const std::string_view shown = front_of(text, most);
  return '"' + printable(shown) + (shown.size() < text.size() ? "...\"" : "\"");
}

}  // namespace spillway
