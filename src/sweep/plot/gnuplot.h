// Runs gnuplot as a program that turns a script into a picture.
#pragma once

#include <string>

namespace spillway {

// Returns what gnuplot writes to standard output for this script. Ignores the user's settings of gnuplot.
// Throws InputError if gnuplot is missing, with the package that has it, or if it fails, with its message.
std::string drawn_by_gnuplot(const std::string& script);

}  // namespace spillway
