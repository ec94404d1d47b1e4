#include "sweep/plot/plot.h"

#include <ostream>
#include <utility>

#include "sweep/plot/dark_scheme.h"
#include "sweep/plot/gnuplot.h"
#include "sweep/plot/picture.h"
#include "sweep/plot/script.h"
#include "words/whole_file.h"

namespace spillway {

SweepPlot::SweepPlot(SweepHeading heading, PlotRequest request)
    : heading_(std::move(heading)),
      request_(std::move(request)),
      query_(plot_query(heading_, request_)),
      points_(heading_, query_) {}

namespace {

// Lines over numbers have colours in their order.
std::size_t ordered_lines(const SweepPicture& picture) {
  return picture.heat_map || picture.groups.numbers.empty() ? 0 : picture.groups.values.size();
}

}  // namespace

std::string SweepPlot::script() const {
  points_.check();
  return plot_script(picture_of(heading_, query_, points_), *picture_format(request_.output), request_.size);
}

void SweepPlot::write() const {
  std::string drawn = drawn_by_gnuplot(script());
  if (picture_format(request_.output) == PictureFormat::Svg)
    drawn = with_dark_scheme(drawn, ordered_lines(picture_of(heading_, query_, points_)));
  write_whole_file(request_.output, [&](std::ostream& out) { out << drawn; });
}

}  // namespace spillway
