#include "cost/neighbours.h"

#include <algorithm>

namespace spillway {
namespace {

// Boxes of so many points are searched through.
constexpr std::size_t kSmallBox = 8;

void keep(Neighbours::Found& found, Neighbours::Neighbour neighbour) {
  std::size_t place = found.count;
  if (place == Neighbours::kMost) {
    if (!(neighbour < found.neighbours.back())) return;
    --place;
  } else {
    ++found.count;
  }
  for (; place > 0 && neighbour < found.neighbours[place - 1]; --place)
    found.neighbours[place] = found.neighbours[place - 1];
  found.neighbours[place] = neighbour;
}

}  // namespace

double squared_distance(const Point& a, const Point& b) {
  double sum = 0;
  for (std::size_t axis = 0; axis < kDimensions; ++axis) sum += (a[axis] - b[axis]) * (a[axis] - b[axis]);
  return sum;
}

Neighbours::Neighbours(const std::vector<Point>& points) {
  leaves_.reserve(points.size());
  for (const Point& point : points) leaves_.push_back({point, static_cast<std::uint32_t>(leaves_.size())});
  build(0, leaves_.size());
}

std::uint32_t Neighbours::build(std::size_t begin, std::size_t end) {
  const auto node = static_cast<std::uint32_t>(nodes_.size());
  nodes_.push_back({});
  if (end - begin <= kSmallBox) return node;
  const auto first = leaves_.begin() + static_cast<std::ptrdiff_t>(begin);
  const auto last = leaves_.begin() + static_cast<std::ptrdiff_t>(end);
  std::size_t axis = 0;
  double widest = -1;
  for (std::size_t side = 0; side < kDimensions; ++side) {
    const auto [low, high] = std::minmax_element(
        first, last, [side](const Leaf& a, const Leaf& b) { return a.point[side] < b.point[side]; });
    const double width = high->point[side] - low->point[side];
    if (width > widest) widest = width, axis = side;
  }
  const std::size_t middle = begin + (end - begin) / 2;
  const auto median = leaves_.begin() + static_cast<std::ptrdiff_t>(middle);
  std::nth_element(first, median, last, [axis](const Leaf& a, const Leaf& b) {
    return std::pair(a.point[axis], a.index) < std::pair(b.point[axis], b.index);
  });
  const double split = median->point[axis];
  build(begin, middle);
  const std::uint32_t upper = build(middle, end);
  nodes_[node] = {axis, split, upper};
  return node;
}

Neighbours::Found Neighbours::nearest(const Point& query) const {
  Found found;
  search(0, 0, leaves_.size(), query, found);
  return found;
}

void Neighbours::search(std::uint32_t node, std::size_t begin, std::size_t end, const Point& query,
                        Found& found) const {
  const auto& [axis, split, upper] = nodes_[node];
  if (upper == 0) {
    for (std::size_t i = begin; i < end; ++i)
      keep(found, {squared_distance(leaves_[i].point, query), leaves_[i].index});
    return;
  }
  const std::size_t middle = begin + (end - begin) / 2;
  const double beyond = query[axis] - split;
  if (beyond < 0)
    search(node + 1, begin, middle, query, found);
  else
    search(upper, middle, end, query, found);
  const bool full = found.count == kMost;
  if (full && beyond * beyond > found.neighbours.back().squared_distance) return;
  if (beyond < 0)
    search(upper, middle, end, query, found);
  else
    search(node + 1, begin, middle, query, found);
}

}  // namespace spillway
