// Test: tests/cli/unstated_software_test.cpp.
#include "search/software/unstated_software.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "evaluate/fit.h"
#include "evaluate/point.h"
#include "evaluate/steps.h"
#include "input/platform/framework_reader.h"
#include "json/shipped_files.h"
#include "launch/software/software.h"
#include "sweep/run/refused_point.h"
#include "warn/warnings.h"

namespace spillway {
namespace {

// The fastest schedule on the first draw. A reference that the evaluation added is not in the experiment.
Experiment fastest_alone(Experiment experiment, const Evaluation& evaluation) {
  experiment = with_fitted(std::move(experiment), evaluation.fitted);
  experiment.draws = 1;
  const std::string& name = headline(evaluation).winner->name;
  const auto named = std::ranges::find(experiment.schedules, name, &ScheduleSpec::name);
  const ScheduleSpec schedule = named == experiment.schedules.end() ? experiment.schedules.front() : *named;
  experiment.schedules = {schedule};
  experiment.baseline = 0;
  return experiment;
}

bool can_be_laid_out(const ShippedSoftware& software, const Experiment& experiment) {
  return software.splits ||
         (experiment.pipeline.ranks == 1 && on_platform(experiment.costs)->parallelism.members() == 1);
}

// Nothing for a framework that does not run there, or for a step that cannot be evaluated.
std::optional<Seconds> step_of(const Experiment& experiment, Caches& caches) {
  const AnalyticCosts& costs = *on_platform(experiment.costs);
  if (!check_framework(costs.framework, costs.platform.accelerator).empty()) return std::nullopt;
  const PointOutcome outcome = outcome_or_refusal([&] { return evaluate_point(experiment, caches); });
  if (!outcome.refusal.empty()) return std::nullopt;
  return outcome.schedules.front().makespans.front();
}

struct StepUnder {
  std::string_view framework;
  Seconds step;
};

std::vector<StepUnder> steps_under(Experiment experiment, Caches& caches) {
  std::vector<StepUnder> steps;
  for (const ShippedSoftware* software : offered_software(experiment).trains) {
    if (!can_be_laid_out(*software, experiment)) continue;
    const std::string file = shipped_or(std::string(software->shipped), "framework");
    on_platform(experiment.costs)->framework = read_framework(file, {}, Files());
    if (const auto step = step_of(experiment, caches)) steps.push_back({software->shipped, *step});
  }
  return steps;
}

std::uint64_t microbatches_over_ranks(const Pipeline& pipeline) {
  return std::uint64_t{pipeline.ranks} * pipeline.microbatches * pipeline.replicas;
}

// "under nemo it takes 1.02 times as long", "under shipped ones it takes 1.02 (nemo) to 1.34 (hf-fsdp2)
// times".
std::string range_text(const std::vector<StepUnder>& steps, Seconds without) {
  const auto [least, most] = std::ranges::minmax_element(steps, {}, &StepUnder::step);
  if (steps.size() == 1)
    return fmt::format("under {} it takes {:.2f} times as long", least->framework, least->step / without);
  return fmt::format("under shipped ones it takes {:.2f} ({}) to {:.2f} ({}) times as long",
                     least->step / without, least->framework, most->step / without, most->framework);
}

}  // namespace

std::optional<Warning> unstated_software(const Experiment& experiment, const Evaluation& evaluation) {
  const AnalyticCosts* costs = on_platform(experiment.costs);
  if (!costs || !costs->framework.name.empty()) return std::nullopt;
  const std::string left_out =
      "no framework is stated, so every operator is one kernel and collectives hide as far as they can";
  const Warning unknown{"no-framework", left_out + "; name the framework that runs this job in /framework",
                        "no framework is stated"};
  if (microbatches_over_ranks(experiment.pipeline) > kMostForSoftware) return unknown;
  Caches caches;
  const Experiment alone = fastest_alone(experiment, evaluation);
  const auto without = step_of(alone, caches);
  const std::vector<StepUnder> steps = without ? steps_under(alone, caches) : std::vector<StepUnder>();
  if (steps.empty()) return unknown;
  const std::string range = range_text(steps, *without);
  return Warning{"no-framework",
                 fmt::format("{}: on the first draw, {} takes {}, and {}; name yours in /framework", left_out,
                             alone.schedules.front().name, seconds_text(*without), range),
                 "no framework is stated: " + range};
}

}  // namespace spillway
