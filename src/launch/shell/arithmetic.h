// $((...)) of a shell.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace spillway {

// Returns the value of a text such as "8*NODES/(TP*2)". `value_of` has the text of a variable. Returns
// nothing for what is no such text, for a variable that is no number, for a division by 0 and beyond 64 bits.
using VariableText = std::function<std::optional<std::string>(std::string_view name)>;
std::optional<std::int64_t> shell_arithmetic(std::string_view text, const VariableText& value_of);

}  // namespace spillway
