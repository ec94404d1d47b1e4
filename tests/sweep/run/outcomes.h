// Points whose outcomes say which they are.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "sweep/run/workers.h"

namespace spillway::testing {

using Outcomes = std::map<std::size_t, PointOutcome>;

// As many draws as `point` has in its last two digits, of durations made from it.
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

// 0, step, 2 step, ...: as a resumed sweep leaves points out.
inline std::vector<std::size_t> some_points(std::size_t count, std::size_t step = 1) {
  std::vector<std::size_t> points;
  for (std::size_t i = 0; i < count; ++i) points.push_back(i * step);
  return points;
}

// What was kept, and how often each point.
struct Kept {
  Outcomes outcomes;
  std::size_t points = 0;  // more than outcomes where one was kept twice

  void add(std::vector<FinishedPoint> finished) {
    points += finished.size();
    for (FinishedPoint& one : finished) outcomes[one.point] = std::move(one.outcome);
  }
  bool are_all_once(const std::vector<std::size_t>& wanted) const {
    return points == wanted.size() && outcomes == outcomes_of(wanted);
  }
};

}  // namespace spillway::testing
