#include "report/step/schedule_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "evaluate/steps.h"
#include "report/step/baselines.h"
#include "report/step/by_draw.h"
#include "report/step/memory_table.h"
#include "words/spread.h"
#include "words/table.h"

namespace spillway {
namespace {

bool knows_memory(const Evaluation& evaluation) {
  return std::any_of(evaluation.schedules.begin(), evaluation.schedules.end(),
                     [](const ScheduleResult& schedule) { return !schedule.draws.front().memory.empty(); });
}

std::vector<std::string> schedule_heading(const Evaluation& evaluation, bool all) {
  std::vector<std::string> cells = {"schedule", "makespan"};
  if (evaluation.schedules.front().draws.size() > 1) {
    cells.emplace_back("+-95%");
    if (all) cells.insert(cells.end(), {"p5", "p95"});
  }
  cells.emplace_back("speedup");
  if (knows_memory(evaluation)) cells.emplace_back("peak mem.");
  cells.insert(cells.end(), {"bubble", "max spill", "exposed enc"});
  for (const EngineEntry& entry : engine_list())
    if (all && evaluation.schedules.front().draws.front().makespans[entry.engine])
      cells.emplace_back(entry.heading);
  return cells;
}

std::vector<std::string> schedule_line(const Evaluation& evaluation, const ScheduleResult& schedule,
                                       TimeUnit unit, Seconds scale, bool all) {
  const auto time = [&](double seconds) { return number_text(Seconds(seconds), unit, scale); };
  const auto mean = [&](auto value_of) { return spread(by_draw(schedule, value_of)).mean; };
  const Spread step = spread(by_draw(schedule, [](const DrawResult& d) { return d.step.makespan.value(); }));
  std::vector<std::string> cells = {schedule.name, time(step.mean)};
  if (schedule.draws.size() > 1) {
    cells.push_back(time(step.ci95));
    if (all) cells.insert(cells.end(), {time(step.p5), time(step.p95)});
  }
  cells.push_back(fmt::format(
      "{:.3f}x", spread(speedups_over(evaluation.schedules[evaluation.baseline], schedule)).mean));
  if (knows_memory(evaluation)) cells.push_back(memory_mark(evaluation, schedule));
  cells.push_back(
      fmt::format("{:.1f} %", 100 * mean([](const DrawResult& d) { return d.step.bubble_fraction; })));
  for (Seconds StepSpill::*part : {&StepSpill::max_spill, &StepSpill::exposed_encoder}) {
    const bool spills = schedule.draws.front().step.spill.has_value();
    cells.push_back(spills ? time(mean([&](const DrawResult& d) { return ((*d.step.spill).*part).value(); }))
                           : "-");
  }
  for (const EngineEntry& entry : engine_list())
    if (all && schedule.draws.front().makespans[entry.engine])
      cells.push_back(time(mean([&](const DrawResult& d) { return d.makespans[entry.engine]->value(); })));
  return cells;
}

}  // namespace

std::string schedule_table(const Evaluation& evaluation, TimeUnit unit, bool all) {
  const Seconds scale = evaluation.schedules[evaluation.baseline].draws.front().step.makespan;
  std::vector<std::vector<std::string>> rows = {schedule_heading(evaluation, all)};
  for (const ScheduleResult& schedule : evaluation.schedules)
    rows.push_back(schedule_line(evaluation, schedule, unit, scale, all));
  for (const ScheduleResult& reference : evaluation.references) {
    rows.push_back(schedule_line(evaluation, reference, unit, scale, all));
    rows.back().front() = added_name(reference);
  }
  return table_text(rows);
}

}  // namespace spillway
