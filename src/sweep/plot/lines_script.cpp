// Draws a line for each group over the values of one axis.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "sweep/plot/colours.h"
#include "sweep/plot/script_parts.h"

namespace spillway {
namespace {

constexpr const char* kLinesScript = R"({x_axis}{y_range}set ylabel {metric}
set border 3 linecolor rgb muted
set grid linetype 1 linecolor rgb line linewidth 1 dashtype solid
set offsets 0, 0, graph 0.04, graph 0.04
set samples 2
set key outside right top Left reverse samplen 2 title {groups}
{data}plot {lines}
)";
constexpr const char* kReference = "{} with lines linecolor rgb muted linewidth 1.5 dashtype 2 title {}";
constexpr const char* kLine =
    "$line{} {} linecolor rgb '{}' linewidth 2{} pointtype {} pointsize 0.8 title {}";
// A dot of the ground inside a point makes it hollow.
constexpr const char* kHollow =
    "$misfit{} with points linecolor rgb ground pointtype {} pointsize 0.45 notitle";

// A missing value leaves a gap.
std::string data(const SweepPicture& picture, const AxisScale& scale, std::size_t group) {
  std::string text = fmt::format("$line{} << EOD\n", group);
  for (std::size_t x = 0; x < picture.x.values.size(); ++x) {
    const PictureCell cell = picture.at(x, group).value_or(PictureCell{});
    text += fmt::format("{} {} {}\n", scale.positions()[x],
                        cell.value ? fmt::format("{}", *cell.value) : "NaN", cell.interval);
  }
  return text + "EOD\n";
}

// Repeats the points that would not fit in memory.
std::string misfits(const SweepPicture& picture, const AxisScale& scale, std::size_t group) {
  std::string places;
  for (std::size_t x = 0; x < picture.x.values.size(); ++x)
    if (const auto& cell = picture.at(x, group); cell && cell->is_misfit())
      places += fmt::format("{} {}\n", scale.positions()[x], *cell->value);
  return places.empty() ? places : fmt::format("$misfit{} << EOD\n{}EOD\n", group, places);
}

// There is nothing between two words, so no line joins them.
std::string style_of(const SweepPicture& picture) {
  const bool joined = !picture.x.numbers.empty();
  if (picture.has_intervals()) return joined ? "with yerrorlines" : "with yerrorbars";
  return joined ? "with linespoints" : "with points";
}

// The width in pixels of the plot beside the key.
double lines_width(const SweepPicture& picture, PictureSize size) {
  constexpr double beside = 150;  // for the vertical axis with its label, and the key's samples
  std::size_t longest = picture.baseline.size();
  for (const std::string& group : picture.groups.values) longest = std::max(longest, group.size());
  return std::max(size.width - beside - text_width(longest), 100.0);
}

// Starts the vertical axis at 0 if no figure is below 0.
std::string range_line(const SweepPicture& picture) {
  const bool none_below = std::none_of(picture.cells.begin(), picture.cells.end(), [](const auto& cell) {
    return cell && cell->value.value_or(0) - cell->interval < 0;
  });
  return none_below ? "set yrange [0<*:]\n" : "";
}

std::string dash_of(const SweepPicture& picture, std::size_t group) {
  const std::size_t turn = picture.groups.numbers.empty() ? group / kLineColours : 0;
  return turn == 0 ? "" : fmt::format(" dashtype {}", turn + 1);
}

// Draws the baseline first. Its value is the same everywhere.
std::string lines(const SweepPicture& picture) {
  constexpr std::string_view next = ", \\\n  ";
  std::string text;
  const auto level = figure_column(picture.metric).of_the_baseline;
  if (level && !picture.baseline.empty())
    text = fmt::format(kReference, *level, gnuplot_text(picture.baseline));
  const std::vector<std::string>& groups = picture.groups.values;
  const auto colours = line_colours(groups.size(), !picture.groups.numbers.empty());
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const int point = point_type(i);
    add_to_list(text,
                fmt::format(kLine, i, style_of(picture), to_string(colours[i]), dash_of(picture, i), point,
                            gnuplot_text(groups[i])),
                next);
    if (picture.has_misfits(i)) add_to_list(text, fmt::format(kHollow, i, point), next);
  }
  return text;
}

}  // namespace

std::string lines_script(const SweepPicture& picture, PictureSize size) {
  const AxisScale scale = AxisScale::by_value(picture.x);
  const TicTexts texts = texts_of_x(picture.x, size);
  std::string blocks;
  for (std::size_t group = 0; group < picture.groups.values.size(); ++group)
    blocks += data(picture, scale, group) + misfits(picture, scale, group);
  using fmt::arg;
  return fmt::format(
      kLinesScript, arg("x_axis", axis_script('x', picture.x, scale, lines_width(picture, size), texts)),
      arg("y_range", range_line(picture)), arg("metric", gnuplot_text(picture.metric_label)),
      arg("groups", gnuplot_text(picture.groups.label)), arg("data", blocks), arg("lines", lines(picture)));
}

}  // namespace spillway
