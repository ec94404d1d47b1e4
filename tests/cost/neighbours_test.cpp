// The k-d tree against a search through all points.
#include "cost/neighbours.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/property.h"

namespace spillway {
namespace {

std::vector<Neighbours::Neighbour> nearest_of_all(const std::vector<Point>& points, const Point& query) {
  std::vector<Neighbours::Neighbour> all;
  for (std::uint32_t i = 0; i < points.size(); ++i) all.push_back({squared_distance(points[i], query), i});
  std::sort(all.begin(), all.end());
  all.resize(std::min(all.size(), Neighbours::kMost));
  return all;
}

// On a coarse grid, so that many distances are equal.
Point any_point() {
  Point point;
  for (double& coordinate : point) coordinate = *rc::gen::inRange(0, 6);
  return point;
}

RC_GTEST_PROP(Neighbours, AreThoseOfASearchThroughAllPoints, ()) {
  std::vector<Point> points(*rc::gen::inRange(1, 200));
  for (Point& point : points) point = any_point();
  const Point query = any_point();
  const Neighbours::Found found = Neighbours(points).nearest(query);
  const std::vector<Neighbours::Neighbour> these(found.neighbours.begin(),
                                                 found.neighbours.begin() + found.count);
  RC_ASSERT(these == nearest_of_all(points, query));
}

}  // namespace
}  // namespace spillway
