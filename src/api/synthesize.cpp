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

std::vector<Skeleton> skeletons_from(const std::string& text) {
  std::vector<Skeleton> skeletons;
  for (const std::string_view word : split(text, ',')) {
    if (text.empty()) continue;
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
    if (value && !(*value > 0 && std::isfinite(*value)))
      refuse_argument(option, expected, std::to_string(*value));
  };
  above_zero("--seconds", "seconds above 0", arguments.seconds);
  above_zero("--memory", "bytes above 0", arguments.memory);
  return {.effort = arguments.effort,
          .seed = arguments.seed,
          .memory = arguments.memory ? std::optional(Bytes(*arguments.memory)) : std::nullopt,
          .skeletons = skeletons_from(arguments.skeletons),
          .per_draw = arguments.per_draw};
}

// Returns the found schedule as a program, with all replicas; empty if it has no such form.
std::string program_text(const Synthesis& synthesis) {
  const Experiment& experiment = synthesis.experiment;
  const ScheduleSpec& found = synthesis.schedule();
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
                                 std::move(derived)}));
  return out.str();
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
    std::string program = program_text(synthesis);
    return {std::move(synthesis), std::move(program)};
  } catch (const InputError& error) {
    throw InputError(located(error.violations(), input.file, ""));
  }
}

}  // namespace spillway
