#include "synthesize/named_starts.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <variant>

#include "cost/analytic_costs.h"
#include "derive/order_stream.h"
#include "draws/layer_times.h"
#include "experiment/derive_options.h"
#include "json/dumped.h"
#include "systems/system.h"

namespace spillway {
namespace {

using EntryJson = nlohmann::ordered_json;

// Bodies of systems, and schedules without a system: interleaved ones, and each way to split backwards.
constexpr std::array<const char*, 16> kBodies{"1f1b",     "1f1b,1f1b",   "1f1b,1f1b,1f1b,1f1b",
                                              "gpipe",    "gpipe,gpipe", "gpipe,gpipe,gpipe,gpipe",
                                              "zb-h1",    "zb-h2",       "zb-1p",
                                              "zb-2p",    "zb-v",        "v-half",
                                              "v-min",    "wave(1)",     "dualpipe",
                                              "dualpipev"};

// Systems that place encodes in gaps are played with the first of these bodies alone, since each of their
// plans takes as long as many tries.
constexpr std::size_t kPlayedInGaps = 3;

Schedule schedule_of(const char* text) {
  return std::get<Schedule>(parse_schedule(text));
}

class Starts {
 public:
  Starts(const Experiment& experiment, bool knows_draw) : experiment_(experiment), knows_draw_(knows_draw) {}

  void add_own() {
    for (const ScheduleSpec& spec : experiment_.schedules) all_.push_back({spec, ""});
  }

  void add_skeleton(const char* text) {
    const Schedule schedule = schedule_of(text);
    const auto cut = cut_by_runs(experiment_.model, schedule, Cut{});
    if (!cut) return;
    ScheduleSpec spec{text, schedule, *cut};
    const bool several = schedule.skeletons.size() > 1;
    spec.split = several ? StageSplit::Joint : StageSplit::Balanced;
    add(std::move(spec), {{"name", text}, {"schedule", text}, {"split", several ? "joint" : "balanced"}});
  }

  void add_system(const System& system, SystemOptions options, EntryJson entry, bool in_gaps) {
    options.moves_samples = false;
    options.knows_draw = knows_draw_;
    auto spec = laid(system, options);
    if (!spec || (spec->input.passes == InputPasses::InGaps && !in_gaps)) return;
    if (spec->plans_by_sizes() != knows_draw_) return;
    if (knows_draw_) entry["name"] = std::string(entry["name"]) + ", each draw";
    spec->name = entry["name"];
    spec->system = system.name;
    entry["moves_samples"] = false;
    entry["knows_draw"] = knows_draw_;
    add(*std::move(spec), std::move(entry));
  }

  std::vector<NamedStart> all() && { return std::move(all_); }

 private:
  // A system whose segments follow from the times of modules is laid out again when these are known.
  std::optional<ScheduleSpec> laid(const System& system, const SystemOptions& options) const {
    SystemJob job{experiment_.model, experiment_.pipeline, draws_images(experiment_.costs)};
    LaidOut once = system.lay(job, options);
    auto* spec = std::get_if<ScheduleSpec>(&once);
    if (!spec || spec->solve_modules) return std::nullopt;
    if (!spec->solve_segments) return std::move(*spec);
    const std::vector<Seconds> times = module_times(experiment_);
    job.module_times = times;
    job.efficient_parts = efficient_parts(experiment_);
    LaidOut again = system.lay(job, options);
    spec = std::get_if<ScheduleSpec>(&again);
    return spec ? std::optional(std::move(*spec)) : std::nullopt;
  }

  void add(ScheduleSpec spec, EntryJson entry) {
    const DeriveOptions options = derive_options(experiment_, spec);
    if (!check_step(experiment_.model, spec.schedule, spec.cut, options).empty()) return;
    const AnalyticCosts* priced = on_platform(experiment_.costs);
    if (priced && !check_needs(*priced, spec.schedule).empty()) return;
    const auto is_same = [&](const NamedStart& other) {
      ScheduleSpec named = spec;
      named.name = other.spec.name;
      named.system = other.spec.system;
      named.assumptions = other.spec.assumptions;
      return named == other.spec;
    };
    if (std::ranges::none_of(all_, is_same)) all_.push_back({std::move(spec), dumped(entry)});
  }

  const Experiment& experiment_;
  const bool knows_draw_;
  std::vector<NamedStart> all_;
};

bool takes_body(const System& system) {
  return std::ranges::any_of(system.options, [](const OptionKey& key) { return key.key == "body"; });
}

void add_systems(Starts& starts) {
  for (const System& system : systems()) {
    if (!system.unranked.empty()) continue;
    const std::string name(system.name);
    if (!takes_body(system)) {
      starts.add_system(system, {}, {{"name", name}, {"system", name}}, true);
      continue;
    }
    for (std::size_t i = 0; i < kBodies.size(); ++i)
      starts.add_system(system, {.body = schedule_of(kBodies[i])},
                        {{"name", name + ' ' + kBodies[i]}, {"system", name}, {"body", kBodies[i]}},
                        i < kPlayedInGaps);
  }
}

}  // namespace

std::vector<NamedStart> named_starts(const Experiment& experiment) {
  Starts starts(experiment, false);
  starts.add_own();
  for (const char* body : kBodies) starts.add_skeleton(body);
  add_systems(starts);
  return std::move(starts).all();
}

std::vector<NamedStart> knowing_starts(const Experiment& experiment) {
  Starts starts(experiment, true);
  add_systems(starts);
  return std::move(starts).all();
}

}  // namespace spillway
