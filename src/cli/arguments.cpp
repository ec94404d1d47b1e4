#include "cli/arguments.h"

#include <CLI/CLI.hpp>
#include <charconv>
#include <cstdint>

#include "evaluate/engines.h"

namespace spillway {
namespace {

// Returns what is wrong with the seed, if anything. CLI11 itself replaces a number above 64 bits by the
// largest one, and reads one below zero as a number near 2^64.
std::string not_a_seed(const std::string& text) {
  std::uint64_t seed = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seed);
  if (error == std::errc() && end == text.data() + text.size()) return {};
  return "expected a whole number of 0 to 18446744073709551615, found \"" + text + '"';
}

}  // namespace

void add_experiment(CLI::App& command, ExperimentArguments& arguments) {
  CLI::Option* experiment =
      command.add_option("EXPERIMENT", arguments.source.file, "experiment file (spillway schema experiment)");
  command.add_option("--workload", arguments.workload,
                     "a measured trace to simulate: durations are drawn from the measured ones; keys of "
                     "EXPERIMENT, if given, replace those read from the trace");
  command.parse_complete_callback([&arguments, experiment] {
    if (arguments.source.file.empty() && arguments.workload.empty())
      throw CLI::RequiredError(experiment->get_name());
  });
  command
      .add_option("--set", arguments.sets,
                  "set a value of the experiment before the run, as /json/pointer=value; may be repeated")
      ->allow_extra_args(false);
  command.add_option("--order", arguments.order,
                     "add a schedule that runs the whole model in the order of this CSV file, and name it "
                     "after the file; each row lists one rank's actions as PyTorch writes them: stage, F, B, "
                     "I or W, microbatch (2F0, 2B0, 2I0, 2W0)");
}

void add_engines(CLI::App& command, std::vector<std::string>& engines) {
  command
      .add_option("--engine", engines,
                  names_of(all_engines()) + " (default: " + names_of(Engines().run) + ')')
      ->delimiter(',')
      ->allow_extra_args(false);
}

void check_seed(CLI::Option& seed) {
  seed.check(CLI::Validator(not_a_seed, ""));
}

}  // namespace spillway
