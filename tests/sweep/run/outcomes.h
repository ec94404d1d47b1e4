// Builds points whose outcomes identify them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "sweep/run/workers.h"

namespace spillway::testing {

using Outcomes = std::map<std::size_t, PointOutcome>;

// Returns an outcome with as many draws as the last two digits of `point` and durations made from `point`.
inline PointOutcome outcome_of(std::size_t point) {
  std::vector<StepFigures> draws;
  const auto base = static_cast<double>(point);
  for (std::size_t draw = 0; draw < point % 100; ++draw)
    draws.push_back(
        {Seconds(base + 1 / (1.0 + static_cast<double>(draw))), 0.25, 0, StepSpill{Seconds(base), {}}});
  return {"", 0, {outcome_of("mpipe", draws), {"baseline"}}};
}

inline Outcomes outcomes_of(const std::vector<std::size_t>& points) {
  Outcomes outcomes;
  for (const std::size_t point : points) outcomes.emplace(point, outcome_of(point));
  return outcomes;
}

// Returns 0, step, 2 step, ...; a resumed sweep leaves out points in this way.
inline std::vector<std::size_t> some_points(std::size_t count, std::size_t step = 1) {
  std::vector<std::size_t> points;
  for (std::size_t i = 0; i < count; ++i) points.push_back(i * step);
  return points;
}

// Holds the kept outcomes and counts the points.
struct Kept {
  Outcomes outcomes;
  std::size_t points = 0;  // exceeds the number of outcomes if one was kept twice

  void add(std::vector<FinishedPoint> finished) {
    points += finished.size();
    for (FinishedPoint& one : finished) outcomes[one.point] = std::move(one.outcome);
  }
  bool are_all_once(const std::vector<std::size_t>& wanted) const {
    return points == wanted.size() && outcomes == outcomes_of(wanted);
  }
};

}  // namespace spillway::testing
