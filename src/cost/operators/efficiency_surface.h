// The time of an operator of any shape, from times measured at some shapes.
//
// Idea. Bounds explain most of a time: launching the kernel, computing, moving bytes. The rest (tiles and
// waves that are not full, the library's choice of kernel) varies slowly with the logarithms of the sizes. So
// it is taken from the measured shapes nearby.
//
//   bound(W, D) = launch + sqrt((W / F)^2 + (D / B)^2)
//   time(shape) = bound(W, D) * exp(weighted mean of log(measured / bound) over the rows around)
//
// F is the highest FLOP/s of any row. B is the highest bytes/s of any row, or of another table of the device
// if that is higher. launch is the shortest time among the rows that take over ten times their other bounds.
// The square root of squares rounds the roofline's corner.
//
// A row at distance d weighs 1 / d^4 (Shepard 1968, A two-dimensional interpolation function for irregularly
// spaced data). The weight is infinite at the row itself, so measured shapes keep their measured times. A
// query reads only the rows in the cells around it (neighbours.h). A row that enters these cells is far away
// and weighs next to nothing.
//
//   log n                     x  a query
//     |  o    o    o          o  rows, wherever they lie: no grid is needed, and holes in one
//     |  o   xo    o             do not matter
//     |  o    o    o
//     +---------------- log m
//
// Why not the table's grid: tables measured for training are not grids. Why not tiles and waves: the library
// chooses among hundreds of kernels, and on the tables at hand such terms gained nothing. A mean of residuals
// never leaves their range. So far from any row the bound takes over, and no time can become 0 or negative.
// Beyond the box of all rows the residual is that of the box's nearest point. Cost: fitting P rows is O(P log
// P); a query reads some dozens of them, wherever it is. Error: tests/cost/operator_tables_test.cpp, on
// halves of the tables that were not fitted.
#pragma once

#include <vector>

#include "cost/operators/neighbours.h"
#include "cost/operators/operator_times.h"
#include "cost/operators/operator_work.h"

namespace spillway {

// A row of a table. The point holds the logarithms of the sizes that efficiency depends on.
struct TimedShape {
  Point point;
  OperatorWork work;
  Seconds time;
};

class EfficiencySurface {
 public:
  // Contract: at least one row; times above 0. `memory` is the highest rate in other tables.
  EfficiencySurface(std::vector<TimedShape> measured, BytesPerSecond memory);

  // Measured at a row (the mean of the rows that agree in point and work); derived inside the box of all rows
  // and within a factor of four of a row; else extrapolated.
  Estimate at(const Point& point, const OperatorWork& work) const;

  // The time of the shortest kernels; 0 if no row is short enough to show it.
  Seconds launch() const { return launch_; }

 private:
  struct Row {
    OperatorWork work;
    double residual;  // log(measured / bound)
  };
  // The figures of the rows around a point.
  struct Around {
    double residual;
    double nearest;   // squared distance
    const Row* same;  // the row of this very shape, if there is one
  };
  struct Merged {
    std::vector<TimedShape> rows;
  };

  EfficiencySurface(const Merged& merged, BytesPerSecond memory);
  void fit_bounds(const std::vector<TimedShape>& rows);

  Seconds bound(const OperatorWork& work) const;
  Seconds work_bound(const OperatorWork& work) const;
  Around look_around(const Point& point, const OperatorWork& work) const;

  FlopsPerSecond compute_;
  BytesPerSecond memory_;
  Seconds launch_;
  Neighbours neighbours_;
  std::vector<Row> rows_;
};

}  // namespace spillway
