// UTF-8 (RFC 3629): no surrogates, nothing overlong.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace spillway {

// Some programs write this before a text.
inline constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

// The length of the character at the front of `text` in bytes; 0 if it is malformed. Contract: not empty.
std::size_t character_length(std::string_view text);

// The position of the first byte that is not UTF-8, if any.
std::optional<std::size_t> first_invalid_utf8(std::string_view text);

// At most `bytes` bytes from the front of `text`, cut between characters.
std::string_view front_of(std::string_view text, std::size_t bytes);

// The code point of a character. Contract: the character is well-formed.
char32_t code_point(std::string_view character);

// The width of the text in terminal columns: East Asian wide characters take two, combining characters none,
// bytes that are not UTF-8 one each. Widths come from the C library's table. Contract: no control characters.
std::size_t display_width(std::string_view text);

}  // namespace spillway
