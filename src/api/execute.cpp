#include "api/execute.h"

#include <cmath>
#include <filesystem>
#include <utility>

#include "api/experiment_input.h"
#include "execute/played_trace.h"
#include "json/node.h"
#include "program/read_program.h"
#include "traces/formats/trace_csv.h"
#include "words/whole_file.h"

namespace spillway {
namespace {

void check_positive(const std::string& option, double value) {
  if (!(value > 0) || !std::isfinite(value)) refuse_argument(option, "a number above 0", describe({value}));
}

// Beyond it clocks lose the precision of a message's time.
void check_length(double time_scale, Seconds makespan) {
  constexpr Seconds kLongest(1e6);
  if (time_scale * makespan > kLongest)
    refuse_argument("--time-scale", "a factor with which the step takes at most 10^6 s", describe({time_scale}));
}

void write_trace(const std::string& folder, const Program& program, const PlayedProgram& execution) {
  const Trace trace = played_trace(program, execution);
  write_whole_file(std::filesystem::path(folder) / "trace.csv",
                   [&](std::ostream& out) { write_trace_csv(out, trace); });
}

}  // namespace

std::optional<ExecuteAnswer> execute(const ExecuteArguments& arguments) {
  check_positive("--time-scale", arguments.time_scale);
  if (arguments.steps == 0) refuse_argument("--steps", "a number above 0", "0");
  check_positive("--patience", arguments.patience_s);
  Program program = read_program(arguments.program);
  check_length(arguments.time_scale, program.makespan);
  PlayJob job(arguments.say);
  if (auto violations = job.check(program, arguments.program.file); !violations.empty())
    throw InputError(std::move(violations));
  auto execution = job.play(program, {arguments.time_scale, arguments.steps, Seconds(arguments.patience_s)});
  if (!execution) return {};
  if (!arguments.out.empty()) write_trace(arguments.out, program, *execution);
  return ExecuteAnswer{std::move(program), std::move(*execution)};
}

}  // namespace spillway
