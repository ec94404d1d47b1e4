#include "base/utf8.h"

#include <locale.h>
#include <wchar.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace spillway {
namespace {

bool continues(unsigned char byte) {
  return (byte & 0xC0) == 0x80;
}

// Most text is ASCII, so this reads eight bytes at a time.
std::size_t ascii_length(std::string_view text) {
  std::size_t at = 0;
  for (; at + 8 <= text.size(); at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data() + at, sizeof word);
    if ((word & 0x8080808080808080U) != 0) break;
  }
  while (at < text.size() && static_cast<unsigned char>(text[at]) < 0x80) ++at;
  return at;
}

// Sets the thread's locale to a Unicode one during its lifetime, because wcwidth() depends on it.
class UnicodeLocale {
 public:
  UnicodeLocale() {
    static const locale_t unicode = newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr);
    before_ = uselocale(unicode);  // null (the C library lacks the locale) changes nothing
  }
  ~UnicodeLocale() { uselocale(before_); }
  UnicodeLocale(const UnicodeLocale&) = delete;
  UnicodeLocale& operator=(const UnicodeLocale&) = delete;

 private:
  locale_t before_;
};

}  // namespace

std::size_t character_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if (!continues(byte(i))) return 0;
  const bool overlong = (lead == 0xE0 && byte(1) < 0xA0) || (lead == 0xF0 && byte(1) < 0x90);
  const bool surrogate = lead == 0xED && byte(1) >= 0xA0;
  const bool beyond = lead == 0xF4 && byte(1) >= 0x90;
  return overlong || surrogate || beyond ? 0 : length;
}

std::optional<std::size_t> first_invalid_utf8(std::string_view text) {
  for (std::size_t at = ascii_length(text); at < text.size(); at += ascii_length(text.substr(at))) {
    const std::size_t length = character_length(text.substr(at));
    if (length == 0) return at;
    at += length;
  }
  return std::nullopt;
}

std::string_view front_of(std::string_view text, std::size_t bytes) {
  if (text.size() <= bytes) return text;
  while (bytes > 0 && continues(static_cast<unsigned char>(text[bytes]))) --bytes;
  return text.substr(0, bytes);
}

char32_t code_point(std::string_view character) {
  constexpr unsigned char kLeadBits[] = {0, 0x7F, 0x1F, 0x0F, 0x07};
  char32_t code = static_cast<unsigned char>(character[0]) & kLeadBits[character.size()];
  for (const char byte : character.substr(1)) code = (code << 6) | (static_cast<unsigned char>(byte) & 0x3F);
  return code;
}

std::size_t display_width(std::string_view text) {
  std::size_t at = ascii_length(text), columns = at;
  if (at == text.size()) return columns;
  const UnicodeLocale locale;
  while (at < text.size()) {
    const std::size_t length = character_length(text.substr(at));
    const int width = length == 0 ? 1 : wcwidth(static_cast<wchar_t>(code_point(text.substr(at, length))));
    columns += width < 0 ? 1 : static_cast<std::size_t>(width);
    at += std::max<std::size_t>(length, 1);
  }
  return columns;
}

}  // namespace spillway
