// The axes of a sweep and the grid that they span. Private to src/sweep/grid.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "json/place.h"

namespace spillway {

struct SweepAxis {
  std::string pointer;  // into the experiment
  std::string place;    // of the axis in the sweep file
  bool listed;          // its values are written there, not a range
  std::vector<Node> values;
};

// Cells are numbered in the order that the axes are written, the last one fastest; zipped axes go together.
class SweepGrid {
 public:
  // The list at `place`: counted before a value of a range is made. Nothing where something is wrong with it.
  static std::optional<SweepGrid> read(const Place& place);

  const std::vector<SweepAxis>& axes() const { return axes_; }
  std::size_t cells() const { return cells_; }
  // Which of the axis' values the cell has.
  std::size_t index(std::size_t axis, std::size_t cell) const {
    return cell / stride_[axis] % axes_[axis].values.size();
  }
  const Node& value(std::size_t axis, std::size_t cell) const {
    return axes_[axis].values[index(axis, cell)];
  }

 private:
  std::vector<SweepAxis> axes_;
  std::vector<std::size_t> stride_ = {};  // by axis, cells from one value to the next
  std::size_t cells_ = 1;
};

}  // namespace spillway
