#include "api/execute.h"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <variant>

#include "api/validate.h"
#include "base/error.h"
#include "base/number.h"
#include "cli/commands.h"
#include "cli/pages.h"
#include "execute/answer.h"
#include "report/inputs/trace_validation.h"
#include "report/run/validation_page.h"
#include "sweep/run/ranks.h"

namespace spillway {
namespace {

struct ExecuteOptions {
  ExecuteArguments arguments;
  bool json = false;
};

// All ranks find the same error. Rank 0 prints it; another status than 0 of another rank would end the job
// before that.
std::optional<ExecuteAnswer> executed(const ExecuteArguments& arguments) try {
  return execute(arguments);
} catch (const InputError&) {
  if (is_launched_first()) throw;
  return {};
}

// Returns what is wrong with the text, if anything. CLI11 itself says only that it could not convert it.
std::string not_a_count(const std::string& text) {
  if (number_from<std::uint32_t>(text).value_or(0) > 0) return {};
  return "expected a whole number from 1 to 4294967295, found \"" + text + '"';
}

// The page of the played trace, which is in the folder already.
std::string played_page(const ExecuteAnswer& answer, const std::filesystem::path& folder) {
  const auto replayed = std::get<Validation>(validate({.measured = (folder / "trace.csv").string()}));
  return validation_page(replayed, trace_validation_json(replayed),
                         execution_json(answer.program, answer.execution),
                         verdict(answer.program, answer.execution));
}

// A program may be no step that validate reads, as one in which a stage has no pass.
void write_page_file(const ExecuteAnswer& answer, const std::filesystem::path& folder) {
  WholeFiles files;
  try {
    add_page_file(files, folder, [&] { return played_page(answer, folder); });
    files.put();
  } catch (const InputError& error) {
    // In one piece, since mpirun would print what rank 0 writes to its output in between.
    std::cerr << "no report.html: " + to_string(error.violations().front()) + '\n';
  }
}

int run_execute(const ExecuteOptions& options) {
  const auto answer = executed(options.arguments);
  if (!answer) return 0;
  if (!options.arguments.out.empty()) write_page_file(*answer, options.arguments.out);
  if (options.json)
    std::cout << execution_json(answer->program, answer->execution);
  else
    write_execution(std::cout, answer->program, answer->execution);
  return 0;
}

}  // namespace

void add_execute(CLI::App& app, int& status) {
  auto options = std::make_shared<ExecuteOptions>();
  ExecuteArguments& arguments = options->arguments;
  arguments.say = [](const std::string& text) { std::cerr << text << std::flush; };
  CLI::App* command = app.add_subcommand("execute",
                                         "play a program with real messages and timed waits, one process of "
                                         "mpirun for each rank of each replica");
  command->add_option("PROGRAM", arguments.program.file, "file that derive --format program printed")
      ->required();
  command->add_option(
      "--time-scale", arguments.time_scale,
      "factor of all predicted times: computing, messages on the network, exchanges (default: 1)");
  command
      ->add_option("--steps", arguments.steps,
                   "play the step this many times and report the one of median length (default: 1)")
      ->check(not_a_count);
  command->add_option(
      "--patience", arguments.patience_s,
      "seconds; if no rank moves for so long beyond its pass, print each rank's action and end: "
      "with status 4 if the program blocks for ever, with 137 if a process is stopped "
      "(default: 10)");
  command->add_option("--out", arguments.out,
                      "folder for trace.csv, which spillway validate reads, and report.html");
  command->add_flag("--json", options->json, "print one JSON document");
  command->footer("Example: mpirun -n 4 spillway execute program.json --steps 5 --out out/played");
  command->callback([options, &status] { status = run_execute(*options); });
}

}  // namespace spillway
