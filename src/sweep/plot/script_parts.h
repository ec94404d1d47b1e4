// The parts that several gnuplot scripts share. Private to src/sweep/plot.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sweep/plot/scale.h"
#include "sweep/plot/script.h"

namespace spillway {

// Quotes the text so that gnuplot takes nothing in it for a command or a format.
std::string gnuplot_text(const std::string& text);
// Quotes the label of a tic, in which % begins a format.
std::string gnuplot_tic(const std::string& text);

// The approximate width in pixels of a text with this many characters in the script's font.
double text_width(std::size_t characters);
inline constexpr double kTextHeight = 16;

// The approximate size in pixels of the plot itself.
double plot_width(PictureSize size);
double plot_height(PictureSize size);

// The shape of a group's points, in gnuplot's numbers. All are filled, in the order of the page's shapes
// (looks.js).
int point_type(std::size_t group);

// How the values of an axis are written. Words under an axis are slanted if they do not fit side by side.
enum class TicTexts { SideBySide, Aslant, OneAboveTheOther };
TicTexts texts_of_x(const PictureAxis& x, PictureSize size);

// The commands for the ends and the written values of an axis, 'x' or 'y'.
std::string axis_script(char name, const PictureAxis& axis, const AxisScale& scale, double pixels,
                        TicTexts texts);

// The texts above and below a plot.
struct FrameTexts {
  std::string title;
  std::string subtitle;
  std::string caption;
};
// The terminal, the texts, and the room of the plot between them. `below_plot` is the height in pixels of the
// axis' values and label.
std::string frame_script(const FrameTexts& texts, double below_plot, PictureFormat format, PictureSize size);

std::string lines_script(const SweepPicture& picture, PictureSize size);
std::string heat_map_script(const SweepPicture& picture, PictureSize size);

}  // namespace spillway
