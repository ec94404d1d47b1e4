// What a file says, made fit to be printed. Private to src/measured.
#pragma once

#include <string>
#include <string_view>

namespace spillway {

// Without what could upset a terminal or break a line: control characters become blanks.
std::string plain(std::string_view text);

// In double quotes, plain, at most 60 characters of it.
std::string quoted(std::string_view text);

}  // namespace spillway
