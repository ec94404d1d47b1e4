// Scripts in gnuplot's language for pictures of sweeps.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "sweep/plot/picture.h"

namespace spillway {

enum class PictureFormat { Svg, Png };

// Returns the format for names that end in .svg or .png, and nothing for others.
std::optional<PictureFormat> picture_format(const std::filesystem::path& path);

// Returns a script that contains its data and writes the picture to standard output. Equal pictures give
// equal bytes.
std::string plot_script(const SweepPicture& picture, PictureFormat format, PictureSize size);

}  // namespace spillway
