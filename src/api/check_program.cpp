#include "api/check_program.h"

#include <utility>

#include "api/program.h"
#include "base/files.h"
#include "json/byte_source.h"
#include "json/text_file.h"
#include "program/read_program.h"

namespace spillway {
namespace {

std::string beginning(const Source& source) {
  constexpr std::size_t kEnough = std::size_t{1} << 16;
  if (source.text) return source.text->substr(0, kEnough);
  return is_plain_file(source.file) ? ByteSource(source.file).read(kEnough) : std::string();
}

// A pipe can be read once, and its beginning tells what it has: it is read as a whole.
Source readable_twice(const Source& source) {
  if (source.text || !is_special(source.file)) return source;
  Findings findings(source.file);
  auto text = read_file(source.file, findings);
  findings.throw_if_any();
  return {source.file, std::move(text).value()};
}

std::optional<std::uint32_t> buffers_from(const CheckArguments& arguments) {
  if (arguments.semantics.empty()) return arguments.buffers.value_or(0);
  if (arguments.buffers)
    refuse_argument("--buffers", "no --semantics beside it: it is rendezvous with 0 buffers",
                    std::to_string(*arguments.buffers));
  if (arguments.semantics == "buffered") return {};
  if (arguments.semantics == "rendezvous") return 0;
  refuse_argument("--semantics", "buffered or rendezvous", '"' + arguments.semantics + '"');
}

void refuse_beside_a_program(const DeriveArguments& derive) {
  const auto refuse = [](const char* option, const std::string& found) {
    if (!found.empty())
      refuse_argument(option, "an experiment, since a program is checked as it is", '"' + found + '"');
  };
  const ExperimentArguments& experiment = derive.experiment;
  refuse("--schedule", derive.schedule);
  refuse("--set", experiment.sets.empty() ? "" : experiment.sets.front());
  refuse("--order", experiment.order);
  refuse("--workload", experiment.workload);
}

Program program_from(const DeriveArguments& derive) {
  DeriveArguments lowered = derive;
  Source& source = lowered.experiment.source;
  source = readable_twice(source);
  if (begins_program(beginning(source))) {
    refuse_beside_a_program(derive);
    return read_program(source);
  }
  lowered.format = "program";
  return program_of(derive_order(lowered));
}

}  // namespace

CheckAnswer check_program(const CheckArguments& arguments) {
  const std::optional<std::uint32_t> buffers = buffers_from(arguments);
  CheckAnswer answer{program_from(arguments.derive), buffers, {}};
  answer.check = check_blocking(answer.program, buffers);
  return answer;
}

}  // namespace spillway
