#include "report/step/schedule_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "evaluate/steps.h"
#include "memory/memory_text.h"
#include "report/step/baselines.h"
#include "report/step/drawn_figures.h"
#include "report/step/memory_table.h"
#include "words/spread.h"
#include "words/table.h"
#include "words/wording.h"

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
  for (const StepFigure& figure : kStepFigures)
    if (figure.table) cells.emplace_back(figure.table->heading);
  cells.insert(cells.end(), {"max spill", "exposed enc"});
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
  for (const StepFigure& figure : kStepFigures) {
    if (!figure.table) continue;
    const double value = mean([&](const DrawResult& d) { return figure.of(d.step); });
    const bool is_share = std::string_view(figure.unit).empty();
    cells.push_back(is_share ? percent(value, 1) : time(value));
  }
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

std::string reference_name(const Evaluation& evaluation, const Beside& beside) {
  const ScheduleResult& reference = evaluation.at(beside);
  return beside.added ? added_name(reference) : reference.name;
}

// Differences below the rounding of sums count as none.
std::string more_bytes(Bytes bytes, Bytes balanced) {
  const Bytes extra = bytes - balanced;
  if (extra < 1e-9 * balanced && extra > -1e-9 * balanced) return "none";
  return (extra < Bytes() ? "-" : "+") + bytes_text(extra < Bytes() ? extra * -1.0 : extra);
}

std::string exposed(const ScheduleResult& schedule, TimeUnit unit, Seconds scale) {
  if (!schedule.draws.front().step.spill) return "-";
  const Spread time =
      spread(by_draw(schedule, [](const DrawResult& d) { return d.step.spill->exposed_encoder.value(); }));
  return number_text(Seconds(time.mean), unit, scale);
}

const char* yes_no(bool value) {
  return value ? "yes" : "no";
}

// States the terms that all systems share, the systems that keep other terms, and those that are not ranked.
std::string terms_lines(const Evaluation& evaluation, std::size_t columns) {
  std::string lines;
  if (const auto& equal = evaluation.equal_terms)
    lines += wrapped("  equal terms: ",
                     fmt::format("moves samples {}, knows draw {}, chunks {}", yes_no(equal->moves_samples),
                                 yes_no(equal->knows_draw), equal->chunks),
                     columns);
  std::map<std::string, std::vector<std::string>> keeping;  // the names of systems by the term that they keep
  for (const ScheduleResult& schedule : evaluation.schedules)
    for (const std::string& kept : schedule.kept_terms) keeping[kept].push_back(schedule.name);
  for (const auto& [kept, names] : keeping)
    lines += wrapped("  kept by " + joined(names) + ": ", kept, columns);
  for (const ScheduleResult& schedule : evaluation.schedules)
    lines += unranked_line(schedule.name, schedule.unranked, columns);
  return lines;
}

std::vector<std::string> row_of(const Evaluation& evaluation, const ScheduleResult& schedule, TimeUnit unit,
                                bool verbose) {
  const Seconds scale = evaluation.schedules[evaluation.baseline].draws.front().step.makespan;
  const Spread bubble = spread(by_draw(schedule, [](const DrawResult& d) { return d.step.bubble_fraction; }));
  std::vector<std::string> cells = {
      schedule.name == schedule.system ? schedule.name : schedule.name + " (" + schedule.system + ")",
      number_text(mean_makespan(schedule), unit, scale)};
  if (schedule.beside) {
    const ScheduleResult& balanced = evaluation.at(*schedule.beside);
    const Spread over = spread(speedups_over(balanced, schedule));
    cells.insert(cells.end(), {fmt::format("{:.3f}x", over.mean), fmt::format("{:.3f}", over.ci95)});
    cells.push_back(more_bytes(schedule.first.traffic, balanced.first.traffic));
  } else {
    cells.insert(cells.end(), {"-", "-", "-"});
  }
  cells.insert(cells.end(),
               {percent(bubble.mean, 1), exposed(schedule, unit, scale), memory_mark(evaluation, schedule)});
  cells.insert(cells.end(), {yes_no(schedule.terms.moves_samples), yes_no(schedule.terms.knows_draw),
                             std::to_string(schedule.terms.chunks)});
  if (verbose) {
    const auto& planned = schedule.simulation.plan_s;
    cells.push_back(planned ? duration_text(Seconds(*planned)) + " a draw"
                            : duration_text(Seconds(schedule.simulation.derive_s)) + " once");
  }
  return cells;
}

// States how much of the stated planning time the step waits for.
std::string charged_planning(const ScheduleResult& schedule, std::size_t columns) {
  const auto waited = by_draw(schedule, [](const DrawResult& d) { return d.step.exposed_planning.value(); });
  const double mean = spread(waited).mean;
  return wrapped("  " + schedule.name + ": ",
                 fmt::format("planning a step takes {}, as stated; {}", duration_text(schedule.planning),
                             mean > 0 ? "the step waits " + duration_text(Seconds(mean)) +
                                            " for it on average, which is part of its makespan"
                                      : "the previous step hides it"),
                 columns);
}

// If no planning time is stated and planning the next step takes longer than this one, the next step waits
// for it.
std::string exposed_planning(const ScheduleResult& schedule, std::size_t columns) {
  if (schedule.planning > Seconds()) return charged_planning(schedule, columns);
  if (schedule.system.empty()) return {};
  const Seconds step = mean_makespan(schedule);
  const auto& planned = schedule.simulation.plan_s;
  if (!planned || Seconds(*planned) <= step) return {};
  return wrapped(
      "  " + schedule.name + ": ",
      fmt::format(
          "planning takes {} on this host, longer than the step that should hide it: one step every {}",
          duration_text(Seconds(*planned)), duration_text(Seconds(*planned))),
      columns);
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

std::string system_lines(const Evaluation& evaluation, TimeUnit unit, const TextStyle& style) {
  TableRows rows = {{"system", "makespan", "over balanced", "+-95%", "extra traffic", "bubble", "exposed enc",
                     "peak mem.", "moves samples", "knows draw", "chunks"}};
  if (style.verbose) rows.front().emplace_back("planning");
  std::string assumed;
  std::map<std::string, std::vector<std::string>> over;  // the names of systems by their balanced pipeline
  for (const ScheduleResult& schedule : evaluation.schedules) {
    const std::string assumptions = joined(schedule.assumptions, "; ");
    if (!assumptions.empty())
      assumed += wrapped("  " + schedule.name + " assumes: ", assumptions, style.columns);
    assumed += exposed_planning(schedule, style.columns);
    if (schedule.system.empty()) continue;
    rows.push_back(row_of(evaluation, schedule, unit, style.verbose));
    if (schedule.beside) over[reference_name(evaluation, *schedule.beside)].push_back(schedule.name);
  }
  if (assumed.empty() && rows.size() < 2) return {};
  std::string lines = rows.size() > 1 ? '\n' + table_text(rows) : "\n";
  if (rows.size() > 1) lines += terms_lines(evaluation, style.columns);
  for (const auto& [reference, held] : over)
    lines += wrapped("  balanced means " + reference + " for: ", joined(held), style.columns);
  return lines + assumed;
}

}  // namespace spillway
