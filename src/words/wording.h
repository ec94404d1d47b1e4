// Sentences for the terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/text.h"  // counted, which sentences need

namespace spillway {

// "1.5 %" of 0.0149 with one decimal. What rounds to 0 is "0.0 %", from below, too. Every percentage that is
// shown is made here.
std::string percent(double share, int decimals);

// "+1.5 %" of 0.0149 with one decimal. No sign stands before what rounds to 0.
std::string signed_percent(double share, int decimals);

// The blanks that fill the text up to `columns` columns of the terminal.
std::string padding(std::string_view text, std::size_t columns);

// "omni (not ranked)" if there is a reason not to rank it, else the name.
std::string marked(const std::string& name, std::string_view why_unranked);

// "  omni is not ranked: REASON", wrapped as below; empty if there is no reason.
std::string unranked_line(std::string_view name, std::string_view why_unranked, std::size_t columns);

// Breaks words at spaces into lines of at most `columns` columns, if the words allow it. The first line
// begins with `heading`; the others are indented to its end. The text ends with a line break. Words are made
// printable.
std::string wrapped(std::string_view heading, std::string_view words, std::size_t columns);

}  // namespace spillway
