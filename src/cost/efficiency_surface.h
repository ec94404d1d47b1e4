// The time of an operator of any shape from times measured at some shapes.
//
// Idea. Bounds explain most of a time: launching the kernel, computing, moving bytes. What they leave (tiles
// and waves that are not full, the library's choice of kernel) varies slowly with the logarithms of the
// sizes, so it is taken from the measured shapes nearby.
//
//   bound(W, D) = launch + sqrt((W / F)^2 + (D / B)^2)
//   time(shape) = bound(W, D) * exp(weighted mean of log(measured / bound) over the nearest rows)
//
// F is the most FLOP/s of any row, B the most bytes/s of any row or what the device is said to reach, if that
// is more, and launch the shortest time among the rows that take over ten times their other bounds. The
// square root of squares rounds the roofline's corner.
//
// The weight of a row at distance d, where the sixth nearest lies at R, is ((R - d) / (R d))^2: infinite at
// the row itself, so that measured shapes come out as measured, and nothing at R, so that times are
// continuous (Franke and Nielson 1980, Smooth interpolation of large sets of scattered data, the modified
// weights of Shepard 1968).
//
//   log n                     x  a query
//     |  o    o    o          o  rows; the five nearest speak, the nearer the louder,
//     |  o   xo    o             wherever they lie: no grid is needed, and holes in one
//     |  o    o    o             do not matter
//     +---------------- log m
//
// Why not the table's grid: tables measured for training are not grids. Why not tiles and waves: the library
// chooses among hundreds of kernels, and on the tables at hand such terms gained nothing. A mean of residuals
// never leaves their range, so far from any row the bound takes over, and no time can become 0 or negative.
// Beyond the box of all rows the residual is that of the box's nearest point.
// Cost: fitting P rows is O(P log P); a query is one search for six neighbours.
// Error: tests/cost/operator_tables_test.cpp, on halves of the tables that were not fitted.
#pragma once

#include <vector>

#include "cost/estimate.h"
#include "cost/neighbours.h"
#include "cost/operator_work.h"

namespace spillway {

// A row of a table. The point holds the logarithms of the sizes that efficiency depends on.
struct MeasuredWork {
  Point point;
  OperatorWork work;
  Seconds time;
};

class EfficiencySurface {
 public:
  // Contract: at least one row; times above 0. `memory` is what the device is said to reach.
  EfficiencySurface(std::vector<MeasuredWork> measured, BytesPerSecond memory);

  // Measured at a row (the mean of those that agree in point and work); derived inside the box of all rows
  // and within a factor of four of one; else extrapolated.
  Estimate at(const Point& point, const OperatorWork& work) const;

  // What the shortest kernels take; 0 where no row is short enough to show it.
  Seconds launch() const { return launch_; }

 private:
  struct Row {
    OperatorWork work;
    double residual;  // log(measured / bound)
  };
  struct Merged {
    std::vector<MeasuredWork> rows;
  };

  EfficiencySurface(const Merged& merged, BytesPerSecond memory);
  void fit_bounds(const std::vector<MeasuredWork>& rows);

  Seconds bound(const OperatorWork& work) const;
  Seconds work_bound(const OperatorWork& work) const;
  double residual(const Neighbours::Found& found) const;
  // The row of this very shape, if there is one.
  const Row* row_of(const OperatorWork& work, const Neighbours::Found& found) const;

  FlopsPerSecond compute_;
  BytesPerSecond memory_;
  Seconds launch_;
  Neighbours neighbours_;
  std::vector<Row> rows_;
};

}  // namespace spillway
