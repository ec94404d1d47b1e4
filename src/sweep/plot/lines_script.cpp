// A line for each group, over the values of one axis.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "sweep/plot/colours.h"
#include "sweep/plot/script_parts.h"

namespace spillway {
namespace {

constexpr std::array<int, 6> kPointTypes = {7, 5, 9, 11, 13, 6};  // gnuplot's filled shapes first

std::string data(const SweepPicture& picture, const AxisScale& scale, std::size_t group) {
  std::string text = fmt::format("$line{} << EOD\n", group);
  for (std::size_t x = 0; x < picture.x.values.size(); ++x) {
    const PictureCell cell = picture.at(x, group).value_or(PictureCell{});
    text += fmt::format("{} {} {}\n", scale.positions()[x], gnuplot_number(cell.value), cell.interval);
  }
  return text + "EOD\n";
}

// Words have nothing between them, so no line leads from one to the next.
std::string style_of(const SweepPicture& picture) {
  const bool joined = !picture.x.numbers.empty();
  if (picture.has_intervals()) return joined ? "with yerrorlines" : "with yerrorbars";
  return joined ? "with linespoints" : "with points";
}

std::string key(const SweepPicture& picture) {
  return "set key outside right top Left reverse samplen 2 title " + gnuplot_text(picture.groups.label) +
         '\n';
}

// Pixels of the plot beside the key.
double lines_width(const SweepPicture& picture, PictureSize size) {
  constexpr double beside = 150;  // the vertical axis with its label, the key's samples
  std::size_t longest = picture.baseline.size();
  for (const std::string& group : picture.groups.values) longest = std::max(longest, group.size());
  return std::max(size.width - beside - text_width(longest), 100.0);
}

// The values of the baseline, which are the same everywhere.
std::string reference(const SweepPicture& picture) {
  const auto level = figure_column(picture.metric).of_the_baseline;
  if (!level || picture.baseline.empty()) return "";
  return fmt::format("{} with lines linecolor rgb '#808080' linewidth 1.5 dashtype 2 title {}, \\\n  ",
                     *level, gnuplot_text(picture.baseline));
}

// Figures that are nowhere below zero get no axis below it.
std::string range_line(const SweepPicture& picture) {
  const bool none_below = std::none_of(picture.cells.begin(), picture.cells.end(), [](const auto& cell) {
    return cell && cell->value.value_or(0) - cell->interval < 0;
  });
  return none_below ? "set yrange [0<*:]\n" : "";
}

}  // namespace

std::string lines_script(const SweepPicture& picture, PictureSize size) {
  const AxisScale scale = AxisScale::by_value(picture.x);
  const std::size_t groups = picture.groups.values.size();
  const double width = lines_width(picture, size);
  std::string text = axis_script('x', picture.x, scale, width, tics_slant(picture.x, size));
  if (tics_slant(picture.x, size)) text += "set xtics rotate by 30 right\n";
  text += range_line(picture) + "set ylabel " + gnuplot_text(picture.metric_label) + "\n";
  text +=
      "set border 3 linecolor rgb '#606060'\nset grid linetype 1 linecolor rgb '#e4e4e4' linewidth 1 "
      "dashtype solid\nset "
      "offsets 0, 0, graph 0.04, graph 0.04\nset samples 2\n";
  text += key(picture);
  for (std::size_t group = 0; group < groups; ++group) text += data(picture, scale, group);
  const auto colours = line_colours(groups, !picture.groups.numbers.empty());
  text += "plot " + reference(picture);
  for (std::size_t group = 0; group < groups; ++group)
    text += fmt::format("{}$line{} {} linecolor rgb '{}' linewidth 2 pointtype {} pointsize 0.8 title {}",
                        group > 0 ? ", \\\n  " : "", group, style_of(picture), to_string(colours[group]),
                        kPointTypes[group % kPointTypes.size()], gnuplot_text(picture.groups.values[group]));
  return text + '\n';
}

}  // namespace spillway
