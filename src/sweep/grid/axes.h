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
  std::string pointer;  // of a place in the experiment
  std::string place;    // pointer to the axis in the sweep file
  bool listed;          // true if the file lists its values, false for a range
  std::vector<Node> values;
};

// Numbers the cells in the order in which the axes are written. The last axis runs fastest. Zipped axes move
// together.
class SweepGrid {
 public:
  // Reads the list of axes at `place`. Counts the cells before it makes a value of a range. Returns nothing
  // after a violation.
  static std::optional<SweepGrid> read(const Place& place);

  const std::vector<SweepAxis>& axes() const { return axes_; }
  std::size_t cells() const { return cells_; }
  // The index of the cell's value on the axis.
  std::size_t index(std::size_t axis, std::size_t cell) const {
    return cell / stride_[axis] % axes_[axis].values.size();
  }
  const Node& value(std::size_t axis, std::size_t cell) const {
    return axes_[axis].values[index(axis, cell)];
  }

 private:
  std::vector<SweepAxis> axes_;
  std::vector<std::size_t> stride_ = {};  // by axis: number of cells between one value and the next
  std::size_t cells_ = 1;
};

}  // namespace spillway
