// Patterns of a shell: *, ?, [a-z].
#pragma once

#include <string_view>

namespace spillway {

// Returns true if the pattern matches the whole text. A backslash takes the next character as itself.
bool matches_glob(std::string_view pattern, std::string_view text);

}  // namespace spillway
