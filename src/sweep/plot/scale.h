// Where the values of an axis stand on a picture, and which of them are written beside it.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sweep/plot/picture.h"

namespace spillway {

class AxisScale {
 public:
  // By value where they are numbers: in the logarithm where they are positive and each is the same multiple
  // of the one before (of three or more), else as they are. Words stand side by side.
  static AxisScale by_value(const PictureAxis& axis);
  // Side by side, numbers too: 0, 1, 2, ...
  static AxisScale side_by_side(const PictureAxis& axis);

  bool is_logarithmic() const { return logarithmic_; }
  const std::vector<double>& positions() const { return positions_; }
  // What is shown, with room at both ends.
  double low() const { return low_; }
  double high() const { return high_; }

  // Indices of the values that can be written along `pixels` without touching, each `extents` of its text
  // wide; every second or third of evenly spaced ones, and so on.
  std::vector<std::size_t> written(double pixels, const std::vector<double>& extents) const;

 private:
  AxisScale(std::vector<double> positions, bool logarithmic, double room);
  double share(double position) const;  // of the way from low to high
  bool is_even() const;

  std::vector<double> positions_;
  bool logarithmic_;
  double low_, high_;
};

}  // namespace spillway
