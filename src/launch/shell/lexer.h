// A shell script as words and operators.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "launch/shell/tree.h"

namespace spillway {

enum class ShellTokenKind { Word, Operator, Newline, End };

struct ShellToken {
  ShellTokenKind kind;
  ShellWord word;
  std::vector<ShellWord> input = {};  // of the operator <<
};

struct ShellError {
  std::size_t line;
  std::string expected, found;
};

struct ShellTokens {
  std::vector<ShellToken> tokens;       // the last is an End
  std::vector<ShellWord> sbatch = {};   // what follows #SBATCH
  std::vector<ShellError> errors = {};  // quotes and brackets that never close
};

// `line` is that of the first character.
ShellTokens shell_tokens(std::string_view text, std::size_t line);

// The position behind the quoted text, expansion or escaped character that begins at text[at], or behind the
// single character there. Returns npos if it never ends.
std::size_t behind_part(std::string_view text, std::size_t at, std::size_t depth = 0);

// "NAME=" or "NAME+=" at the beginning of a word: its length up to and including "=", otherwise 0.
std::size_t assignment_prefix(std::string_view raw);

bool is_shell_name(std::string_view text);

}  // namespace spillway
