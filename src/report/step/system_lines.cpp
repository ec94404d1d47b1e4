#include "report/step/system_lines.h"

#include <fmt/format.h>

#include <vector>

#include "base/text.h"
#include "evaluate/steps.h"
#include "report/step/baselines.h"
#include "report/words/spread.h"
#include "report/words/table.h"
#include "report/words/wording.h"

namespace spillway {
namespace {

std::string reference_name(const Evaluation& evaluation, const Beside& beside) {
  const ScheduleResult& reference = evaluation.at(beside);
  return beside.added ? added_name(reference) : reference.name;
}

std::vector<std::string> row_of(const Evaluation& evaluation, const ScheduleResult& schedule) {
  if (!schedule.beside) return {schedule.name, schedule.system, "-", "-", "-"};
  const Spread over = spread(speedups_over(evaluation.at(*schedule.beside), schedule));
  return {schedule.name, schedule.system, fmt::format("{:.3f}x", over.mean), fmt::format("{:.3f}", over.ci95),
          reference_name(evaluation, *schedule.beside)};
}

}  // namespace

std::string system_lines(const Evaluation& evaluation, std::size_t columns) {
  TableRows rows = {{"schedule", "system", "over balanced", "+-95%", "which is"}};
  std::string assumed;
  for (const ScheduleResult& schedule : evaluation.schedules) {
    if (schedule.system.empty()) continue;
    rows.push_back(row_of(evaluation, schedule));
    assumed += wrapped("  " + schedule.name + " assumes: ", joined(schedule.assumptions, "; "), columns);
  }
  if (assumed.empty()) return {};
  return '\n' + table_text(rows) + assumed;
}

}  // namespace spillway
