// UTF-8 (RFC 3629): no surrogates, nothing overlong.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace spillway {

// What some programs write in front of a text.
inline constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

// The length of the well-formed character at the front of `text`, 0 if it is not one. Contract: not empty.
std::size_t character_length(std::string_view text);

// The position of the first byte that is not UTF-8, if any.
std::optional<std::size_t> first_invalid_utf8(std::string_view text);

// At most so many bytes from the front of `text`, cut between characters.
std::string_view front_of(std::string_view text, std::size_t bytes);

// The number of a character that is well-formed.
char32_t code_point(std::string_view character);

// How many columns of a terminal the text takes: East Asian wide characters two, combining ones none, bytes
// that are no UTF-8 one each. Of the C library's table of widths. Contract: no control characters.
std::size_t display_width(std::string_view text);

}  // namespace spillway
