// Compares two runs: experiments, reports of runs, or measured traces.
#include <CLI/CLI.hpp>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/pages.h"
#include "compare/comparison_print.h"
#include "report/page/html.h"
#include "words/whole_file.h"

namespace spillway {
namespace {

constexpr int kConditionHolds = 4;

struct CompareArguments {
  std::string a;
  std::string b;
  std::vector<std::string> fail_if;
  std::string out;  // folder for a page and the document; empty: none
  bool json = false;
};

void write_comparison(const Comparison& comparison, const std::string& document,
                      const std::filesystem::path& folder) {
  WholeFiles files;
  files.add(folder / "comparison.json", [&](std::ostream& out) { out << document; });
  add_page_file(files, folder, [&] { return page_of("comparison", verdict(comparison), document); });
  files.put();
  std::cerr << "wrote comparison.json and " << page_words() << " under " << folder.string() << '\n';
}

int compare(const CompareArguments& arguments) {
  std::vector<Condition> conditions;
  for (const std::string& text : arguments.fail_if) conditions.push_back(condition_from(text));
  const Comparison comparison = compare_files(arguments.a, arguments.b);
  const std::vector<ConditionOutcome> outcomes = outcomes_of(conditions, comparison);
  const std::string document = comparison_json(comparison, outcomes);
  if (!arguments.out.empty()) write_comparison(comparison, document, arguments.out);
  std::cout << (arguments.json ? document : comparison_text(comparison, outcomes));
  return any_holds(outcomes) ? kConditionHolds : 0;
}

}  // namespace

void add_compare(CLI::App& app, int& status) {
  auto arguments = std::make_shared<CompareArguments>();
  CLI::App* command = app.add_subcommand("compare",
                                         "compare two runs: which values differ, how much each step time "
                                         "changed, and how much each change contributes");
  command
      ->add_option("A", arguments->a,
                   "an experiment (evaluated with the longest-path engine), a report (from run --json, or "
                   "the folder of run --out), or a measured trace")
      ->required();
  command
      ->add_option("B", arguments->b,
                   "the other run; differences are B minus A, percentages are relative to A")
      ->required();
  command
      ->add_option("--fail-if", arguments->fail_if,
                   "exit with status 4 if this condition holds for a schedule: 'FIGURE > N %' or 'FIGURE < N "
                   "%'; FIGURE is a key of a schedule in the report, such as makespan_s, and N its change "
                   "from A to B in percent of A; may be repeated")
      ->allow_extra_args(false);
  command->add_option("--out", arguments->out, "folder for report.html and comparison.json");
  command->add_flag("--json", arguments->json, "print the comparison as one JSON document");
  command->footer(
      "Example: spillway compare workloads/experiments/small.json faster.json --fail-if 'makespan_s > 2 %'");
  command->callback([arguments, &status] { status = compare(*arguments); });
}

}  // namespace spillway
