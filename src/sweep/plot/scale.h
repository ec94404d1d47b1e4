// Positions of an axis' values on a picture, and the choice of values to write beside it.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sweep/plot/picture.h"

namespace spillway {

class AxisScale {
 public:
  // Places numbers by value, and words side by side. The scale is logarithmic if there are at least three
  // positive numbers and each is the same multiple of the one before.
  static AxisScale by_value(const PictureAxis& axis);
  // Places all values, also numbers, side by side: 0, 1, 2, ...
  static AxisScale side_by_side(const PictureAxis& axis);

  bool is_logarithmic() const { return logarithmic_; }
  const std::vector<double>& positions() const { return positions_; }
  // The ends of the visible range, with some room.
  double low() const { return low_; }
  double high() const { return high_; }

  // Returns the indices of values whose texts fit along `pixels` without touching. `extents` are the widths
  // of the texts in pixels. For evenly spaced values it takes every second, every third and so on.
  std::vector<std::size_t> written(double pixels, const std::vector<double>& extents) const;

 private:
  AxisScale(std::vector<double> positions, bool logarithmic, double room);
  double share(double position) const;  // from 0 at low to 1 at high
  bool is_even() const;

  std::vector<double> positions_;
  bool logarithmic_;
  double low_, high_;
};

}  // namespace spillway
