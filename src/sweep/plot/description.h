// What pictures of a sweep say of its axes, schedules and figures. `sweep plot` draws a picture of it, and
// the page of `sweep export --format html` any that its reader asks for.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "sweep/plot/picture.h"
#include "sweep/plot/points.h"

namespace spillway {

// Returns numbers ascending, others in the order in which they come. Values are JSON text.
std::vector<std::string> in_order(std::vector<std::string> values);

// The axis of these values, with its label and unit.
PictureAxis picture_axis(const std::string& pointer, const std::vector<std::string>& values);

// Marks the schedule if it is not ranked.
std::string shown_schedule(const std::string& name, bool ranked);

// Returns "speedup over megatron", "makespan" and the like. `baseline` is empty if there are several.
std::string figure_words(SweepFigure figure, const std::string& baseline);
// The same, with its unit in brackets.
std::string figure_label(SweepFigure figure, const std::string& baseline);

// Returns "makespans by SimGrid; seed 1".
std::string makespans_text(const SweepHeading& heading);

// Gathers the points of a sweep, one by one.
class SweepDescription {
 public:
  explicit SweepDescription(const SweepHeading& heading) : heading_(heading), values_(heading.axes.size()) {}

  // Adds a point in grid order; null if it has no outcome yet.
  void add(const std::vector<std::string>& values, const PointOutcome* outcome);

  // Returns the first axis that takes one value for each value of this one, and the other way round; itself
  // if there is none before it. One selector stands for both.
  std::size_t goes_along_with(std::size_t axis) const;

  // Returns, as JSON:
  //   axes       pointer, label, values (value, text), numeric, logarithmic, along (goes_along_with)
  //   schedules  name, shown, baseline
  //   figures    those that some point has: name, label, meaning, interval (the column with half of its 95 %
  //              interval), level (the baseline's value where it is always the same)
  //   note       how makespans were found
  std::string json() const;

 private:
  bool pairs(std::size_t one, std::size_t other) const;

  const SweepHeading& heading_;
  std::vector<MetValues> values_;                 // by axis
  std::vector<std::vector<std::string>> points_;  // values by axis
  MetValues schedules_, baselines_, unranked_;
  std::set<SweepFigure> figures_;
};

}  // namespace spillway
