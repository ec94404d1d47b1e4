// Pictures of sweeps in gnuplot's language.
#pragma once

#include <string>

#include "sweep/plot/picture.h"

namespace spillway {

enum class PictureFormat { Svg, Png };

// A script that holds its data and writes the picture to standard output. Same picture, same bytes.
std::string plot_script(const SweepPicture& picture, PictureFormat format, PictureSize size);

}  // namespace spillway
