#include "api/synthesize.h"

#include <cmath>
#include <sstream>

#include "api/derive_order.h"
#include "api/program.h"
#include "base/stopwatch.h"
#include "base/text.h"
#include "draws/fold.h"
#include "evaluate/memory_limit.h"
#include "experiment/derive_options.h"
#include "optimize/plan.h"
#include "program/lower.h"
#include "report/order/program_json.h"
#include "sweep/run/interrupts.h"

namespace spillway {
namespace {

std::vector<Skeleton> skeletons_from(const std::optional<std::string>& stated) {
  if (!stated) return {};
  const std::string& text = *stated;
  std::vector<Skeleton> skeletons;
  for (const std::string_view word : split(text, ',')) {
    const std::optional<Skeleton> one = skeleton_from(trimmed(word));
    if (!one || is_listed(*one) || layout_of(*one) != Layout::Sharded)
      refuse_argument("--skeletons", "skeletons of a pipeline, such as 1f1b,zb-h1", text);
    skeletons.push_back(*one);
  }
  return skeletons;
}

SynthesisRequest request_from(const SynthesizeArguments& arguments) {
  if (arguments.effort == 0) refuse_argument("--effort", "at least 1 order", "0");
  const auto above_zero = [](const char* option, const char* expected, const std::optional<double>& value) {
    if (!value || (*value > 0 && std::isfinite(*value))) return;
    std::ostringstream found;
    found << *value;
    refuse_argument(option, expected, found.str());
  };
  above_zero("--seconds", "seconds above 0", arguments.seconds);
  above_zero("--memory", "bytes above 0", arguments.memory);
  return {.effort = arguments.effort,
          .seed = arguments.seed,
          .memory = arguments.memory ? std::optional(Bytes(*arguments.memory)) : std::nullopt,
          .skeletons = skeletons_from(arguments.skeletons),
          .per_draw = arguments.per_draw};
}

// Returns the last schedule as a program of a draw, with all replicas; empty if it has no such form.
std::string program_text(const Experiment& experiment, std::uint32_t draw) {
  const ScheduleSpec& found = experiment.schedules.back();
  OrderCache orders;
  const PlannedSchedule planned = plan(DrawCosts(folded(experiment, Links::Own)), orders, found);
  DeriveOptions options = planned.options;
  const DeriveOptions whole = derive_options(experiment, found);
  options.pipeline = whole.pipeline;
  options.joined_replicas = whole.joined_replicas;
  Derived derived = derive(experiment.model, found.schedule, planned.cut, options);
  if (!check_lower(derived).empty()) return {};
  std::ostringstream out;
  write_program(out, program_of({experiment, experiment.schedules.size() - 1, DerivationFormat::Program,
                                 std::move(derived)},
                                draw));
  return out.str();
}

// The plan of each draw as a program of this draw.
std::vector<std::string> draw_programs(const Synthesis& synthesis) {
  std::vector<std::string> programs;
  if (!synthesis.draws) return programs;
  Experiment experiment = synthesis.experiment;
  experiment.schedules.emplace_back();
  for (const ScheduleSpec& schedule : synthesis.draws->schedules) {
    experiment.schedules.back() = schedule;
    programs.push_back(program_text(experiment, static_cast<std::uint32_t>(programs.size())));
  }
  return programs;
}

}  // namespace

SynthesizeAnswer synthesize(const SynthesizeArguments& arguments) {
  SynthesisRequest request = request_from(arguments);
  const ExperimentInput input = read_input(arguments.experiment);
  if (arguments.memory && !states_memory(input.experiment))
    refuse_argument("--memory",
                    "a job whose memory is known: activation_bytes of every block that is trained",
                    input.file);
  const CaughtSignals signals;
  const Stopwatch running;
  request.stop = [&] {
    return signals.arrived() || (arguments.seconds && running.seconds() >= *arguments.seconds);
  };
  try {
    Synthesis synthesis = synthesize(input.experiment, request);
    std::string program = program_text(synthesis.experiment, kProgramDraw);
    std::vector<std::string> of_draws = draw_programs(synthesis);
    return {std::move(synthesis), std::move(program), std::move(of_draws)};
  } catch (const InputError& error) {
    throw InputError(located(error.violations(), input.file, ""));
  }
}

}  // namespace spillway
