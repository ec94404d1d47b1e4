// What a file says, as a message quotes it. Private to src/measured.
#pragma once

#include <string>
#include <string_view>

namespace spillway {

// In double quotes, printable, at most 60 bytes of it.
std::string quoted(std::string_view text);

}  // namespace spillway
