// The nearest of a fixed set of points in four dimensions.
//
// A k-d tree (Bentley 1975, Multidimensional binary search trees used for associative searching): a box of
// points is halved at the median of its widest side until few are left; a search goes down to the query's own
// box and back up, leaving out boxes that lie farther away than what it has found.
// Building is O(P log^2 P) over P points, a search O(log P) where the points fill their space.
// tests/cost/neighbours_test.cpp holds it against a search through all points.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace spillway {

inline constexpr std::size_t kDimensions = 4;
using Point = std::array<double, kDimensions>;

double squared_distance(const Point& a, const Point& b);

class Neighbours {
 public:
  // What a search finds at most.
  static constexpr std::size_t kMost = 9;

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

  explicit Neighbours(const std::vector<Point>& points);

  // The kMost nearest points, or all where there are fewer. Allocates nothing.
  Found nearest(const Point& query) const;

 private:
  struct Leaf {
    Point point;
    std::uint32_t index;
  };
  // Halves [begin, end): what lies below `split` on `axis` comes before the middle.
  struct Node {
    std::size_t axis = 0;
    double split = 0;
    std::uint32_t upper = 0;  // node of the upper half; the lower one's is the next; 0: no halves
  };

  std::uint32_t build(std::size_t begin, std::size_t end);
  void search(std::uint32_t node, std::size_t begin, std::size_t end, const Point& query, Found& found) const;

  std::vector<Leaf> leaves_;
  std::vector<Node> nodes_;
};

}  // namespace spillway
