#include "cost/operators/neighbours.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace spillway {
namespace {

constexpr double kShrink = 0.9;  // ratio of one tried side to the one before

}  // namespace

Point Box::nearest(const Point& point) const {
  Point inside;
  for (std::size_t axis = 0; axis < kDimensions; ++axis)
    inside[axis] = std::clamp(point[axis], lowest[axis], highest[axis]);
  return inside;
}

Box box_around(const std::vector<Point>& points) {
  Box box{points[0], points[0]};
  for (const Point& point : points) {
    for (std::size_t axis = 0; axis < kDimensions; ++axis) {
      box.lowest[axis] = std::min(box.lowest[axis], point[axis]);
      box.highest[axis] = std::max(box.highest[axis], point[axis]);
    }
  }
  return box;
}

Neighbours::Neighbours(const std::vector<Point>& points) : box_(box_around(points)) {
  cut(static_cast<double>(points.size()));
  entries_.reserve(points.size());
  for (const Point& point : points) entries_.push_back({point, static_cast<std::uint32_t>(entries_.size())});
  const auto cell = [this](const Entry& entry) { return position(cell_of(entry.point)); };
  std::stable_sort(entries_.begin(), entries_.end(),
                   [&cell](const Entry& a, const Entry& b) { return cell(a) < cell(b); });
  starts_.assign(static_cast<std::size_t>(cell_count(side_)) + 1, 0);
  for (const Entry& entry : entries_) ++starts_[cell(entry) + 1];
  std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());
}

// Finds the side at which there are about as many cells as points, and not more.
void Neighbours::cut(double points) {
  side_ = 0;
  for (std::size_t axis = 0; axis < kDimensions; ++axis)
    side_ = std::max(side_, box_.highest[axis] - box_.lowest[axis]);
  if (side_ == 0)
    side_ = 1;
  else
    while (cell_count(side_ * kShrink) <= points) side_ *= kShrink;
  for (std::size_t axis = 0; axis < kDimensions; ++axis)
    cells_[axis] = static_cast<std::int32_t>(cells_along(axis, side_));
}

double Neighbours::cells_along(std::size_t axis, double side) const {
  return 1 + std::floor((box_.highest[axis] - box_.lowest[axis]) / side);
}

double Neighbours::cell_count(double side) const {
  double count = 1;
  for (std::size_t axis = 0; axis < kDimensions; ++axis) count *= cells_along(axis, side);
  return count;
}

Neighbours::Cell Neighbours::cell_of(const Point& point) const {
  Cell cell;
  for (std::size_t axis = 0; axis < kDimensions; ++axis) {
    const double along = std::clamp((point[axis] - box_.lowest[axis]) / side_, 0.0, cells_[axis] - 1.0);
    cell[axis] = static_cast<std::int32_t>(along);
  }
  return cell;
}

std::size_t Neighbours::position(const Cell& cell) const {
  std::size_t position = 0;
  for (std::size_t axis = 0; axis < kDimensions; ++axis) position = position * cells_[axis] + cell[axis];
  return position;
}

Neighbours::Window Neighbours::window_around(const Point& query) const {
  const Cell centre = cell_of(query);
  const auto all = static_cast<std::uint32_t>(entries_.size());
  Window window;
  for (std::int32_t width = 1;; ++width) {
    for (std::size_t axis = 0; axis < kDimensions; ++axis) {
      window.first[axis] = std::max(centre[axis] - width, 0);
      window.last[axis] = std::min(centre[axis] + width, cells_[axis] - 1);
    }
    if (count(window) >= std::min(kFewest, all)) return window;
  }
}

std::uint32_t Neighbours::count(const Window& window) const {
  std::uint32_t points = 0;
  for_each_run(window, [&points](std::uint32_t begin, std::uint32_t end) { points += end - begin; });
  return points;
}

}  // namespace spillway
