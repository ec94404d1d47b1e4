// Gathers the points of a sweep for a picture, one by one.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sweep/plot/query.h"
#include "sweep/table/table.h"

namespace spillway {

struct PictureCell {
  std::optional<double> value;  // nothing if the point was refused, is unfinished or lacks the figure
  double interval = 0;          // half the width of its 95 % interval
  bool fits = true;             // false if it is known not to fit

  bool is_misfit() const { return value && !fits; }
};

// The distinct values of an axis, in the order in which they come.
class MetValues {
 public:
  void add(const std::string& value);
  const std::vector<std::string>& list() const { return list_; }

 private:
  std::vector<std::string> list_;
  std::set<std::string> met_;
};

class PlotPoints {
 public:
  PlotPoints(const SweepHeading& heading, const PlotQuery& query);

  // Adds a point in grid order; null if it has no outcome yet. Keeps one figure of each of its schedules.
  void add(const std::vector<std::string>& values, const PointOutcome* outcome);

  // Throws InputError if the sweep lacks a value of --at or a schedule, if no point is finished or has the
  // figure, if several points fall on one place (names the axis to fix), or if there are more lines than can
  // be told apart.
  void check() const;

  // Values of an axis among the drawn points: numbers ascending, others in the order in which they come.
  std::vector<std::string> values(std::size_t axis) const;
  const std::vector<std::string>& schedules() const { return schedules_.list(); }
  const std::vector<std::string>& baselines() const { return baselines_.list(); }
  const std::vector<std::string>& unranked() const { return unranked_.list(); }  // names of schedules
  std::size_t without_figure() const { return without_figure_; }  // number of refused or unfinished points

  // Returns nothing if the grid has no such point. `second` is "" without a second axis.
  std::optional<PictureCell> cell(const std::string& x, const std::string& second,
                                  const std::string& schedule) const;

 private:
  struct Place {
    std::vector<std::string> values;              // by axis
    std::map<std::string, PictureCell> schedule;  // by name; empty for a refused or unfinished point
  };
  using Key = std::pair<std::string, std::string>;  // values on x and on the second axis

  bool is_asked_for(const std::vector<std::string>& values) const;
  Key key_of(const std::vector<std::string>& values) const;
  void put(Place& place, const PointOutcome& outcome);
  void check_at(std::vector<Violation>& wrong) const;
  void check_schedules(std::vector<Violation>& wrong) const;
  void check_places(std::vector<Violation>& wrong) const;
  void check_lines(std::vector<Violation>& wrong) const;
  bool has_figure() const;

  const SweepHeading& heading_;
  const PlotQuery& query_;
  std::vector<MetValues> all_;    // by axis
  std::vector<MetValues> drawn_;  // by axis, only of the requested points
  std::map<Key, Place> places_;
  std::vector<bool> clashing_;  // by axis: true if it puts several points on one place
  MetValues schedules_;
  MetValues baselines_;
  MetValues unranked_;
  std::size_t without_figure_ = 0;
};

}  // namespace spillway
