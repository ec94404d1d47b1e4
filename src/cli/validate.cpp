#include <CLI/CLI.hpp>
#include <filesystem>
#include <functional>
#include <iostream>
#include <memory>
#include <string>

#include "base/files.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/pages.h"
#include "experiment/costs.h"
#include "measured/formats/read_trace.h"
#include "measured/validate/validation.h"
#include "report/inputs/trace_validation_json.h"
#include "report/inputs/trace_validation_text.h"
#include "report/inputs/validation_table.h"
#include "report/page/html.h"
#include "report/run/validation_page.h"
#include "report/words/whole_file.h"
#include "spec/experiment/experiment.h"
#include "spec/json/json_text.h"

namespace spillway {
namespace {

struct ValidateArguments {
  std::string file;                  // a table of measured steps, or a trace
  std::vector<std::string> engines;  // of a table
  std::string case_name;             // of a table; empty: all
  std::string experiment;            // file of what a trace is held against; empty: none
  std::string platform;              // file that replaces the experiment's; empty: none
  bool intervals = false;            // of a table: how long each step may be
  std::string out;                   // folder for a page and the document; empty: none
  bool json = false;
};

// Is it a document of ours, to be read as a table of measured steps? Its schema is in what is looked at: a
// trace may be a gigabyte.
bool is_own_document(const std::string& path) {
  return is_plain_file(path) && names_our_schema(beginning_of(path));
}

void write_files(const ValidateArguments& arguments, const std::string& document,
                 const std::function<std::string()>& page) {
  if (arguments.out.empty()) return;
  const std::filesystem::path folder = arguments.out;
  write_whole_file(folder / "validation.json", [&](std::ostream& out) { out << document; });
  write_page_file(folder, page);
  std::cerr << "wrote validation.json and " << page_words() << " under " << arguments.out << '\n';
}

void print_steps(const ValidateArguments& arguments) {
  if (!arguments.experiment.empty() || !arguments.platform.empty())
    refuse_argument(arguments.experiment.empty() ? "--platform" : "--experiment",
                    "a trace: a table of measured steps names its own", '"' + arguments.file + '"');
  Engines engines = engines_from(arguments.engines);
  engines.intervals = arguments.intervals;
  const CaseFile file(arguments.file);
  const auto only =
      arguments.case_name.empty() ? std::nullopt : std::optional(case_named(file, arguments.case_name));
  const std::vector<CaseResult> cases = run_cases(file, engines, only);
  const std::string document = validation_json(file.table(), cases);
  write_files(arguments, document, [&] { return page_of("validation-cases", verdict(cases), document); });
  if (arguments.json) {
    std::cout << document;
  } else {
    write_validation(std::cout, file.table(), cases);
  }
}

Experiment experiment_of(const ValidateArguments& arguments) {
  std::vector<Setting> settings;
  // Relative to where the user is, not to the experiment.
  if (!arguments.platform.empty())
    settings.push_back({"/platform", absolute_path(arguments.platform).string()});
  return read_experiment(arguments.experiment, settings);
}

Validation validation_of(const ValidateArguments& arguments) {
  const Trace trace = read_trace(arguments.file);
  const MeasuredPipeline pipeline = measured_pipeline(trace);
  const ScheduleMatch match = match_schedule(pipeline);
  if (!arguments.experiment.empty()) {
    const Experiment experiment = experiment_of(arguments);
    const ModelSource source{experiment, [](const Experiment& adapted, const Derived& derived) {
                               return DrawCosts(adapted).of(derived, 0);
                             }};
    return validate_trace(trace, pipeline, match, &source);
  }
  Validation validation = validate_trace(trace, pipeline, match);
  if (!arguments.platform.empty())
    validation.notes.push_back({NoteKind::Missing, 0,
                                "a trace does not name its model, so a platform alone prices nothing: give "
                                "--experiment"});
  return validation;
}

void print_trace(const ValidateArguments& arguments) {
  if (!arguments.case_name.empty())
    refuse_argument("--case", "a table of measured steps", '"' + arguments.file + '"');
  if (arguments.intervals)
    refuse_argument("--intervals", "a table of measured steps", '"' + arguments.file + '"');
  if (!arguments.engines.empty())
    refuse_argument("--engine", "a table of measured steps: a trace is replayed by the longest path",
                    '"' + arguments.file + '"');
  const Validation validation = validation_of(arguments);
  const std::string document = trace_validation_json(validation);
  write_files(arguments, document, [&] { return validation_page(validation, document); });
  if (arguments.json) {
    std::cout << document;
  } else {
    write_trace_validation(std::cout, validation);
  }
}

int validate_given(const ValidateArguments& arguments) {
  if (is_own_document(arguments.file)) {
    print_steps(arguments);
  } else {
    print_trace(arguments);
  }
  return 0;
}

}  // namespace

void add_validate(CLI::App& app, int& status) {
  auto arguments = std::make_shared<ValidateArguments>();
  CLI::App* command =
      app.add_subcommand("validate", "hold the model against measured training steps, or against a trace");
  command
      ->add_option(
          "MEASURED", arguments->file,
          "table of measured steps (spillway schema cases), or a trace: a file or a profiler's folder")
      ->required();
  add_engines(*command, arguments->engines);
  command->add_option("--case", arguments->case_name, "of a table: this case alone");
  command->add_option("--experiment", arguments->experiment,
                      "of a trace: the experiment whose cost model is held against it");
  command->add_option("--platform", arguments->platform,
                      "of a trace: platform file that replaces the experiment's");
  command->add_flag(
      "--intervals", arguments->intervals,
      "of a table: how long each step may be for what is not known, and how many intervals hold");
  command->add_option("--out", arguments->out, "folder for report.html and validation.json");
  command->add_flag("--json", arguments->json, "print one JSON document");
  command->footer(
      "Example: spillway validate workloads/published/simumax-b200.json\n"
      "Example: spillway validate workloads/published/traces/straggler-ar.csv");
  command->callback([arguments, &status] { status = validate_given(*arguments); });
}

}  // namespace spillway
