// Draws a rectangle for each point of two axes. Its colour is the figure, and its number is printed if it
// fits.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/text.h"
#include "sweep/plot/colours.h"
#include "sweep/plot/script_parts.h"
#include "words/colour_list.h"

namespace spillway {
namespace {

constexpr double kColourBar = 150;  // in pixels, with its values and label

struct Range {
  double low, high;
};

Range range_of(const SweepPicture& picture) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Range range{infinity, -infinity};
  for (const auto& cell : picture.cells) {
    if (!cell || !cell->value) continue;
    range = {std::min(range.low, *cell->value), std::max(range.high, *cell->value)};
  }
  return range;
}

// If the figure has a value of no effect (speedup 1, difference 0), the colour shows the side of that value,
// and the scale always includes it.
ColourScale scale_of(const SweepPicture& picture) {
  const auto centre = figure_column(picture.metric).of_the_baseline;
  Range range = range_of(picture);
  if (centre) range = {std::min(range.low, *centre), std::max(range.high, *centre)};
  const double around = range.low == 0 ? 1 : std::abs(range.low) / 10;
  if (range.low == range.high) range = {range.low - around, range.high + around};
  if (!centre) return ColourScale::sequential(range.low, range.high);
  const bool more_is_better = picture.metric == SweepFigure::SpeedupMean;
  return ColourScale::diverging(range.low, range.high, *centre, more_is_better);
}

constexpr const char* kHeatMapScript = R"({x_axis}{y_axis}set palette defined ({stops})
set cbrange [{low}:{high}]
set cblabel {metric} offset 2
set rmargin at screen {right:.4f}
unset key
set border 0
set tics scale 0.4
$known << EOD
{known}EOD
$misfits << EOD
{misfits}EOD
$unknown << EOD
{unknown}EOD
$numbers << EOD
{numbers}EOD
plot {layers}
)";
constexpr const char* kCells =
    "${0} using 1:2:({1}):({1}){2} with boxxyerror fillcolor {3} fillstyle solid 1 {4}";
constexpr const char* kHatched =
    "$misfits using 1:2:({0}):({0}) with boxxyerror fillcolor rgb muted fillstyle transparent pattern 4 "
    "noborder";
constexpr const char* kNumbers = "$numbers using 1:2:(strcol(3)):4 with labels textcolor rgb variable";

std::string palette(const ColourScale& scale) {
  constexpr int steps = 32;
  std::string stops;
  for (int i = 0; i <= steps; ++i)
    add_to_list(stops,
                fmt::format("{} '{}'", i,
                            to_string(scale.at(scale.low() + (scale.high() - scale.low()) * i / steps))));
  return stops;
}

// Returns enough decimals to tell the cells apart.
int decimals_for(Range range) {
  const double width = range.high > range.low ? range.high - range.low : std::max(std::abs(range.low), 1e-6);
  return std::clamp(static_cast<int>(std::floor(2.5 - std::log10(width))), 0, 6);
}

// Cells with a figure, those of them that would not fit in memory, cells without a figure, and the numbers on
// the first.
struct CellData {
  std::string known, misfits, unknown, numbers;
};

CellData cell_data(const SweepPicture& picture, const ColourScale& scale, int decimals) {
  CellData data;
  const std::size_t columns = picture.x.values.size();
  for (std::size_t i = 0; i < picture.cells.size(); ++i) {
    if (!picture.cells[i]) continue;
    const std::string place = fmt::format("{} {}", i % columns, i / columns);
    const auto value = picture.cells[i]->value;
    if (!value) {
      data.unknown += place + '\n';
      continue;
    }
    data.known += fmt::format("{} {}\n", place, *value);
    if (picture.cells[i]->is_misfit()) data.misfits += place + '\n';
    data.numbers += fmt::format("{} {:.{}f} {}\n", place, *value, decimals,
                                is_dark(scale.at(*value)) ? colours::kOnForward : colours::kOnEvent);
  }
  return data;
}

bool numbers_fit(const SweepPicture& picture, PictureSize size, int decimals) {
  const Range range = range_of(picture);
  const std::size_t longest = std::max(fmt::format("{:.{}f}", range.low, decimals).size(),
                                       fmt::format("{:.{}f}", range.high, decimals).size());
  const double width = plot_width(size) / static_cast<double>(picture.x.values.size());
  const double height = plot_height(size) / static_cast<double>(picture.groups.values.size());
  return text_width(longest) < width && kTextHeight < height;
}

// With so many cells, lines between them would cover them. Then no lines are drawn, and cells overlap by a
// fraction of a pixel to leave no gaps.
std::string layers(const SweepPicture& picture, const CellData& data, bool with_numbers) {
  constexpr std::string_view next = ", \\\n  ";
  const bool many = std::max(picture.x.values.size(), picture.groups.values.size()) > 40;
  const char* half = many ? "0.55" : "0.5";  // of a cell's side
  const char* border = many ? "noborder" : "border linecolor rgb ground";
  std::string text = fmt::format(kCells, "known", half, ":3", "palette", border);
  if (!data.unknown.empty())
    add_to_list(text, fmt::format(kCells, "unknown", half, "", "rgb unknown", border), next);
  if (!data.misfits.empty()) add_to_list(text, fmt::format(kHatched, half), next);
  if (with_numbers) add_to_list(text, kNumbers, next);
  return text;
}

}  // namespace

std::string heat_map_script(const SweepPicture& picture, PictureSize size) {
  const ColourScale scale = scale_of(picture);
  const int decimals = decimals_for(range_of(picture));
  const CellData data = cell_data(picture, scale, decimals);
  const auto axis = [](char name, const PictureAxis& one, double pixels, TicTexts texts) {
    return axis_script(name, one, AxisScale::side_by_side(one), pixels, texts);
  };
  using fmt::arg;
  return fmt::format(kHeatMapScript,
                     arg("x_axis", axis('x', picture.x, plot_width(size), texts_of_x(picture.x, size))),
                     arg("y_axis", axis('y', picture.groups, plot_height(size), TicTexts::OneAboveTheOther)),
                     arg("stops", palette(scale)), arg("low", scale.low()), arg("high", scale.high()),
                     arg("metric", gnuplot_text(picture.metric_label)),
                     arg("right", 1 - kColourBar / size.width), arg("known", data.known),
                     arg("misfits", data.misfits), arg("unknown", data.unknown), arg("numbers", data.numbers),
                     arg("layers", layers(picture, data, numbers_fit(picture, size, decimals))));
}

}  // namespace spillway
