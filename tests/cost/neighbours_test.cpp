#include "cost/operators/neighbours.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "support/property.h"

namespace spillway {
namespace {

// Draws a point on a coarse grid, so that points coincide and axes are flat.
Point any_point() {
  Point point;
  for (double& coordinate : point) coordinate = *rc::gen::inRange(0, 6);
  return point;
}

std::vector<Point> any_points() {
  std::vector<Point> points(*rc::gen::inRange(1, 300));
  for (Point& point : points) point = any_point();
  return points;
}

RC_GTEST_PROP(Neighbours, AreEveryNearPointOnceAndEnough, ()) {
  const std::vector<Point> points = any_points();
  const Neighbours neighbours(points);
  const Point query = neighbours.box().nearest(any_point());
  std::set<std::uint32_t> visited;
  neighbours.visit(query, [&](double squared, std::uint32_t index) {
    RC_ASSERT(squared == squared_distance(points[index], query));
    RC_ASSERT(visited.insert(index).second);
  });
  RC_ASSERT(visited.size() >= std::min<std::size_t>(Neighbours::kFewest, points.size()));
  for (std::uint32_t i = 0; i < points.size(); ++i) {
    const bool near = squared_distance(points[i], query) < neighbours.side() * neighbours.side();
    RC_ASSERT(!near || visited.contains(i));
  }
}

TEST(Box, PutsWhatIsOutsideOnItsEdge) {
  const Box box = box_around({{0, 1, 2, 3}, {4, 1, 0, 5}});
  EXPECT_EQ(box.nearest({5, 0, 1, 4}), (Point{4, 1, 1, 4}));
}

}  // namespace
}  // namespace spillway
