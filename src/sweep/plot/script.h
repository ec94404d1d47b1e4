// Pictures of sweeps in gnuplot's language.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "sweep/plot/picture.h"

namespace spillway {

enum class PictureFormat { Svg, Png };

// By how the file's name ends, in .svg or .png; of others none.
std::optional<PictureFormat> picture_format(const std::filesystem::path& path);

// A script that holds its data and writes the picture to standard output. Same picture, same bytes.
std::string plot_script(const SweepPicture& picture, PictureFormat format, PictureSize size);

}  // namespace spillway
