// A rectangle for each point of two axes, coloured by the figure, with the number where there is room.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "sweep/plot/colours.h"
#include "sweep/plot/script_parts.h"

namespace spillway {
namespace {

constexpr double kColourBar = 150;  // pixels, with its values and label

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

// A figure with a value of no effect (speedup 1, difference 0) is coloured by the side it lies on, and that
// value is always on the scale.
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

std::string palette(const ColourScale& scale) {
  constexpr int steps = 32;
  std::string stops;
  for (int i = 0; i <= steps; ++i)
    stops += fmt::format("{}{} '{}'", i > 0 ? ", " : "", i,
                         to_string(scale.at(scale.low() + (scale.high() - scale.low()) * i / steps)));
  return fmt::format("set palette defined ({})\nset cbrange [{}:{}]\n", stops, scale.low(), scale.high());
}

// As many decimals as tell the cells apart.
int decimals_for(Range range) {
  const double width = range.high > range.low ? range.high - range.low : std::max(std::abs(range.low), 1e-6);
  return std::clamp(static_cast<int>(std::floor(2.5 - std::log10(width))), 0, 6);
}

// Cells with a figure, cells without, the numbers on the first.
struct CellData {
  std::string known, unknown, numbers;
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
    data.numbers +=
        fmt::format("{} {:.{}f} {}\n", place, *value, decimals, is_dark(scale.at(*value)) ? 0xffffff : 0);
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

std::string block(const char* name, const std::string& data) {
  return fmt::format("${} << EOD\n{}EOD\n", name, data);
}

// With so many cells that lines between them would cover them, none are drawn, and cells overlap by a
// fraction of a pixel, so that nothing shines through.
struct CellStyle {
  const char* half;  // of a cell's side
  const char* border;
};
CellStyle cell_style(const SweepPicture& picture) {
  const bool many = std::max(picture.x.values.size(), picture.groups.values.size()) > 40;
  return many ? CellStyle{"0.55", "noborder"} : CellStyle{"0.5", "border linecolor rgb '#ffffff'"};
}

std::string cells(const char* block, const char* colour_column, const std::string& colour, CellStyle style) {
  return fmt::format("${0} using 1:2:({1}):({1}){2} with boxxyerror fillcolor {3} fillstyle solid 1 {4}",
                     block, style.half, colour_column, colour, style.border);
}

std::string axes(const SweepPicture& picture, PictureSize size) {
  const bool slant = tics_slant(picture.x, size);
  return axis_script('x', picture.x, AxisScale::side_by_side(picture.x), plot_width(size), slant) +
         (slant ? "set xtics rotate by 30 right\n" : "") +
         axis_script('y', picture.groups, AxisScale::side_by_side(picture.groups), plot_height(size), true);
}

}  // namespace

std::string heat_map_script(const SweepPicture& picture, PictureSize size) {
  const ColourScale scale = scale_of(picture);
  const int decimals = decimals_for(range_of(picture));
  const CellData data = cell_data(picture, scale, decimals);
  std::string text = axes(picture, size) + palette(scale);
  const CellStyle style = cell_style(picture);
  text += "set cblabel " + gnuplot_text(picture.metric_label) + " offset 2\n";
  text += fmt::format("set rmargin at screen {:.4f}\n", 1 - kColourBar / size.width);
  text += "unset key\nset border 0\nset tics scale 0.4\n";
  text += block("known", data.known) + block("unknown", data.unknown) + block("numbers", data.numbers);
  text += "plot " + cells("known", ":3", "palette", style);
  if (!data.unknown.empty()) text += ", \\\n  " + cells("unknown", "", "rgb '#c8c8c8'", style);
  if (numbers_fit(picture, size, decimals))
    text += ", \\\n  $numbers using 1:2:(strcol(3)):4 with labels textcolor rgb variable";
  return text + '\n';
}

}  // namespace spillway
