#include "input/experiment/settled.h"

#include <utility>

#include "derive/order_stream.h"
#include "draws/costs.h"
#include "draws/layer_times.h"
#include "draws/schedule_facts.h"
#include "draws/solved_modules.h"
#include "experiment/derive_options.h"
#include "experiment/modules.h"
#include "experiment/split_rule.h"
#include "input/experiment/schedule_parts.h"
#include "input/experiment/system_reader.h"

namespace spillway {
namespace {

std::variant<std::vector<PlacedModule>, std::vector<Violation>> solved(const Experiment& experiment,
                                                                       const ScheduleSpec& schedule) {
  if (!schedule.solve_ranks) return solved_modules(experiment);
  if (auto modules = solved_ranks(experiment, schedule)) return *std::move(modules);
  return std::vector<Violation>{{"", "/encoder_ranks",
                                 "fewer ranks, so that every stage of the other modules has a layer",
                                 "no split that allows it"}};
}

void solve_modules(const Place& place, const Experiment& experiment, ScheduleSpec& schedule) {
  if (!experiment.fits.empty())
    return report_of_schedule({{place.findings->file(), "/modules",
                                "a list of modules, since a fit changes their times", "\"solved\""}},
                              place);
  auto modules = solved(experiment, schedule);
  if (auto* violations = std::get_if<std::vector<Violation>>(&modules))
    return report_of_schedule(located(std::move(*violations), place.findings->file(), ""), place);
  schedule.modules = std::get<std::vector<PlacedModule>>(std::move(modules));
  schedule.solve_modules = schedule.solve_ranks = false;
  for (std::string& line : describe(schedule.modules, experiment.pipeline, experiment.model))
    schedule.assumptions.push_back(std::move(line));
  schedule.assumptions.emplace_back(split_sentence(split_rule(schedule)));
  finish(schedule, experiment.pipeline);
  report_of_schedule(
      check_step(experiment.model, schedule.schedule, schedule.cut, derive_options(experiment, schedule)),
      place);
}

// The system is laid out again, since its stages follow from its segments.
void solve_segments(const Place& place, const Experiment& experiment, ScheduleSpec& schedule) {
  const ScheduleSurroundings around{
      experiment.model, common_options(experiment.pipeline, experiment.point_to_point, experiment.costs),
      &experiment.costs};
  auto again = read_system(place, around,
                           {.terms = experiment.equal_terms,
                            .module_times = module_times(experiment),
                            .efficient_parts = efficient_parts(experiment)});
  if (again) schedule = *std::move(again);
}

// Parts that are stated; those that are chosen do.
void check_parts(const Place& schedules, const Experiment& experiment) {
  for (std::size_t i = 0; i < experiment.schedules.size(); ++i) {
    const std::uint32_t parts = experiment.schedules[i].segments.parts;
    for (const PlacedWorkload& workload : workloads(experiment)) {
      const std::uint32_t samples = workload.spec.samples_per_microbatch;
      if (workload.spec.packing != Packing::Unpacked || samples % parts == 0) continue;
      schedules.findings->add(schedules.pointer + "/" + std::to_string(i) + "/sub_microbatches",
                              "a divisor of the " + std::to_string(samples) + " samples of a microbatch",
                              std::to_string(parts));
    }
  }
}

// Of the terms of all systems, what its layout leaves no room for.
void say_kept_terms(const Experiment& experiment, ScheduleSpec& schedule) {
  if (!experiment.equal_terms || schedule.system.empty()) return;
  const Terms own = terms_of(schedule, experiment.pipeline, experiment.costs);
  if (experiment.equal_terms->knows_draw && !own.knows_draw)
    schedule.kept_terms.emplace_back("knows_draw false: nothing in its layout depends on sizes");
}

}  // namespace

void settle(const Place& schedules, Experiment& experiment) {
  const auto places = read_list(schedules);
  for (std::size_t i = 0; i < experiment.schedules.size(); ++i) {
    ScheduleSpec& schedule = experiment.schedules[i];
    if (schedule.solve_modules) solve_modules((*places)[i], experiment, schedule);
    if (schedule.solve_segments) solve_segments((*places)[i], experiment, schedule);
    say_kept_terms(experiment, schedule);
  }
  check_parts(schedules, experiment);
}

}  // namespace spillway
