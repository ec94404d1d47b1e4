// Expands words: quotes, variables, arrays, defaults, arithmetic. Commands inside words are not run; their
// output is an unknown part.
#pragma once

#include <string>
#include <vector>

#include "launch/shell/state.h"
#include "launch/shell/tree.h"

namespace spillway {

// As the value of a variable: one text.
std::string expanded_text(const ShellWord& word, ShellState& state);
// The text of a <<EOF, in which quotes are characters.
std::string expanded_input(const ShellWord& text, ShellState& state);

// As a part of a command: text that is not quoted is split at blanks. A word of nothing but variables that
// the script does not set gives no field; it is reported to `left_out`, by its name.
std::vector<std::string> expanded_fields(const ShellWord& word, ShellState& state,
                                         std::vector<std::string>* left_out = nullptr);

// The value of ((...)), or an unknown part.
std::string expanded_arithmetic(const ShellWord& text, ShellState& state);

}  // namespace spillway
