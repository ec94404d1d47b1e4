#include "report/step/interval_lines.h"

#include <fmt/format.h>

#include "evaluate/steps.h"
#include "report/words/duration_text.h"
#include "report/words/wording.h"

namespace spillway {

std::string interval_lines(const Evaluation& evaluation, std::size_t columns) {
  std::string steps;
  std::uint32_t draws = 0;
  for (const ScheduleResult& schedule : evaluation.schedules) {
    if (!schedule.interval) continue;
    const Seconds mean = mean_makespan(schedule);
    steps += fmt::format("{}{} at {} to {}", steps.empty() ? "" : ", ", schedule.name,
                         duration_text(mean * schedule.interval->low),
                         duration_text(mean * schedule.interval->high));
    draws = schedule.interval->draws;
  }
  if (steps.empty()) return {};
  return wrapped(
      "  how sure: ",
      fmt::format("what is not known of the machine and the software puts {}: {:.0f} % of {} draws of every "
                  "figure about its value (docs/accuracy.md)",
                  steps, 100 * kIntervalHolds, draws),
      columns);
}

}  // namespace spillway
