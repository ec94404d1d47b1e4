// Pictures of a sweep: a figure along one axis as lines, or over two axes as a heat map. Drawn by gnuplot
// (http://www.gnuplot.info), called as a program.
#pragma once

#include <string>
#include <vector>

#include "sweep/plot/points.h"
#include "sweep/plot/query.h"

namespace spillway {

class SweepPlot {
 public:
  // Throws InputError where the request does not fit the sweep, as plot_query does.
  SweepPlot(SweepHeading heading, PlotRequest request);
  SweepPlot(const SweepPlot&) = delete;  // its points view its heading
  SweepPlot& operator=(const SweepPlot&) = delete;

  // A point in grid order; null where it has no outcome yet.
  void add(const std::vector<std::string>& values, const PointOutcome* outcome) {
    points_.add(values, outcome);
  }

  // What is given to gnuplot. Throws InputError where there is nothing to draw, as PlotPoints::check does.
  std::string script() const;

  // The file appears whole or not at all; the same results, the same bytes. Throws InputError as script(),
  // where there is no gnuplot, and where the file cannot be written.
  void write() const;

 private:
  SweepHeading heading_;
  PlotRequest request_;
  PlotQuery query_;
  PlotPoints points_;
};

}  // namespace spillway
