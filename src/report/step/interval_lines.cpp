#include "report/step/interval_lines.h"

#include <fmt/format.h>

#include "evaluate/steps.h"
#include "words/duration_text.h"
#include "words/spread.h"
#include "words/wording.h"

namespace spillway {

namespace {

std::string speedup_text(const Evaluation& evaluation, const ScheduleResult& schedule) {
  const ScheduleResult& baseline = evaluation.schedules[evaluation.baseline];
  if (&schedule == &baseline || !baseline.interval) return {};
  const double mean = spread(speedups_over(baseline, schedule)).mean;
  const StepInterval over = speedup_interval(*baseline.interval, *schedule.interval);
  return fmt::format(" ({:.3f}x to {:.3f}x)", mean * over.low, mean * over.high);
}

}  // namespace

std::string interval_lines(const Evaluation& evaluation, std::size_t columns) {
  std::string steps;
  std::uint32_t draws = 0;
  for (const ScheduleResult& schedule : evaluation.schedules) {
    if (!schedule.interval) continue;
    const Seconds mean = mean_makespan(schedule);
    steps += fmt::format("{}{} {} to {}{}", steps.empty() ? "" : ", ", schedule.name,
                         duration_text(mean * schedule.interval->low),
                         duration_text(mean * schedule.interval->high), speedup_text(evaluation, schedule));
    draws = schedule.interval->draws;
  }
  if (steps.empty()) return {};
  return wrapped(
      "  how sure: ",
      fmt::format(
          "{}: {:.0f} % prediction interval from {} draws of every uncertain figure of machine and "
          "software{} (docs/accuracy.md)",
          steps, 100 * kIntervalHolds, draws,
          evaluation.schedules.size() > 1 ? "; for a speedup both schedules see the same figures" : ""),
      columns);
}

}  // namespace spillway
