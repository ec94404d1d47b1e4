// Hand-made outcomes of sweep points.
#pragma once

#include <string>
#include <vector>

#include "evaluate/evaluate.h"
#include "evaluate/memory_limit.h"
#include "sweep/table/table.h"

namespace spillway::testing {

inline SweepHeading heading_of(std::vector<std::string> axes, bool reports_replays = false) {
  return {"by hand", "00ff", "1.0", "{}", 4, 1, reports_replays, std::move(axes)};
}

// Returns a schedule whose draws take these seconds.
inline ScheduleOutcome schedule_of(std::string name, const std::vector<double>& seconds) {
  std::vector<StepFigures> draws;
  for (double s : seconds) draws.push_back({Seconds(s), 0.25, 0, StepSpill{Seconds(1), Seconds(2)}});
  return spillway::outcome_of(std::move(name), draws);
}

inline ScheduleOutcome replayed(ScheduleOutcome schedule, const std::vector<double>& seconds) {
  for (double s : seconds) schedule.replayed.push_back(Seconds(s));
  return schedule;
}

// The first schedule is the baseline.
inline PointOutcome point_of(std::vector<ScheduleOutcome> schedules) {
  PointOutcome outcome{"", 0, std::move(schedules)};
  outcome.microbatches = 8;
  return outcome;
}

// Adds a memory limit and the peak of each schedule to the outcome.
inline PointOutcome holding(PointOutcome outcome, Bytes limit, const std::vector<double>& peaks) {
  outcome.memory_limit = limit;
  for (std::size_t i = 0; i < peaks.size(); ++i) outcome.schedules[i].peak_memory = Bytes(peaks[i]);
  return outcome;
}

inline PointOutcome refused(std::string why) {
  return {std::move(why), 0, {}};
}

// Returns the part of an evaluation that a sweep keeps.
inline PointOutcome outcome_of(const Evaluation& evaluation) {
  PointOutcome outcome{"", evaluation.baseline, {}};
  if (evaluation.memory_limit) outcome.memory_limit = evaluation.memory_limit->bytes;
  const JobLayout& layout = evaluation.job.layout;
  outcome.microbatches = std::uint64_t{layout.microbatches} * layout.replicas;
  for (const ScheduleResult& schedule : evaluation.schedules) {
    std::vector<StepFigures> draws;
    for (const DrawResult& draw : schedule.draws) draws.push_back(draw.step);
    ScheduleOutcome& kept = outcome.schedules.emplace_back(spillway::outcome_of(schedule.name, draws));
    if (const auto worst = worst_peak(schedule)) kept.peak_memory = worst->peak.parts.total();
    if (schedule.first.evidence) kept.evidence = schedule.first.evidence->weakest;
  }
  for (const DrawResult& draw : evaluation.schedules.front().draws)
    if (draw.account) outcome.accounts.push_back(*draw.account);
  return outcome;
}

}  // namespace spillway::testing
