#include "sweep/plot/plot.h"

#include <ostream>
#include <utility>

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

std::string SweepPlot::script() const {
  points_.check();
  return plot_script(picture_of(heading_, query_, points_), *picture_format(request_.output), request_.size);
}

void SweepPlot::write() const {
  const std::string drawn = drawn_by_gnuplot(script());
  write_whole_file(request_.output, [&](std::ostream& out) { out << drawn; });
}

}  // namespace spillway
