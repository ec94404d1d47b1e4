#include "report/sweep_scale.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace spillway {
namespace {

bool is_geometric(const std::vector<double>& ascending) {
  if (ascending.size() < 3 || ascending.front() <= 0) return false;
  const double factor = ascending[1] / ascending[0];
  for (std::size_t i = 2; i < ascending.size(); ++i)
    if (std::abs(ascending[i] / ascending[i - 1] / factor - 1) > 0.01) return false;
  return true;
}

}  // namespace

AxisScale::AxisScale(std::vector<double> positions, bool logarithmic, double room)
    : positions_(std::move(positions)), logarithmic_(logarithmic) {
  const double first = positions_.front(), last = positions_.back();
  if (logarithmic) {
    const double factor = std::pow(last / first, room);
    low_ = first / factor, high_ = last * factor;
    return;
  }
  const double alone = std::max(std::abs(first), 1.0) / 2;
  const double margin = last > first ? (last - first) * room : alone;
  low_ = first - margin, high_ = last + margin;
}

AxisScale AxisScale::by_value(const PictureAxis& axis) {
  constexpr double room = 0.04;
  if (axis.numbers.empty()) return side_by_side(axis);
  return {axis.numbers, is_geometric(axis.numbers), room};
}

AxisScale AxisScale::side_by_side(const PictureAxis& axis) {
  std::vector<double> positions(axis.values.size());
  std::iota(positions.begin(), positions.end(), 0.0);
  AxisScale scale(std::move(positions), false, 0);
  scale.low_ = -0.5, scale.high_ = static_cast<double>(axis.values.size()) - 0.5;
  return scale;
}

double AxisScale::share(double position) const {
  if (logarithmic_) return std::log(position / low_) / std::log(high_ / low_);
  return (position - low_) / (high_ - low_);
}

}  // namespace spillway
