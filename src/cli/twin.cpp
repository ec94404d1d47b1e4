#include "api/twin.h"

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/pages.h"
#include "words/whole_file.h"

namespace spillway {
namespace {

struct TwinOptions {
  TwinArguments arguments;
  std::string out;   // file for the job with its measured passes; empty: none
  std::string page;  // folder for a page; empty: none
  bool json = false;
};

void write_twin(const TwinAnswer& answer, const TwinOptions& options) {
  WholeFiles files;
  if (!options.out.empty()) files.add(options.out, [&](std::ostream& out) { out << answer.document; });
  if (!options.page.empty()) add_page_file(files, options.page, [&] { return answer.page(); });
  files.put();
  if (!options.out.empty()) std::cerr << "wrote the job with its measured passes to " << options.out << '\n';
  if (!options.page.empty()) std::cerr << "wrote " << page_words() << " under " << options.page << '\n';
}

int print_twin(const TwinOptions& options) {
  const TwinAnswer answer = twin(options.arguments);
  const std::string shown = options.json ? answer.json() : answer.text();
  write_twin(answer, options);
  std::cout << shown;
  return 0;
}

}  // namespace

void add_twin(CLI::App& app, int& status) {
  auto options = std::make_shared<TwinOptions>();
  TwinArguments& arguments = options->arguments;
  CLI::App* command = app.add_subcommand(
      "twin", "predict a job from measured passes of its stages, in place of the roofline and the host");
  command->add_option("JOB", arguments.job.file, "experiment or plan job")->required();
  command
      ->add_option(
          "MEASURED", arguments.measured,
          "traces of the job, Megatron's logs with timers, profiles of one process, and CSV files with the "
          "columns stage,direction,tokens,patches,milliseconds")
      ->required();
  command->add_option("--set", arguments.sets, "change a value of the job: /json/pointer=value")
      ->allow_extra_args(false);
  command->add_option("--step", arguments.choice.steps, "read this step of the traces (default: all)")
      ->allow_extra_args(false);
  command
      ->add_option("--rank", arguments.choice.ranks,
                   "read this pipeline rank of the traces, or the one that was measured (default: all)")
      ->allow_extra_args(false);
  command->add_option("--schedule", arguments.choice.schedule,
                      "schedule whose stages the traces have (default: the one that a trace names, else the "
                      "first with as many)");
  command->add_option("--draws", arguments.draws, "number of draws of an experiment");
  add_engines(*command, arguments.engines);
  command->add_flag("--json", options->json, "print one JSON document");
  command->add_option("--out", options->out,
                      "file for the job with its measured passes, which run, sweep, explain and plan take");
  command->add_option("--page", options->page,
                      "folder for report.html: the page of run or plan, with the measured passes");
  command->footer(
      "Example: spillway twin workloads/experiments/small-vlm.json "
      "passes.csv");
  command->callback([options, &status] { status = print_twin(*options); });
}

}  // namespace spillway
