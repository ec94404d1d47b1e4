#include "api/validate.h"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/pages.h"
#include "report/inputs/class_table.h"
#include "report/inputs/measured_steps.h"
#include "report/inputs/trace_validation.h"
#include "report/inputs/validation_table.h"
#include "report/page/html.h"
#include "report/run/validation_page.h"
#include "words/whole_file.h"

namespace spillway {
namespace {

struct ValidateOptions {
  ValidateArguments arguments;
  std::string out;  // folder for a page and the document; empty: none
  std::vector<std::string> measured;
  bool json = false;
};

// The texts that are written and printed.
struct ValidationWords {
  std::string document;
  std::function<std::string()> page;
  std::function<void(std::ostream&)> write_text;
};

ValidationWords words_of(const ValidatedCases& steps) {
  const std::string document = validation_json(steps.table, steps.cases);
  return {document,
          [&steps, document] { return page_of("validation-cases", verdict(steps.cases), document); },
          [&](std::ostream& out) { write_validation(out, steps.table, steps.cases); }};
}

ValidationWords words_of(const ValidatedTables& tables) {
  const std::string document = classes_json(tables);
  return {document, [&tables, document] { return page_of("validation-tables", verdict(tables), document); },
          [&](std::ostream& out) { write_classes(out, tables); }};
}

ValidationWords words_of(const Validation& trace) {
  const std::string document = trace_validation_json(trace);
  return {document, [&trace, document] { return validation_page(trace, document); },
          [&](std::ostream& out) { write_trace_validation(out, trace); }};
}

// These two have no page.
ValidationWords words_of(const ValidatedLog& measured) {
  return {step_log_json(measured.log, measured.predicted), {}, [&](std::ostream& out) {
            out << step_log_text(measured.log, measured.predicted);
          }};
}

ValidationWords words_of(const ValidatedProfile& measured) {
  return {profile_json(measured.job, measured.predicted), {}, [&](std::ostream& out) {
            out << profile_text(measured.job, measured.predicted);
          }};
}

void write_files(const ValidationWords& words, const std::filesystem::path& folder) {
  WholeFiles files;
  files.add(folder / "validation.json", [&](std::ostream& out) { out << words.document; });
  if (words.page) add_page_file(files, folder, words.page);
  files.put();
  std::cerr << "wrote validation.json" << (words.page ? " and " + page_words() : "") << " under "
            << folder.string() << '\n';
}

ValidateArguments arguments_of(const ValidateOptions& options) {
  ValidateArguments arguments = options.arguments;
  arguments.measured = options.measured.front();
  arguments.more.assign(options.measured.begin() + 1, options.measured.end());
  return arguments;
}

int print_validation(const ValidateOptions& options) {
  const ValidateAnswer answer = validate(arguments_of(options));
  const ValidationWords words = std::visit([](const auto& either) { return words_of(either); }, answer);
  if (!options.out.empty()) write_files(words, options.out);
  if (options.json)
    std::cout << words.document;
  else
    words.write_text(std::cout);
  return 0;
}

}  // namespace

void add_validate(CLI::App& app, int& status) {
  auto options = std::make_shared<ValidateOptions>();
  ValidateArguments& arguments = options->arguments;
  CLI::App* command = app.add_subcommand(
      "validate", "compare predicted with measured training steps, from a table, a trace or a log");
  command
      ->add_option(
          "MEASURED", options->measured,
          "table of measured steps (spillway schema cases), a trace (a file or a profiler's folder), or a "
          "training log (Megatron's, torchtitan's, JSON lines); several tables are compared by the classes "
          "that their cases state")
      ->required();
  add_engines(*command, arguments.engines);
  command->add_option("--case", arguments.case_name, "for a table: validate only this case");
  command->add_option("--experiment", arguments.experiment.file,
                      "for a trace or a log: the experiment whose cost model is compared with it");
  command->add_option("--platform", arguments.platform,
                      "for a trace or a log: platform file that replaces the experiment's platform");
  command->add_flag("--intervals", arguments.intervals,
                    "for a table: print a 90 % prediction interval for each step, and how many measured "
                    "steps lie in theirs");
  command->add_flag("--causes", arguments.causes,
                    "for a table: print the communication time and the host time of each predicted step, and "
                    "whether the errors grow with either");
  command->add_flag("--explain", arguments.explain,
                    "for a table: say which single setting would best explain the error of each step");
  command->add_option("--out", options->out, "folder for report.html and validation.json");
  command->add_flag("--json", options->json, "print one JSON document");
  command->footer(
      "Example: spillway validate workloads/published/simumax-b200.json\n"
      "Example: spillway validate workloads/published/*.json --intervals\n"
      "Example: spillway validate workloads/published/traces/straggler-ar.csv\n"
      "Example: spillway validate train.log --experiment job.json");
  command->callback([options, &status] { status = print_validation(*options); });
}

}  // namespace spillway
