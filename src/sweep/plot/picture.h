// The content of a picture of a sweep, before anything draws it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "sweep/plot/points.h"

namespace spillway {

struct PictureAxis {
  std::string label;                // with the unit
  std::vector<std::string> values;  // as text
  // One per value if all values are numbers, otherwise empty.
  std::vector<double> numbers = {};
};

struct SweepPicture {
  bool heat_map;
  SweepFigure metric;
  std::string title;
  std::string subtitle;
  std::string caption;
  std::string metric_label;
  std::string baseline;  // one that is no group; empty if it is a group, or if there are several
  PictureAxis x;
  PictureAxis groups;  // the lines, or the rows of a heat map from below; the label is empty for schedules
  std::vector<std::optional<PictureCell>> cells;  // x runs fastest; nothing if the grid has no such point

  const std::optional<PictureCell>& at(std::size_t x_index, std::size_t group) const {
    return cells[group * x.values.size() + x_index];
  }
  // Returns true if a cell has a draw-to-draw interval.
  bool has_intervals() const;
  // Cells that are drawn and marked because they do not fit: their number, and whether a group has one.
  std::size_t misfits() const;
  bool has_misfits(std::size_t group) const;
};

// Contract: points.check() does not throw.
SweepPicture picture_of(const SweepHeading& heading, const PlotQuery& query, const PlotPoints& points);

}  // namespace spillway
