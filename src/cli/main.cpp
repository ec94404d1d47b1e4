// spillway COMMAND ...: arguments in, exit status out.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <exception>
#include <iostream>
#include <memory>
#include <new>
#include <sstream>
#include <string>

#include "base/error.h"
#include "base/memory.h"
#include "base/printable_stream.h"
#include "base/version.h"
#include "cli/commands.h"
#include "cli/sweep_options.h"
#include "report/words/table.h"
#include "report/words/wording.h"
#include "sweep/run/ranks.h"

namespace {

using namespace spillway;

constexpr int kFault = 1, kBadInput = 2, kInfeasible = 3;

// Help whose lines a terminal holds.
class HelpText final : public CLI::Formatter {
 public:
  std::string make_option_desc(const CLI::Option* option) const override {
    return in_lines(CLI::Formatter::make_option_desc(option));
  }
  std::string make_subcommand(const CLI::App* command) const override {
    std::ostringstream out;
    CLI::detail::format_help(out, command->get_name(), in_lines(command->get_description()), column_width_);
    return out.str();
  }

 private:
  std::string in_lines(const std::string& words) const {
    std::string text = wrapped("", words, kTableColumns - column_width_);
    text.pop_back();
    return text;
  }
};

void add_experiment(CLI::App& command, ExperimentArguments& arguments) {
  CLI::Option* experiment =
      command.add_option("EXPERIMENT", arguments.file, "experiment file (spillway schema experiment)");
  command.add_option("--workload", arguments.workload,
                     "a measured trace: its job as an experiment, with EXPERIMENT, if any, laid over it; "
                     "durations are drawn from the measured ones");
  command.parse_complete_callback([&arguments, experiment] {
    if (arguments.file.empty() && arguments.workload.empty())
      throw CLI::RequiredError(experiment->get_name());
  });
  command
      .add_option("--set", arguments.sets,
                  "change the experiment first: /json/pointer=value; may be repeated")
      ->allow_extra_args(false);
  command.add_option(
      "--order", arguments.order,
      "one more schedule, named after its file: the whole model in the order of this CSV file, "
      "one row of PyTorch's actions (2F0, 2B0, 2I0, 2W0) per rank");
}

void add_run(CLI::App& app, int& status) {
  auto arguments = std::make_shared<RunArguments>();
  CLI::App* command =
      app.add_subcommand("run", "price and run every schedule of an experiment, and compare them");
  add_experiment(*command, arguments->experiment);
  command
      ->add_option("--engine", arguments->engines,
                   "longest-path,max-plus,simgrid (default: longest-path,simgrid)")
      ->delimiter(',')
      ->allow_extra_args(false);
  command->add_option("--draws", arguments->draws,
                      "how many times to draw the images, or the measured steps");
  command->add_option("--seed", arguments->seed, "seed of the draws")->check(CLI::NonNegativeNumber);
  command->add_flag("--json", arguments->json, "print the report as one JSON document");
  command->add_option("--out", arguments->out,
                      "folder for report.json, a Perfetto trace of each schedule, and, with --workload, the "
                      "experiment made from the trace");
  command->add_flag("--quiet", arguments->quiet, "no line of progress on the terminal");
  command->footer(
      "Example: spillway run workloads/experiments/small.json --set /pipeline/microbatches=8\n"
      "Example: spillway run --workload workloads/published/traces/straggler-ar.csv --set "
      "/pipeline/microbatches=64");
  command->callback([arguments, &status] { status = run(*arguments); });
}

void add_derive(CLI::App& app, int& status) {
  auto arguments = std::make_shared<DeriveArguments>();
  CLI::App* command = app.add_subcommand("derive", "print placement, collectives and order of a schedule");
  add_experiment(*command, arguments->experiment);
  command->add_option("--schedule", arguments->schedule,
                      "name of the schedule (default: that of --order, else the first)");
  command->add_option(
      "--format", arguments->format,
      "text, json, dot, graphml or csv (the pipelined regions as PyTorch's action lists; "
      "what a transposed region computes has no such form and is left out; [layers=5] says how many layers a "
      "stage holds)");
  command->footer("Example: spillway derive workloads/experiments/small.json --schedule mpipe --format dot");
  command->callback([arguments, &status] { status = derive_command(*arguments); });
}

void add_explain(CLI::App& app, int& status) {
  auto arguments = std::make_shared<ExplainArguments>();
  CLI::App* command =
      app.add_subcommand("explain", "where the step goes: critical path, bubble by cause, spill");
  add_experiment(*command, arguments->experiment);
  command->add_option("--schedule", arguments->schedule, "name of the schedule (default: all)");
  command->footer("Example: spillway explain workloads/experiments/experiment-a.json --schedule mpipe");
  command->callback([arguments, &status] { status = explain(*arguments); });
}

void add_images(CLI::App& app, int& status) {
  auto arguments = std::make_shared<ImagesArguments>();
  CLI::App* command = app.add_subcommand("images", "what an image-size trace means for the encoder");
  command->add_option("TRACE", arguments->trace, "CSV: width,height,count or value,prob")->required();
  command->add_option("--rule", arguments->rule, "resize rule (qwen2-vl)");
  command->add_flag("--json", arguments->json, "print one JSON document");
  command->footer("Example: spillway images workloads/traces/coco_val2017.csv");
  command->callback([arguments, &status] { status = images(*arguments); });
}

void add_engines(CLI::App& command, std::vector<std::string>& engines) {
  command.add_option("--engine", engines, "longest-path,max-plus,simgrid (default: longest-path,simgrid)")
      ->delimiter(',')
      ->allow_extra_args(false);
}

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
  command->add_option("--experiment", arguments->experiment,
                      "of a trace: the experiment whose cost model is held against it");
  command->add_option("--platform", arguments->platform,
                      "of a trace: platform file that replaces the experiment's");
  command->add_flag("--json", arguments->json, "print one JSON document");
  command->footer(
      "Example: spillway validate workloads/published/simumax-b200.json\n"
      "Example: spillway validate workloads/published/traces/straggler-ar.csv");
  command->callback([arguments, &status] { status = validate(*arguments); });
}

void add_calibrate(CLI::App& app, int& status) {
  auto arguments = std::make_shared<CalibrateArguments>();
  CLI::App* command = app.add_subcommand(
      "calibrate",
      "fit a platform to measurements; or the parameters of a table of measured steps to its fitted cases");
  command
      ->add_option(
          "MEASUREMENTS", arguments->files,
          "messages timed by nccl-tests, hccl_test, vidur, aiconfigurator or in a CSV file; operators "
          "in a CSV file; a folder of the Ascend profiler; a trace of PyTorch's profiler. Without "
          "--platform a table of measured steps (spillway schema cases)")
      ->required();
  add_engines(*command, arguments->engines);
  command->add_option("--platform", arguments->platform,
                      "platform that was measured (spillway schema platform): what the measurements do not "
                      "determine stays as it is there");
  command->add_option("--out", arguments->out, "file for the fitted platform");
  command->add_option(
      "--source", arguments->source,
      "where the measurements are from, for the fitted platform: a repository and its commit");
  command
      ->add_option("--against", arguments->against,
                   "other measurements, whose errors are printed; may be repeated")
      ->allow_extra_args(false);
  command->footer(
      "Example: spillway calibrate workloads/published/simumax-b200.json\n"
      "Example: spillway calibrate sweep.txt --platform platforms/hgx-h100.json --out mine.json");
  command->callback([arguments, &status] { status = calibrate_command(*arguments); });
}

void add_import(CLI::App& app, int& status) {
  auto arguments = std::make_shared<ImportArguments>();
  CLI::App* command = app.add_subcommand("import", "what is in a measured trace, and a compact copy of it");
  command->add_option("TRACE", arguments->trace, "file or folder of a measured run, packed or not")
      ->required();
  command->add_option("--step", arguments->steps, "keep this step alone; may be repeated")
      ->allow_extra_args(false);
  command->add_option("--out", arguments->out, "file for the passes, transfers and collectives as CSV");
  command->add_flag("--json", arguments->json, "print one JSON document");
  command->footer(
      "Example: spillway import workloads/published/traces/straggler-st.csv --step 23 --out st-23.csv");
  command->callback([arguments, &status] { status = import_command(*arguments); });
}

void add_schema(CLI::App& app, int& status) {
  auto kind = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("schema", "print the JSON Schema of a file format");
  command
      ->add_option("KIND", *kind,
                   "cases, experiment, platform, report, sweep, validation or validation-cases")
      ->required();
  command->footer("Example: spillway schema experiment");
  command->callback([kind, &status] { status = schema(*kind); });
}

// Parsing runs the command; asking for help is no error.
void parse_or_help(CLI::App& app, int argc, char** argv) {
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& help) {
    app.exit(help);
  } catch (const CLI::RequiredError&) {
    if (app.remaining().empty()) throw;
    throw CLI::ExtrasError("spillway", {app.remaining().front()});
  }
}

// A document that did not arrive is no success.
void check_written(std::ostream& out) {
  out.flush();
  if (!out)
    throw InputError({{"standard output", "/", "a place that can be written", "an error on writing"}});
}

// Another rank's end would end the whole job, rank 0's words unsaid: a rank that says nothing leaves its
// status to rank 0, which finds the same.
int refuse_usage(CLI::App& app, const CLI::ParseError& usage) {
  if (!is_launched_first()) return 0;
  app.exit(usage, std::cerr, std::cerr);
  return kBadInput;
}

int execute(int argc, char** argv) {
  CLI::App app("Spillway: what a pipeline schedule does on a cluster, before you rent it", "spillway");
  app.formatter(std::make_shared<HelpText>());
  app.require_subcommand(1);
  app.set_version_flag("--version", program_version());
  int status = 0;
  add_run(app, status);
  add_derive(app, status);
  add_explain(app, status);
  add_images(app, status);
  add_validate(app, status);
  add_calibrate(app, status);
  add_import(app, status);
  add_sweep(app, status);
  add_schema(app, status);
  try {
    parse_or_help(app, argc, argv);
    check_written(std::cout);
    return status;
  } catch (const CLI::ParseError& usage) {
    return refuse_usage(app, usage);
  } catch (const InputError& bad) {
    std::cerr << bad.what() << '\n';
    return kBadInput;
  } catch (const Infeasible& none) {
    std::cerr << none.what() << '\n';
    return kInfeasible;
  } catch (const std::bad_alloc&) {
    std::cerr << "spillway: no memory is left for what was asked, of "
              << memory_text(double(machine_memory()))
              << ": fewer ranks, microbatches or replicas, or a machine with more\n";
    return kInfeasible;
  } catch (const std::exception& fault) {
    std::cerr << "spillway: a fault of the program: " << fault.what() << '\n';
    return kFault;
  }
}

}  // namespace

int main(int argc, char** argv) {
  const bool shows_colours = ::isatty(STDOUT_FILENO) != 0;
  const PrintableStream out(std::cout, shows_colours ? OwnMarks::Colours : OwnMarks::None);
  const PrintableStream errors(std::cerr, OwnMarks::Returns);
  return execute(argc, argv);
}
