#include "sweep/plot/script.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <sstream>
#include <string_view>
#include <vector>

#include "report/words/wording.h"
#include "sweep/plot/script_parts.h"

namespace spillway {
namespace {

constexpr double kCaptionLine = 15;  // pixels
constexpr double kAbove = 66;        // title and subtitle

std::vector<std::string> caption_lines(const SweepPicture& picture, PictureSize size) {
  constexpr double character = 6.8;  // pixels
  std::vector<std::string> lines;
  std::istringstream text(wrapped("", picture.caption, static_cast<std::size_t>(size.width / character)));
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

std::string screen_text(int number, const std::string& text, std::string_view place, std::string_view look) {
  return fmt::format("set label {} {} at screen {} {}\n", number, gnuplot_text(text), place, look);
}

// Pixels for the axis' values and label.
double below_plot(const SweepPicture& picture, PictureSize size) {
  constexpr double label = 58;
  if (!tics_slant(picture.x, size)) return label;
  std::size_t longest = 0;
  for (const std::string& value : picture.x.values) longest = std::max(longest, value.size());
  return label + std::min(text_width(longest) / 2, size.height / 4.0);
}

std::string terminal(PictureFormat format, PictureSize size) {
  const bool svg = format == PictureFormat::Svg;
  return fmt::format("set terminal {} size {},{} noenhanced font 'sans-serif,{}' background '#ffffff'\n",
                     svg ? "svg" : "pngcairo", size.width, size.height, svg ? 12 : 10);
}

std::string frame(const SweepPicture& picture, PictureFormat format, PictureSize size) {
  const std::vector<std::string> lines = caption_lines(picture, size);
  const double height = size.height, caption = kCaptionLine * static_cast<double>(lines.size());
  std::string text = terminal(format, size) + "set encoding utf8\n";
  text += screen_text(1, picture.title, fmt::format("0.5,{:.4f}", 1 - 22 / height), "center font ',15'");
  text += screen_text(2, picture.subtitle, fmt::format("0.5,{:.4f}", 1 - 44 / height),
                      "center textcolor rgb '#404040'");
  for (std::size_t i = 0; i < lines.size(); ++i)
    text += screen_text(
        static_cast<int>(3 + i), lines[i],
        fmt::format("0.015,{:.4f}", (caption - kCaptionLine * (static_cast<double>(i) + 0.4)) / height),
        "left font ',9' textcolor rgb '#606060'");
  text += fmt::format("set tmargin at screen {:.4f}\nset bmargin at screen {:.4f}\n", 1 - kAbove / height,
                      (caption + below_plot(picture, size)) / height);
  return text + "set tics nomirror out\n";
}

}  // namespace

std::string plot_script(const SweepPicture& picture, PictureFormat format, PictureSize size) {
  return frame(picture, format, size) +
         (picture.heat_map ? heat_map_script(picture, size) : lines_script(picture, size));
}

}  // namespace spillway
