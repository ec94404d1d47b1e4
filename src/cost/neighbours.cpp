#include "cost/neighbours.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace spillway {
namespace {

constexpr double kShrink = 0.9;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

bool nearer(const Neighbours::Neighbour& a, const Neighbours::Neighbour& b) {
  return a.squared_distance < b.squared_distance ||
         (a.squared_distance == b.squared_distance && a.point < b.point);
}

void keep(Neighbours::Found& found, Neighbours::Neighbour neighbour) {
  std::size_t place = found.count;
  if (place == Neighbours::kMost) {
    if (!nearer(neighbour, found.neighbours.back())) return;
    --place;
  } else {
    ++found.count;
  }
  for (; place > 0 && nearer(neighbour, found.neighbours[place - 1]); --place)
    found.neighbours[place] = found.neighbours[place - 1];
  found.neighbours[place] = neighbour;
}

}  // namespace

double squared_distance(const Point& a, const Point& b) {
  double sum = 0;
  for (std::size_t axis = 0; axis < kDimensions; ++axis) sum += (a[axis] - b[axis]) * (a[axis] - b[axis]);
  return sum;
}

bool Box::contains(const Point& point) const {
  return nearest(point) == point;
}

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

// The side at which there are about as many cells as points, and not more.
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

Neighbours::Found Neighbours::nearest(const Point& query) const {
  const Cell centre = cell_of(query);
  Found found;
  double reached = 0;
  for (std::int32_t width = 1; reached < kInfinity; ++width) {
    const Window window = around(centre, width);
    reached = reach(window, query);
    found = {};
    search(window, query, found);
    if (found.count == kMost && found.neighbours.back().squared_distance < reached * reached) break;
  }
  return found;
}

Neighbours::Window Neighbours::around(const Cell& cell, std::int32_t width) const {
  Window window;
  for (std::size_t axis = 0; axis < kDimensions; ++axis) {
    window.first[axis] = std::max(cell[axis] - width, 0);
    window.last[axis] = std::min(cell[axis] + width, cells_[axis] - 1);
  }
  return window;
}

double Neighbours::reach(const Window& window, const Point& query) const {
  double nearest = kInfinity;
  for (std::size_t axis = 0; axis < kDimensions; ++axis) {
    const double along = query[axis] - box_.lowest[axis];
    if (window.first[axis] > 0) nearest = std::min(nearest, along - window.first[axis] * side_);
    if (window.last[axis] < cells_[axis] - 1)
      nearest = std::min(nearest, (window.last[axis] + 1) * side_ - along);
  }
  return std::max(nearest, 0.0);
}

// Cells that differ on the last axis alone lie side by side.
void Neighbours::search(const Window& window, const Point& query, Found& found) const {
  const auto& [first, last] = window;
  Cell cell = first;
  for (cell[0] = first[0]; cell[0] <= last[0]; ++cell[0]) {
    for (cell[1] = first[1]; cell[1] <= last[1]; ++cell[1]) {
      for (cell[2] = first[2]; cell[2] <= last[2]; ++cell[2]) {
        const std::size_t row = position(cell);
        const std::uint32_t end = starts_[row + (last[3] - first[3]) + 1];
        for (std::uint32_t i = starts_[row]; i < end; ++i)
          keep(found, {squared_distance(entries_[i].point, query), entries_[i].index});
      }
    }
  }
}

}  // namespace spillway
