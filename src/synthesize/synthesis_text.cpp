#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "base/printable.h"
#include "evaluate/memory_limit.h"
#include "evaluate/steps.h"
#include "memory/memory_text.h"
#include "synthesize/synthesize.h"
#include "words/duration_text.h"
#include "words/spread.h"
#include "words/table.h"
#include "words/wording.h"

namespace spillway {
namespace {

constexpr double kRounded = 1e-9;

Seconds mean_of(const std::vector<Seconds>& all) {
  Seconds sum;
  for (const Seconds one : all) sum += one;
  return sum / static_cast<double>(all.size());
}

std::string peak_text(const ScheduleResult& schedule) {
  const std::optional<WorstPeak> peak = worst_peak(schedule);
  return peak ? bytes_text(peak->peak.parts.total()) : "-";
}

std::vector<std::string> row(const Synthesis& synthesis, const ScheduleResult& schedule, TimeUnit unit) {
  const Seconds step = mean_makespan(schedule);
  const Seconds bound = &schedule == &synthesis.found() ? synthesis.bound : *mean_bound(schedule);
  const bool fits_there = fits(synthesis.evaluation, schedule) != false;
  return {schedule.name,
          number_text(step, unit, step),
          number_text(bound, unit, step),
          percent(gap_to_bound(step, bound), 1),
          fmt::format("{:.3f}x", speedup(mean_makespan(synthesis.best_named()), step)),
          peak_text(schedule) + (fits_there ? "" : " !")};
}

// Says how sure the comparison is: the found order and the best named one on the same draws.
std::string comparison_of(const Synthesis& synthesis) {
  const ScheduleResult &found = synthesis.found(), &named = synthesis.best_named();
  if (fits(synthesis.evaluation, named) == false && fits(synthesis.evaluation, found) == true)
    return fmt::format("within the memory, which no named schedule keeps ({} holds {})", named.name,
                       peak_text(named));
  const Spread faster = spread(speedups_over(named, found));
  std::string text = fmt::format("{:.3f}x the speed of {}, the best named schedule", faster.mean, named.name);
  if (found.draws.size() > 1)
    text += fmt::format(" [{:.3f}, {:.3f}] over {} draws that it was not planned on",
                        faster.mean - faster.ci95, faster.mean + faster.ci95, found.draws.size());
  return text;
}

// Where the order comes from, and what it does differently.
std::string origin_of(const Synthesis& synthesis) {
  const std::string starts = fmt::format("{} named schedules were planned", synthesis.starts);
  if (synthesis.is_named)
    return fmt::format("{}; no order that was tried is faster than {} on the planning draws", starts,
                       synthesis.nearest);
  if (!synthesis.made.empty())
    return fmt::format(
        "{}; its stages are those of no named schedule: {}; on the planning draws the best "
        "named one takes {}, the found one {}",
        starts, synthesis.made, duration_text(synthesis.named), duration_text(synthesis.planned));
  const auto& pipeline = synthesis.experiment.pipeline;
  const std::size_t inputs = input_count(synthesis.schedule().schedule);
  return fmt::format(
      "{}; stages and passes are those of {}; on the planning draws the best named one takes "
      "{}, the found one {}; different: {}",
      starts, synthesis.nearest, duration_text(synthesis.named), duration_text(synthesis.planned),
      difference_text(synthesis.different, static_cast<std::uint32_t>(inputs) * pipeline.microbatches));
}

// Steps that know their draw, beside the best named schedule that does.
std::string draws_of(const Synthesis& synthesis) {
  const DrawPlans& draws = *synthesis.draws;
  const ScheduleResult& named = synthesis.best_knowing();
  const Spread faster = spread(speedups_of(draws, named));
  const Seconds step = draws.step(), bound = mean_of(draws.bounds);
  return fmt::format(
             "{} a step if each is planned from the sizes of its own draw, {} above the bound, {:.3f}x the "
             "speed of "
             "{} [{:.3f}, {:.3f}], the best named one that may know them; stages: {}; {} orders tried a draw",
             duration_text(step), percent(gap_to_bound(step, bound), 1), faster.mean, named.name,
             faster.mean - faster.ci95, faster.mean + faster.ci95, draws.stages, draws.tries) +
         (faster.mean < 1 ? "; none that was tried is faster, and more orders a draw may help" : "");
}

}  // namespace

std::string verdict(const Synthesis& synthesis) {
  const ScheduleResult& found = synthesis.found();
  const Seconds step = mean_makespan(found);
  const std::string proof =
      synthesis.optimal ? "; no order of these passes on these ranks is more than 0.01 % faster" : "";
  // The bound of one order for all draws that keeps the memory may be above the mean of the bounds of draws.
  const char* one_order = synthesis.bound > *mean_bound(found) * (1 + kRounded) ? "any one order of " : "";
  return fmt::format("{} takes {} a step, {}; {} above the bound of {}its passes{}", found.name,
                     duration_text(step), comparison_of(synthesis),
                     percent(gap_to_bound(step, synthesis.bound), 1), one_order, proof);
}

std::vector<double> speedups_of(const DrawPlans& draws, const ScheduleResult& named) {
  std::vector<double> by_draw;
  for (std::size_t draw = 0; draw < draws.steps.size(); ++draw)
    by_draw.push_back(speedup(named.draws[draw].step.makespan, draws.steps[draw]));
  return by_draw;
}

std::string synthesis_text(const Synthesis& synthesis) {
  const TimeUnit unit = unit_for(mean_makespan(synthesis.found()));
  TableRows rows = {{"schedule", "makespan", "bound", "above", "speed", "peak mem."}};
  for (const ScheduleResult& schedule : synthesis.evaluation.schedules)
    rows.push_back(row(synthesis, schedule, unit));
  std::string text =
      wrapped("", verdict(synthesis), kTableColumns) + '\n' +
      fmt::format("{}: times in {}, longest path\n", printable(synthesis.evaluation.experiment), unit.name) +
      table_text(rows);
  text += wrapped("  from: ", origin_of(synthesis), kTableColumns);
  for (const LeftOut& one : synthesis.left_out)
    text += wrapped("  not searched: ", one.schedule + ", since " + one.reason, kTableColumns);
  if (synthesis.draws) text += wrapped("  each draw: ", draws_of(synthesis), kTableColumns);
  return text + wrapped("  effort: ",
                        fmt::format("{} orders tried; --effort {} --seed {} gives this result again",
                                    synthesis.tries, synthesis.tries, synthesis.seed),
                        kTableColumns);
}

}  // namespace spillway
