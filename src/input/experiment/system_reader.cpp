#include "input/experiment/system_reader.h"

#include <utility>

#include "derive/order_stream.h"
#include "draws/costs.h"
#include "draws/layer_times.h"
#include "draws/schedule_facts.h"
#include "draws/solved_modules.h"
#include "experiment/derive_options.h"
#include "experiment/modules.h"
#include "experiment/split_rule.h"
#include "input/experiment/equal_terms.h"
#include "input/experiment/schedule_parts.h"
#include "input/experiment/system_choice.h"

namespace spillway {
namespace {

// The stated layers of the stages, which replace the system's split; and where its regions end.
struct StatedStages {
  std::vector<std::uint32_t> layers_per_rank;
  std::optional<Cut> cut;
};

std::optional<StatedStages> read_stages(const Fields& fields) {
  const auto read = [](std::uint32_t least) {
    return [least](const Place& place) {
      return read_each(place, [least](const Place& p) { return read_count(p, least); });
    };
  };
  StatedStages stages;
  if (!fields.at("layers_per_rank")) {
    fields.forbid("cut", "no such key without layers_per_rank, since the system cuts the model");
    return stages;
  }
  for (const char* rule : {"split", "encoder_ranks"})
    fields.forbid(rule, "no such key, since layers_per_rank states the split");
  auto layers = fields.get("layers_per_rank", read(1));
  auto cut = fields.get("cut", read(0));
  if (!layers || (fields.at("cut") && !cut)) return std::nullopt;
  stages.layers_per_rank = *std::move(layers);
  if (cut) stages.cut = Cut{*std::move(cut)};
  return stages;
}

// The devices of modules, stated or solved for.
struct Devices {
  std::vector<PlacedModule> stated;
  bool solved = false;
};

std::optional<Devices> read_devices(const Fields& fields, const std::optional<ScheduleSurroundings>& around) {
  const std::optional<Place> place = fields.at("modules");
  if (place && std::holds_alternative<std::string>(place->node->value))
    return read_word(*place, {"solved"}) ? std::optional(Devices{{}, true}) : std::nullopt;
  auto stated = read_modules(fields, around);
  return stated ? std::optional(Devices{*std::move(stated)}) : std::nullopt;
}

void state(StatedStages stages, ScheduleSpec& spec) {
  if (stages.layers_per_rank.empty()) return;
  spec.layers_per_rank = std::move(stages.layers_per_rank);
  spec.split = StageSplit::ByCount;
  if (stages.cut) spec.cut = *std::move(stages.cut);
}

std::variant<std::vector<PlacedModule>, std::vector<Violation>> solved(const Experiment& experiment,
                                                                       const ScheduleSpec& schedule) {
  if (!schedule.solve_ranks) return solved_modules(experiment, schedule);
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

// Lays the system out again, since its stages follow from its segments.
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

// Checks stated parts; chosen parts always divide the samples.
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

// Notes which of the equal terms the system's layout cannot have.
void say_kept_terms(const Experiment& experiment, ScheduleSpec& schedule) {
  if (!experiment.equal_terms || schedule.system.empty()) return;
  const Terms own = terms_of(schedule, experiment.pipeline, experiment.costs);
  if (experiment.equal_terms->knows_draw && !own.knows_draw)
    schedule.kept_terms.emplace_back("knows_draw false: nothing in its layout depends on sizes");
}

}  // namespace

std::optional<ScheduleSpec> read_system(const Place& place, const std::optional<ScheduleSurroundings>& around,
                                        const SystemSetting& setting) {
  std::vector<std::string_view> known = system_keys();
  known.insert(known.end(), {"name", "schedule", "layers_per_rank", "cut", "planning_ms"});
  const Fields fields(place, known);
  fields.forbid("schedule", "no such key beside system, which determines the schedule");
  const auto name = fields.need("name", [](const Place& p) { return read_text(p); });
  auto choice = read_system_choice(fields);
  auto stages = read_stages(fields);
  const auto planning = read_planning(fields);
  auto modules = read_devices(fields, around);
  if (!around || !name || !choice || !stages || !planning || !modules) return std::nullopt;
  choice->options.modules = std::move(modules->stated);
  choice->options.solve_modules = modules->solved;
  std::vector<std::string> kept;
  if (setting.terms) kept = impose(*setting.terms, *choice->system, choice->options);
  LaidOut laid = choice->system->lay({around->model, around->options.pipeline, draws_images(*around->costs),
                                      setting.module_times, setting.efficient_parts},
                                     choice->options);
  if (auto* violations = std::get_if<std::vector<Violation>>(&laid)) {
    report_of_schedule(located(std::move(*violations), place.findings->file(), ""), place);
    return std::nullopt;
  }
  ScheduleSpec spec = std::get<ScheduleSpec>(std::move(laid));
  spec.name = *name;
  spec.system = choice->system->name;
  spec.planning = *planning;
  spec.kept_terms = std::move(kept);
  if (spec.solve_modules || spec.solve_segments) return spec;  // checked when they are solved
  for (std::string& line : describe(spec.modules, around->options.pipeline, around->model))
    spec.assumptions.push_back(std::move(line));
  state(*std::move(stages), spec);
  spec.assumptions.emplace_back(split_sentence(split_rule(spec)));
  finish(spec, around->options.pipeline);
  report_step(spec, *around, place);
  return spec;
}

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
