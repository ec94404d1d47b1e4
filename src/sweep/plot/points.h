// The points of a sweep that a picture is made of, gathered one by one.
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
  std::optional<double> value;  // none where the point was refused, is unfinished or lacks the figure
  double interval = 0;          // half of its 95 % interval
  bool fits = true;             // false where it is known not to fit

  bool is_misfit() const { return value && !fits; }
};

// Values of an axis in the order met, each once.
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

  // A point in grid order; null where it has no outcome yet. Keeps one figure of each of its schedules.
  void add(const std::vector<std::string>& values, const PointOutcome* outcome);

  // Throws InputError where a value of --at or a schedule is not in the sweep, nothing is finished, no point
  // has the figure, several points fall on one place, with the axis to fix, or there are more lines than can
  // be told apart.
  void check() const;

  // Of an axis, over the points that are drawn: numbers ascending, others in the order met.
  std::vector<std::string> values(std::size_t axis) const;
  const std::vector<std::string>& schedules() const { return schedules_.list(); }
  const std::vector<std::string>& baselines() const { return baselines_.list(); }
  const std::vector<std::string>& unranked() const { return unranked_.list(); }  // schedules
  std::size_t without_figure() const { return without_figure_; }  // points refused or unfinished

  // Nothing where the grid has no such point. `second` is "" where there is no second axis.
  std::optional<PictureCell> cell(const std::string& x, const std::string& second,
                                  const std::string& schedule) const;

 private:
  struct Place {
    std::vector<std::string> values;              // by axis
    std::map<std::string, PictureCell> schedule;  // none of a refused or unfinished point
  };
  using Key = std::pair<std::string, std::string>;  // x and second axis

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
  std::vector<MetValues> drawn_;  // of the points asked for
  std::map<Key, Place> places_;
  std::vector<bool> clashing_;  // by axis: does it put several points on one place?
  MetValues schedules_;
  MetValues baselines_;
  MetValues unranked_;
  std::size_t without_figure_ = 0;
};

}  // namespace spillway
