// The points of a fixed set that lie around any point of four dimensions.
//
// The box around the points is cut into about as many cubes as there are points. A visit reads the cells
// around the query's cell: three along each axis, or more until there are enough points (Bentley, Weide and
// Yao 1980, Optimal expected-time algorithms for closest point problems). If the points fill their box
// evenly, as measured tables do, a visit takes constant time. Selecting the very nearest points took four
// times as long.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace spillway {

inline constexpr std::size_t kDimensions = 4;
using Point = std::array<double, kDimensions>;

inline double squared_distance(const Point& a, const Point& b) {
  double sum = 0;
  for (std::size_t axis = 0; axis < kDimensions; ++axis) sum += (a[axis] - b[axis]) * (a[axis] - b[axis]);
  return sum;
}

struct Box {
  Point lowest;
  Point highest;

  // The point of the box that is nearest to `point`.
  Point nearest(const Point& point) const;
};

// The smallest box around the points. Contract: at least one point.
Box box_around(const std::vector<Point>& points);

class Neighbours {
 public:
  // A visit finds at least this many points, or all.
  static constexpr std::uint32_t kFewest = 6;

  // Contract: at least one point.
  explicit Neighbours(const std::vector<Point>& points);

  const Box& box() const { return box_; }
  double side() const { return side_; }

  // Calls visit(squared distance, index into the points given) once for every point of the cells around a
  // query in the box. These include all points that are nearer than side(). Allocates nothing.
  template <class Visit>
  void visit(const Point& query, Visit visit) const {
    for_each_run(window_around(query), [&](std::uint32_t begin, std::uint32_t end) {
      for (std::uint32_t i = begin; i < end; ++i)
        visit(squared_distance(entries_[i].point, query), entries_[i].index);
    });
  }

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
  Window window_around(const Point& query) const;
  std::uint32_t count(const Window& window) const;

  // Cells that differ only on the last axis are adjacent in entries_.
  template <class Run>
  void for_each_run(const Window& window, Run run) const {
    const auto& [first, last] = window;
    Cell cell = first;
    for (cell[0] = first[0]; cell[0] <= last[0]; ++cell[0])
      for (cell[1] = first[1]; cell[1] <= last[1]; ++cell[1])
        for (cell[2] = first[2]; cell[2] <= last[2]; ++cell[2]) {
          const std::size_t row = position(cell);
          run(starts_[row], starts_[row + static_cast<std::size_t>(last[3] - first[3]) + 1]);
        }
  }

  Box box_;
  double side_;
  Cell cells_;                         // how many along each axis
  std::vector<Entry> entries_;         // by cell
  std::vector<std::uint32_t> starts_;  // by cell: index of its first entry; the end last
};

}  // namespace spillway
