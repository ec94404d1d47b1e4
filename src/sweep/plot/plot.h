// Pictures of a sweep: a figure along one axis as lines, or over two axes as a heat map. The program gnuplot
// (http://www.gnuplot.info) draws them.
#pragma once

#include <string>
#include <vector>

#include "sweep/plot/points.h"
#include "sweep/plot/query.h"

namespace spillway {

class SweepPlot {
 public:
  // Throws InputError as plot_query does if the request does not fit the sweep.
  SweepPlot(SweepHeading heading, PlotRequest request);
  SweepPlot(const SweepPlot&) = delete;  // points_ refers to heading_
  SweepPlot& operator=(const SweepPlot&) = delete;

  // Adds a point in grid order; null if it has no outcome yet.
  void add(const std::vector<std::string>& values, const PointOutcome* outcome) {
    points_.add(values, outcome);
  }

  // The script for gnuplot. Throws InputError as PlotPoints::check does if there is nothing to draw.
  std::string script() const;

  // Writes the file completely or not at all. Equal results give equal bytes. Throws InputError as script()
  // does, if gnuplot is missing, or if the file cannot be written.
  void write() const;

 private:
  SweepHeading heading_;
  PlotRequest request_;
  PlotQuery query_;
  PlotPoints points_;
};

}  // namespace spillway
