#include "api/explain.h"

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <string>

#include "api/run.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/pages.h"
#include "explain/explanation.h"
#include "report/run/page_json.h"

namespace spillway {
namespace {

struct ExplainOptions {
  ExplainArguments arguments;
  std::string out;  // folder for a page; empty: none
  bool json = false;
};

int print_explanation(const ExplainOptions& options) {
  const auto [evaluation, explanation] = explain(options.arguments);
  const std::string document = explanation_json(explanation);
  if (!options.out.empty()) {
    WholeFiles files;
    add_page_file(files, options.out, [&] {
      return page_json(*evaluation,
                       {.explanation = document, .measured = measured_step(options.arguments.experiment)});
    });
    files.put();
    std::cerr << "wrote " << page_words() << " under " << options.out << '\n';
  }
  std::cout << (options.json ? document : explanation_text(explanation));
  return 0;
}

}  // namespace

void add_explain(CLI::App& app, int& status) {
  auto options = std::make_shared<ExplainOptions>();
  ExplainArguments& arguments = options->arguments;
  CLI::App* command = app.add_subcommand(
      "explain",
      "explain a step's time: critical path, bubble by cause, spill, and the changes that would help");
  add_experiment(*command, arguments.experiment);
  command->add_option("--case", arguments.case_name,
                      "explain this case of a table of measured steps (EXPERIMENT names the table)");
  command->add_option("--schedule", arguments.schedule, "name of the schedule (default: all)");
  command->add_option("--measured", arguments.measured_s,
                      "seconds that a step of this schedule took: list the settings that would close the gap "
                      "to the predicted step");
  command->add_option("--out", options->out,
                      "folder for report.html: the page that run writes, with the changes that would help");
  command->add_flag("--json", options->json, "print one JSON document");
  command->footer(
      "Example: spillway explain workloads/experiments/experiment-a.json --schedule mpipe\n"
      "Example: spillway explain workloads/published/simumax-b200.json --case "
      "llama3_70b_l12_tp1_pp2_dp4_mbc4_cef\n"
      "Example: spillway explain workloads/experiments/experiment-a.json --schedule mpipe --measured 19");
  command->callback([options, &status] { status = print_explanation(*options); });
}

}  // namespace spillway
