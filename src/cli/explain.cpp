#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <optional>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/pages.h"
#include "explain/explanation.h"
#include "report/run/page_json.h"

namespace spillway {
namespace {

struct ExplainArguments {
  ExperimentArguments experiment;
  std::string case_name;  // of a table, which `experiment` then is; empty: none
  std::string schedule;   // empty: all
  std::string out;        // folder for a page; empty: none
  bool json = false;
};

// An experiment, and how it is read again.
struct Explained {
  Experiment experiment;
  std::string file;
  ReadAgain read_again;
};

Explained from_experiment(const ExperimentArguments& arguments) {
  ExperimentInput input = read_input(arguments);
  return {std::move(input.experiment), std::move(input.file),
          [&arguments](const std::vector<Setting>& changes) {
            return read_input(arguments, changes).experiment;
          }};
}

Explained from_table(const ExplainArguments& arguments) {
  const ExperimentArguments& given = arguments.experiment;
  if (!given.order.empty() || !given.workload.empty())
    refuse_argument(given.order.empty() ? "--workload" : "--order", "no such option beside --case",
                    '"' + (given.order.empty() ? given.workload : given.order) + '"');
  const auto table = std::make_shared<const CaseFile>(given.file);
  const std::size_t index = case_named(*table, arguments.case_name);
  const std::vector<Setting> base = settings_from(given.sets);
  return {table->experiment(index, base), given.file,
          [=](const std::vector<Setting>& changes) { return table->experiment(index, base, changes); }};
}

int explain(const ExplainArguments& arguments) {
  const Explained job =
      arguments.case_name.empty() ? from_experiment(arguments.experiment) : from_table(arguments);
  if (!arguments.schedule.empty()) schedule_named(job.experiment, arguments.schedule);
  const Evaluation evaluation = evaluate(job.experiment, job.file, {.run = {Engine::LongestPath}});
  Explanation explanation{evaluation, {}};
  for (std::size_t i = 0; i < evaluation.schedules.size(); ++i) {
    const ScheduleResult& schedule = evaluation.schedules[i];
    if (!arguments.schedule.empty() && schedule.name != arguments.schedule) continue;
    explanation.schedules.push_back(
        {&schedule, what_would_help(job.experiment, i, evaluation.fitted, job.read_again)});
  }
  if (!arguments.out.empty()) {
    write_page_file(arguments.out, [&] { return page_json(evaluation, explanation_json(explanation)); });
    std::cerr << "wrote " << page_words() << " under " << arguments.out << '\n';
  }
  std::cout << (arguments.json ? explanation_json(explanation) : explanation_text(explanation));
  return 0;
}

}  // namespace

void add_explain(CLI::App& app, int& status) {
  auto arguments = std::make_shared<ExplainArguments>();
  CLI::App* command = app.add_subcommand(
      "explain", "where the step goes: critical path, bubble by cause, spill, and what would help");
  add_experiment(*command, arguments->experiment);
  command->add_option("--case", arguments->case_name,
                      "this case of a table of measured steps, which EXPERIMENT then is");
  command->add_option("--schedule", arguments->schedule, "name of the schedule (default: all)");
  command->add_option("--out", arguments->out,
                      "folder for report.html, the page of run with what would help");
  command->add_flag("--json", arguments->json, "print one JSON document");
  command->footer(
      "Example: spillway explain workloads/experiments/experiment-a.json --schedule mpipe\n"
      "Example: spillway explain workloads/published/simumax-b200.json --case "
      "llama3_70b_l12_tp1_pp2_dp4_mbc4_cef");
  command->callback([arguments, &status] { status = explain(*arguments); });
}

}  // namespace spillway
