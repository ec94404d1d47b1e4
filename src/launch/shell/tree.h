// A shell script as a tree of commands.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace spillway {

// A word as it is written, with quotes and expansions, and line marks if it was made by another word.
struct ShellWord {
  std::string raw;
  std::size_t line;
};

struct ShellCommand;
using ShellCommands = std::vector<ShellCommand>;

struct ShellBranch {
  ShellCommands condition = {};          // of if and while; else: none
  std::vector<ShellWord> patterns = {};  // of case
  ShellCommands body = {};
};

enum class ShellKind { Simple, If, Case, For, While, Function, Group };
// How a command follows the one before it: after it, && or ||, or reading its output.
enum class ShellJoin { After, IfTrue, IfFalse, Pipe };

struct ShellCommand {
  ShellKind kind = ShellKind::Simple;
  ShellJoin join = ShellJoin::After;
  std::size_t line = 0;
  bool negated = false;               // ! COMMAND
  std::string name = {};              // the variable of for, the name of a function
  std::vector<ShellWord> words = {};  // of a simple command; the items of for; what case looks at
  std::vector<ShellWord> input = {};  // texts of <<EOF, with `raw` as the text; quoted ones are not kept
  std::vector<ShellBranch> branches = {};
};

}  // namespace spillway
