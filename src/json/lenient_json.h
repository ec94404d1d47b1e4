// JSON as Python's json module and editors take it, to JSON: Infinity, -Infinity and NaN, which it writes for
// such numbers, become texts of the same name; // and /* */ comments become blanks. Lines stay where they
// are.
#pragma once

#include <string>
#include <string_view>

namespace spillway {

std::string strict_json(std::string_view text);

}  // namespace spillway
