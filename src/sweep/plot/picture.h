// What a picture of a sweep shows, before anything draws it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "sweep/plot/points.h"

namespace spillway {

struct PictureAxis {
  std::string label;                // words and unit
  std::vector<std::string> values;  // as text
  // One per value, where all of them are numbers; empty where not.
  std::vector<double> numbers = {};
};

struct SweepPicture {
  bool heat_map;
  SweepFigure metric;
  std::string title;
  std::string subtitle;
  std::string caption;
  std::string metric_label;
  std::string baseline;  // whose value is everywhere the same; empty where it is drawn, or there are several
  PictureAxis x;
  PictureAxis groups;  // the lines, or the rows of a heat map from below; without a label where schedules
  std::vector<std::optional<PictureCell>> cells;  // x fastest; nothing where the grid has no point

  const std::optional<PictureCell>& at(std::size_t x_index, std::size_t group) const {
    return cells[group * x.values.size() + x_index];
  }
  // Is there a draw-to-draw interval to be shown?
  bool has_intervals() const;
  // Drawn although they do not fit, and so marked: in all, and whether there is one in a group.
  std::size_t misfits() const;
  bool has_misfits(std::size_t group) const;
};

// Contract: points.check() throws nothing.
SweepPicture picture_of(const SweepHeading& heading, const PlotQuery& query, const PlotPoints& points);

}  // namespace spillway
