// Makes text from outside (names, paths, file contents) safe for messages and terminals.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace spillway {

// The text on one line, without anything that a terminal would act on or that would display misleadingly. It
// spells out control characters (including line breaks and escape sequences), characters that change the
// writing direction, line and paragraph separators, byte-order marks and bytes that are not UTF-8: \n,
// \u001b, \u202e, \xff. All other text is unchanged; printable(printable(x)) is printable(x).
std::string printable(std::string_view text);

// The same for several lines: line breaks and tabs pass.
std::string printable_lines(std::string_view text);

// At most `most` bytes of the text, printable and in double quotes, for messages that show what was found.
std::string in_quotes(std::string_view text, std::size_t most = 60);

}  // namespace spillway
