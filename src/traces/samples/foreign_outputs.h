// Names the outputs of programs whose times are not those of a collective library, and says what to give
// instead. Private to src/traces.
#pragma once

#include <string>
#include <string_view>

namespace spillway {

// A program, by two words of one line of its output.
struct ForeignOutput {
  std::string_view words[2];
  std::string_view program;
  std::string_view instead;
};

// Returns the program whose output has this line, or null.
const ForeignOutput* foreign_output(std::string_view line);

}  // namespace spillway
