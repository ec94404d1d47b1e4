// Where the values of an axis stand on a picture, and which of them are written beside it.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/sweep_picture.h"

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

  // Indices of the values that can be written along `pixels` without touching, each `extent` of its text
  // wide.
  template <class Extent>
  std::vector<std::size_t> written(double pixels, Extent extent) const;

 private:
  AxisScale(std::vector<double> positions, bool logarithmic, double room);
  double share(double position) const;  // of the way from low to high

  std::vector<double> positions_;
  bool logarithmic_;
  double low_, high_;
};

template <class Extent>
std::vector<std::size_t> AxisScale::written(double pixels, Extent extent) const {
  std::vector<std::size_t> indices;
  double taken = -pixels;
  for (std::size_t i = 0; i < positions_.size(); ++i) {
    const double centre = share(positions_[i]) * pixels, half = extent(i) / 2;
    if (centre - half < taken) continue;
    indices.push_back(i);
    taken = centre + half;
  }
  return indices;
}

}  // namespace spillway
