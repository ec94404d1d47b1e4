// Text from outside (names, paths, what a file says) as it may stand in a message or on a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace spillway {

// The text on one line, with nothing that a terminal acts on or that reads otherwise than it stands: control
// characters (line breaks and escape sequences among them), those that turn the direction of writing, line
// and paragraph separators, byte-order marks and bytes that are no UTF-8 are spelled out: \n, \u001b, \u202e,
// \xff. All other text stays as it is; printable(printable(x)) is printable(x).
std::string printable(std::string_view text);

// Text of several lines: printable but for line breaks and tabs, which pass.
std::string printable_lines(std::string_view text);

// In double quotes, printable, at most so many bytes of it: as a message shows what it found.
std::string in_quotes(std::string_view text, std::size_t most = 60);

}  // namespace spillway
