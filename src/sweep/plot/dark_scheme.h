// A picture of gnuplot in two schemes: the light one that it draws, and a dark one for readers who prefer
// that.
#pragma once

#include <cstddef>
#include <string>

namespace spillway {

// Returns the SVG with a style that, under prefers-color-scheme: dark, gives each colour of the page and of
// lines its dark value of words/colours.css. Cells of heat maps and the numbers on them stay as they are.
// `ordered`: the number of lines whose colours go along viridis; in the dark they go the other way. Contract:
// gnuplot drew it from a script of this room.
std::string with_dark_scheme(const std::string& svg, std::size_t ordered = 0);

}  // namespace spillway
