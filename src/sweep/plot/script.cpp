#include "sweep/plot/script.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <sstream>
#include <utility>
#include <vector>

#include "sweep/plot/colours.h"
#include "sweep/plot/script_parts.h"
#include "words/colour_list.h"
#include "words/wording.h"

namespace spillway {
namespace {

constexpr double kCaptionLine = 15;  // in pixels
constexpr double kAbove = 66;        // in pixels, for title and subtitle

std::vector<std::string> caption_lines(const std::string& caption, PictureSize size) {
  constexpr double character = 6.8;  // width in pixels
  std::vector<std::string> lines;
  std::istringstream text(wrapped("", caption, static_cast<std::size_t>(size.width / character)));
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

// The height in pixels of the axis' values and label.
double below_plot(const SweepPicture& picture, PictureSize size) {
  constexpr double label = 58;
  if (texts_of_x(picture.x, size) != TicTexts::Aslant) return label;
  std::size_t longest = 0;
  for (const std::string& value : picture.x.values) longest = std::max(longest, value.size());
  return label + std::min(text_width(longest) / 2, size.height / 4.0);
}

constexpr const char* kFrameScript =
    R"(set terminal {terminal} size {width},{height} noenhanced font 'sans-serif,{font}' background '{ground}'
set encoding utf8
{colours}set label 1 {title} at screen 0.5,{title_at:.4f} center font ',15'
set label 2 {subtitle} at screen 0.5,{subtitle_at:.4f} center textcolor rgb muted
{caption}set tmargin at screen {top:.4f}
set bmargin at screen {bottom:.4f}
set tics nomirror out
)";
constexpr const char* kCaption =
    "set label {} {} at screen 0.015,{:.4f} left font ',9' textcolor rgb muted\n";

// The script's colours by name, as in words/colours.css.
std::string colour_names() {
  std::string text;
  for (const auto& [name, rgb] :
       std::initializer_list<std::pair<const char*, std::uint32_t>>{{"ground", colours::kGround},
                                                                    {"line", colours::kLine},
                                                                    {"muted", colours::kMuted},
                                                                    {"ink", colours::kInk},
                                                                    {"unknown", colours::kUnknown}})
    text += fmt::format("{} = '{}'\n", name, to_string(colour(rgb)));
  return text;
}

}  // namespace

std::optional<PictureFormat> picture_format(const std::filesystem::path& path) {
  if (path.extension() == ".svg") return PictureFormat::Svg;
  if (path.extension() == ".png") return PictureFormat::Png;
  return std::nullopt;
}

std::string frame_script(const FrameTexts& texts, double below_plot, PictureFormat format, PictureSize size) {
  const std::vector<std::string> lines = caption_lines(texts.caption, size);
  const double height = size.height, below = kCaptionLine * static_cast<double>(lines.size());
  std::string caption;
  for (std::size_t i = 0; i < lines.size(); ++i)
    caption += fmt::format(kCaption, 3 + i, gnuplot_text(lines[i]),
                           (below - kCaptionLine * (static_cast<double>(i) + 0.4)) / height);
  const bool svg = format == PictureFormat::Svg;
  using fmt::arg;
  return fmt::format(kFrameScript, arg("terminal", svg ? "svg" : "pngcairo"), arg("font", svg ? 12 : 10),
                     arg("ground", to_string(colour(colours::kGround))), arg("colours", colour_names()),
                     arg("width", size.width), arg("height", size.height),
                     arg("title", gnuplot_text(texts.title)), arg("title_at", 1 - 22 / height),
                     arg("subtitle", gnuplot_text(texts.subtitle)), arg("subtitle_at", 1 - 44 / height),
                     arg("caption", caption), arg("top", 1 - kAbove / height),
                     arg("bottom", (below + below_plot) / height));
}

std::string plot_script(const SweepPicture& picture, PictureFormat format, PictureSize size) {
  return frame_script({picture.title, picture.subtitle, picture.caption}, below_plot(picture, size), format,
                      size) +
         (picture.heat_map ? heat_map_script(picture, size) : lines_script(picture, size));
}

}  // namespace spillway
