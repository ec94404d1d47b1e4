// Marks inside the text of a script: the line that a part was written in, and parts whose value is not known.
// They travel with the text through variables, arrays and commands, so that a word of the final command line
// still has its line, and a word that cannot be known still has the name to ask for. Scripts themselves hold
// none of these four control characters (read_script refuses them).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace spillway {

// Why a part of a text is not known.
struct UnknownPart {
  bool unset = false;     // a variable that the script does not set: an empty text in conditions
  std::string name = {};  // the variable that --set would set; empty: none
  std::string why = {};   // "line 7: $(hostname) is not run"
};

class UnknownParts {
 public:
  // Returns the mark of a part. Equal parts have one mark.
  std::string mark(const UnknownPart& part);
  const UnknownPart& at(std::size_t index) const { return parts_[index]; }

 private:
  std::vector<UnknownPart> parts_ = {};
};

inline constexpr char kUnknownBegins = '\x01', kUnknownEnds = '\x02', kLineBegins = '\x03',
                      kLineEnds = '\x04';

// A text whose first character stands in `line`.
std::string line_mark(std::size_t line);

// Reads the number of the mark at text[at], and moves `at` behind the mark.
std::size_t number_of_mark(std::string_view text, std::size_t& at);

// The text without the marks of lines.
std::string without_lines(std::string_view text);
std::size_t line_of(std::string_view text);  // of its first mark; 0 if it has none

bool has_unknown(std::string_view text);
std::vector<std::size_t> unknowns_in(std::string_view text);
// The text without marks of lines and of unset variables.
std::string with_unset_as_empty(std::string_view text, const UnknownParts& parts);
// For messages: an unknown part is shown as "$NAME", or as "?".
std::string shown(std::string_view text, const UnknownParts& parts);

}  // namespace spillway
