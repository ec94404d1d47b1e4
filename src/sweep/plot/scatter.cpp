#include "sweep/plot/scatter.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <ostream>

#include "base/text.h"
#include "sweep/plot/colours.h"
#include "sweep/plot/dark_scheme.h"
#include "sweep/plot/gnuplot.h"
#include "sweep/plot/script_parts.h"

namespace spillway {
namespace {

constexpr const char* kScatterScript = R"(set xlabel {x_label}
set ylabel {y_label}
set xrange [0<*:]
set yrange [0<*:]
set offsets graph 0.02, graph 0.08, graph 0.06, graph 0.02
set format x '%g'
set format y '%.1s%c'
set samples 2
set border 3 linecolor rgb muted
set grid linetype 1 linecolor rgb line linewidth 1 dashtype solid
set key outside right top Left reverse samplen 1
{data}plot {parts}
)";
constexpr const char* kPoints =
    "$group{} using 1:2 with points linecolor rgb '{}' pointtype {} pointsize 0.5 title {}";
constexpr const char* kBest =
    "$best using 1:2 with linespoints linecolor rgb ink linewidth 1.2 pointtype 6 pointsize 1.3 title "
    "{}";
constexpr const char* kBestNumbers = "$best using 1:2:3 with labels left offset 0.7,0.5 font ',10' notitle";
constexpr const char* kNamed = "NaN with points linecolor rgb ink pointtype 6 title {}";

std::string point_text(const ScatterPoint& point) {
  return fmt::format("{} {}", point.x, point.y);
}

std::string scatter_data(const Scatter& scatter) {
  std::string text;
  for (std::size_t i = 0; i < scatter.groups.size(); ++i) {
    text += fmt::format("$group{} << EOD\n", i);
    for (const ScatterPoint& point : scatter.groups[i].points) text += point_text(point) + '\n';
    text += "EOD\n";
  }
  text += "$best << EOD\n";
  for (std::size_t i = 0; i < scatter.best.size(); ++i)
    text += fmt::format("{} {}\n", point_text(scatter.best[i].at), i + 1);
  return text + "EOD\n";
}

// Skips groups without a point, which have no data to read.
std::string scatter_parts(const Scatter& scatter) {
  constexpr std::string_view next = ", \\\n  ";
  const auto colours = line_colours(scatter.groups.size(), false);
  std::string parts;
  for (std::size_t i = 0; i < scatter.groups.size(); ++i)
    if (!scatter.groups[i].points.empty())
      add_to_list(
          parts,
          fmt::format(kPoints, i, to_string(colours[i]), point_type(i), gnuplot_text(scatter.groups[i].name)),
          next);
  add_to_list(parts, fmt::format(kBest, gnuplot_text(scatter.best_name)), next);
  add_to_list(parts, kBestNumbers, next);
  for (std::size_t i = 0; i < scatter.best.size(); ++i)
    add_to_list(parts, fmt::format(kNamed, gnuplot_text(fmt::format("{}: {}", i + 1, scatter.best[i].text))),
                next);
  return parts;
}

}  // namespace

std::vector<std::size_t> undominated(const std::vector<ScatterPoint>& points) {
  std::vector<std::size_t> order(points.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return std::pair(points[i].x, points[i].y); });
  std::vector<std::size_t> best;
  for (const std::size_t i : order)
    if (best.empty() || points[i].y < points[best.back()].y) best.push_back(i);
  return best;
}

std::string scatter_script(const Scatter& scatter, PictureFormat format, PictureSize size) {
  constexpr double below = 58;  // pixels of the axis' values and label
  using fmt::arg;
  return frame_script({scatter.title, scatter.subtitle, scatter.caption}, below, format, size) +
         fmt::format(kScatterScript, arg("x_label", gnuplot_text(scatter.x_label)),
                     arg("y_label", gnuplot_text(scatter.y_label)), arg("data", scatter_data(scatter)),
                     arg("parts", scatter_parts(scatter)));
}

void add_scatter(WholeFiles& files, const Scatter& scatter, const std::filesystem::path& path) {
  const PictureFormat format = *picture_format(path);
  const std::string picture = drawn_by_gnuplot(scatter_script(scatter, format, {}));
  const std::string drawn = format == PictureFormat::Svg ? with_dark_scheme(picture) : picture;
  files.add(path, [&](std::ostream& out) { out << drawn; });
}

}  // namespace spillway
