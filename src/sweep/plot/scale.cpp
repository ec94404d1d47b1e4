#include "sweep/plot/scale.h"

#include <algorithm>
#include <cmath>
#include <limits>
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

// Returns the `candidates` that do not touch the one taken before.
std::vector<std::size_t> apart(const std::vector<std::size_t>& candidates, const std::vector<double>& centres,
                               const std::vector<double>& extents) {
  std::vector<std::size_t> taken;
  double end = -std::numeric_limits<double>::infinity();
  for (std::size_t i : candidates) {
    if (centres[i] - extents[i] / 2 < end) continue;
    taken.push_back(i);
    end = centres[i] + extents[i] / 2;
  }
  return taken;
}

std::vector<std::size_t> every(std::size_t stride, std::size_t count) {
  std::vector<std::size_t> indices;
  for (std::size_t i = 0; i < count; i += stride) indices.push_back(i);
  return indices;
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
  const double alone = first == 0 ? 1 : std::abs(first) / 2;
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

bool AxisScale::is_even() const {
  const double step = share(positions_.back()) - share(positions_.front());
  for (std::size_t i = 1; i < positions_.size(); ++i) {
    const double here = share(positions_[i]) - share(positions_[i - 1]);
    if (std::abs(here * static_cast<double>(positions_.size() - 1) - step) > 0.01 * step) return false;
  }
  return true;
}

std::vector<std::size_t> AxisScale::written(double pixels, const std::vector<double>& extents) const {
  std::vector<double> centres;
  for (double position : positions_) centres.push_back(share(position) * pixels);
  const bool even = is_even();
  for (std::size_t stride = 1;; ++stride) {
    const std::vector<std::size_t> candidates = every(stride, positions_.size());
    std::vector<std::size_t> taken = apart(candidates, centres, extents);
    if (!even || taken.size() == candidates.size()) return taken;
  }
}

}  // namespace spillway
