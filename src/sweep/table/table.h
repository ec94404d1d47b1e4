// A sweep's results as rows: one per point and schedule.
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
  std::string schedule;             // empty of a refused point
  bool is_baseline = false;
  std::array<std::optional<double>, kSweepFigures> figures = {};  // finite ones
  std::string refusal;
  std::optional<bool> fits = {};          // nothing where the peak or the limit is not known
  std::optional<Evidence> evidence = {};  // the weakest; nothing where durations are given
  std::string unranked = {};              // why the schedule is not ranked; empty where it is

  const std::optional<double>& operator[](SweepFigure figure) const {
    return figures[static_cast<std::size_t>(figure)];
  }
  std::optional<double>& operator[](SweepFigure figure) { return figures[static_cast<std::size_t>(figure)]; }
};

// One row per schedule, in the experiment's order; of a refused point one row that says why. The figures are
// those of the report on the same experiment, to the last bit. Makespans, speedups and differences are
// SimGrid's where the sweep reports replays, else the longest path's. Contract: `values` are as many as the
// heading's axes; every schedule of the point has the same draws, replayed where the sweep reports replays.
std::vector<SweepRow> sweep_rows(const SweepHeading& heading, const std::vector<std::string>& values,
                                 const PointOutcome& outcome);

// By draw, in seconds: SimGrid's where the sweep reports replays, else the longest path's.
std::vector<double> reported_makespans(const SweepHeading& heading, const ScheduleOutcome& schedule);

// "pipeline ranks 4, pipeline microbatches 8".
std::string place_text(const SweepHeading& heading, const std::vector<std::string>& values);

}  // namespace spillway
