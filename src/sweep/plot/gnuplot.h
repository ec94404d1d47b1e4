// gnuplot as a program that turns a script into a picture.
#pragma once

#include <string>

namespace spillway {

// What gnuplot writes to its standard output for this script, its user's settings ignored. Throws InputError
// where there is no gnuplot (with what installs it), and where it fails, with what it says.
std::string drawn_by_gnuplot(const std::string& script);

}  // namespace spillway
