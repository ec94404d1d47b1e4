#include "input/experiment/system_reader.h"

#include <utility>

#include "draws/layer_times.h"
#include "experiment/modules.h"
#include "experiment/split_rule.h"
#include "input/experiment/equal_terms.h"
#include "input/experiment/module_reader.h"
#include "input/experiment/schedule_parts.h"
#include "input/experiment/system_choice.h"

namespace spillway {
namespace {

// Layers of the stages as they are stated, in place of the split that the system makes; and where its regions
// end.
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

// The devices of modules, stated or to be solved for.
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

}  // namespace spillway
