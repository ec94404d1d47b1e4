// Parses a shell script.
#pragma once

#include <string_view>
#include <vector>

#include "launch/shell/lexer.h"

namespace spillway {

struct ShellTree {
  ShellCommands commands = {};
  std::vector<ShellWord> sbatch = {};
  std::vector<ShellError> errors = {};
};

// Returns as much of the tree as can be read, and every error.
ShellTree parse_shell(std::string_view text, std::size_t line);

}  // namespace spillway
