#include "api/run.h"

#include <utility>
#include <variant>

#include "api/validate.h"
#include "json/shipped_files.h"
#include "search/software/unstated_software.h"
#include "twin/twin.h"

namespace spillway {
namespace {

std::vector<Setting> overrides(const RunArguments& arguments) {
  std::vector<Setting> settings;
  if (arguments.draws) settings.push_back({"/draws", std::to_string(*arguments.draws)});
  if (arguments.seed) settings.push_back({"/seed", std::to_string(*arguments.seed)});
  return settings;
}

}  // namespace

RunAnswer run(const RunArguments& arguments, const OnDraw& on_draw) {
  Engines engines = engines_from(arguments.engines);
  engines.references = true;
  engines.intervals = true;
  engines.interval_parts = true;
  engines.figures_only = arguments.figures_only;
  ExperimentArguments experiment = arguments.experiment;
  if (arguments.equal_terms) experiment.sets.insert(experiment.sets.begin(), "/equal_terms={}");
  ExperimentInput input = read_input(experiment, overrides(arguments));
  Evaluation evaluation = evaluate(input.experiment, input.file, engines, on_draw);
  if (auto unstated = unstated_software(input.experiment, evaluation))
    evaluation.warnings.push_back(*std::move(unstated));
  return {std::move(input), std::move(evaluation)};
}

std::string run_page(const RunAnswer& answer, const ExperimentArguments& arguments) {
  const auto* costs = on_platform(answer.input.experiment.costs);
  const bool measures = costs && costs->measured;
  return page_json(answer.evaluation, {.twin = measures ? passes_json(twin_account(answer.input.experiment),
                                                                      answer.evaluation.schedules)
                                                        : "",
                                       .measured = measured_step(arguments)});
}

std::optional<TracedStep> measured_step(const ExperimentArguments& arguments) {
  if (arguments.workload.empty()) return std::nullopt;
  try {
    const auto answer = validate({.measured = shipped_argument(arguments.workload, "recorded")});
    const auto* trace = std::get_if<Validation>(&answer);
    if (!trace || trace->cases.empty()) return std::nullopt;
    const ValidatedStep& first = trace->cases.front();
    return TracedStep{
        "step " + first.step + " of the trace, replica " + std::to_string(first.replica.index()),
        trace->first.derived, trace->first.measured};
  } catch (const InputError&) {
    return std::nullopt;
  }
}

}  // namespace spillway
