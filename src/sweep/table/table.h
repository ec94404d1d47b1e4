// A sweep's results as rows, one for each point and schedule.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "evaluate/point.h"
#include "sweep/table/column.h"

namespace spillway {

struct SweepRow {
  std::vector<std::string> values;  // by axis, JSON text
  std::string schedule;             // empty for a refused point
  bool is_baseline = false;
  std::array<std::optional<double>, kSweepFigures> figures = {};  // only finite ones
  std::string refusal;
  std::optional<bool> fits = {};          // nothing if the peak or the limit is unknown
  std::optional<Evidence> evidence = {};  // the weakest kind; nothing if durations are given
  std::string unranked = {};              // why the schedule is not ranked; empty if it is

  const std::optional<double>& operator[](SweepFigure figure) const {
    return figures[static_cast<std::size_t>(figure)];
  }
  std::optional<double>& operator[](SweepFigure figure) { return figures[static_cast<std::size_t>(figure)]; }
};

// Returns a row for each schedule in the experiment's order, or one row with the reason for a refused point.
// The figures equal those of the report on the same experiment, to the last bit. Makespans, speedups and
// differences are SimGrid's if the sweep reports replays, otherwise the longest path's. Contract: `values`
// has a value for each axis of the heading. All schedules of the point have the same draws; they are replayed
// if the sweep reports replays.
std::vector<SweepRow> sweep_rows(const SweepHeading& heading, const std::vector<std::string>& values,
                                 const PointOutcome& outcome);

// Makespans by draw in seconds: SimGrid's if the sweep reports replays, otherwise the longest path's.
std::vector<double> reported_makespans(const SweepHeading& heading, const ScheduleOutcome& schedule);

// Returns text such as "pipeline ranks 4, pipeline microbatches 8".
std::string place_text(const SweepHeading& heading, const std::vector<std::string>& values);

}  // namespace spillway
