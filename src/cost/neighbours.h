// The nearest of a fixed set of points in four dimensions.
//
// The box around the points is cut into about as many equal cells as there are points. A search looks through
// the cells around the query's own, wider until it has enough points and none outside the window can be
// nearer (Bentley, Weide and Yao 1980, Optimal expected-time algorithms for closest point problems). Points
// that fill their box evenly, as measured tables do, are found in constant time; a k-d tree took six times as
// long. tests/cost/neighbours_test.cpp holds it against a search through all points.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace spillway {

inline constexpr std::size_t kDimensions = 4;
using Point = std::array<double, kDimensions>;

double squared_distance(const Point& a, const Point& b);

// The smallest box around some points.
struct Box {
  Point lowest;
  Point highest;

  bool contains(const Point& point) const;
  // The point of the box that is nearest to `point`.
  Point nearest(const Point& point) const;
};

// Contract: at least one point.
Box box_around(const std::vector<Point>& points);

class Neighbours {
 public:
  // What a search finds at most.
  static constexpr std::size_t kMost = 6;

  struct Neighbour {
    double squared_distance;
    std::uint32_t point;  // index into the points given

    friend auto operator<=>(const Neighbour&, const Neighbour&) = default;
  };

  // Ascending in distance, then index.
  struct Found {
    std::array<Neighbour, kMost> neighbours;
    std::size_t count = 0;
  };

  // Contract: at least one point.
  explicit Neighbours(const std::vector<Point>& points);

  const Box& box() const { return box_; }

  // The kMost nearest points, or all where there are fewer. Allocates nothing. Meant for queries in the box.
  Found nearest(const Point& query) const;

 private:
  using Cell = std::array<std::int32_t, kDimensions>;
  struct Entry {
    Point point;
    std::uint32_t index;
  };
  struct Window {
    Cell first;
    Cell last;
  };

  void cut(double points);
  double cells_along(std::size_t axis, double side) const;
  double cell_count(double side) const;
  Cell cell_of(const Point& point) const;
  std::size_t position(const Cell& cell) const;
  Window around(const Cell& cell, std::int32_t width) const;
  // No point outside the window is nearer.
  double reach(const Window& window, const Point& query) const;
  void search(const Window& window, const Point& query, Found& found) const;

  Box box_;
  double side_;
  Cell cells_;                         // how many along each axis
  std::vector<Entry> entries_;         // by cell
  std::vector<std::uint32_t> starts_;  // of each cell in entries_, and the end
};

}  // namespace spillway
