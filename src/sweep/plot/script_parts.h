// What the scripts of lines and heat maps have in common. Private to src/sweep/plot.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sweep/plot/scale.h"
#include "sweep/plot/script.h"

namespace spillway {

// Quoted so that nothing in it is taken for a command or a format.
std::string gnuplot_text(const std::string& text);
// As a tic's label, where % begins a format.
std::string gnuplot_tic(const std::string& text);

// Pixels that text of this many characters takes in the script's font.
double text_width(std::size_t characters);
inline constexpr double kTextHeight = 16;

// Pixels of the plot itself, about.
double plot_width(PictureSize size);
double plot_height(PictureSize size);

// How the values of an axis stand: words under an axis that have no room side by side stand aslant.
enum class TicTexts { SideBySide, Aslant, OneAboveTheOther };
TicTexts texts_of_x(const PictureAxis& x, PictureSize size);

// The commands for both ends and the written values of an axis, 'x' or 'y'.
std::string axis_script(char name, const PictureAxis& axis, const AxisScale& scale, double pixels,
                        TicTexts texts);

// Above and below a plot.
struct FrameTexts {
  std::string title;
  std::string subtitle;
  std::string caption;
};
// The terminal, the texts and the room of the plot between them; `below_plot`: pixels for the axis' values
// and label.
std::string frame_script(const FrameTexts& texts, double below_plot, PictureFormat format, PictureSize size);

std::string lines_script(const SweepPicture& picture, PictureSize size);
std::string heat_map_script(const SweepPicture& picture, PictureSize size);

}  // namespace spillway
