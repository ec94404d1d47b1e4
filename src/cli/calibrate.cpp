#include <CLI/CLI.hpp>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <set>

#include "base/files.h"
#include "base/utf8.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "evaluate/case_fits.h"
#include "measured/calibrate/fit_framework.h"
#include "measured/calibrate/fit_measurements.h"
#include "measured/calibrate/framework_writer.h"
#include "measured/calibrate/measurements.h"
#include "measured/calibrate/platform_writer.h"
#include "measured/formats/read_trace.h"
#include "measured/samples/pass_sums.h"
#include "measured/samples/read_samples.h"
#include "report/inputs/calibration_table.h"
#include "report/inputs/overlap_table.h"
#include "report/inputs/validation_table.h"
#include "report/words/whole_file.h"
#include "spec/architecture/architecture_reader.h"
#include "spec/platform/framework_reader.h"
#include "spec/platform/platform_reader.h"

namespace spillway {
namespace {

// Without a platform the one file is a table of measured steps.
struct CalibrateArguments {
  std::vector<std::string> files;  // of measurements
  std::vector<std::string> engines;
  std::string platform;                     // to start from
  std::string framework;                    // likewise; empty: a platform is fitted
  std::string architecture;                 // of the profiled model
  std::string out;                          // where the fitted one is written; empty: nowhere
  std::string source;                       // of the measurements, for the platform file; empty: not said
  std::string operation;                    // of messages whose file does not say it; empty: not said
  std::uint32_t devices = 0, per_node = 0;  // likewise; 0: not said
  std::vector<std::string> against;         // measurements that the fitted one is held against
};

// Tables of measured steps are JSON, sweeps and folders are not. A file that cannot be opened is for the
// reader to refuse.
bool is_sweep(const std::string& path) {
  if (is_folder(path)) return true;
  std::ifstream file(path);
  char first = '{';
  file >> first;
  return first != '{';
}

int calibrate_cases(const CalibrateArguments& arguments) {
  if (!arguments.out.empty() || !arguments.against.empty() || !arguments.source.empty())
    refuse_argument("--platform", "the platform that --out, --source and --against are of", "none");
  if (arguments.files.size() != 1 || is_sweep(arguments.files.front()))
    refuse_argument("--platform", "the platform that the measurements were made on",
                    "none, and no table of measured steps: " + arguments.files.front());
  const CaseFile file(arguments.files.front());
  write_case_fits(std::cout, file.table(), fit_cases(file, engines_from(arguments.engines)));
  return 0;
}

// A file given twice would count twice, and every interval be narrower than what was measured allows.
void require_each_once(const std::vector<std::string>& files) {
  std::set<std::filesystem::path> seen;
  for (const std::string& file : files)
    if (!seen.insert(canonical_path(file)).second)
      refuse_argument("MEASUREMENTS", "each file once", file + " twice");
}

TimedGroup group_of(const CalibrateArguments& arguments) {
  TimedGroup group;
  if (!arguments.operation.empty()) group.operation = operation_named(arguments.operation);
  if (!arguments.operation.empty() && !group.operation)
    refuse_argument("--operation", "a collective, such as all-reduce", '"' + arguments.operation + '"');
  if (arguments.devices > 0) group.devices = arguments.devices;
  if (arguments.per_node > 0) group.neighbours = arguments.per_node;
  return group;
}

std::vector<Measurements> read_all(const std::vector<std::string>& files, const std::string& origin,
                                   const TimedGroup& group) {
  std::vector<Measurements> all;
  for (const std::string& file : files) all.push_back(read_measurements(file, origin, group));
  return all;
}

constexpr int kNothingFitted = 3;

bool is_nothing(const Fits& fits) {
  return fits.numbers.empty() && fits.sweeps.empty() && fits.tables.empty();
}

int calibrate_platform(const CalibrateArguments& arguments) {
  if (first_invalid_utf8(arguments.source)) refuse_argument("--source", "text in UTF-8", "other bytes");
  require_each_once(arguments.files);
  const Platform base = read_platform(arguments.platform);
  const std::vector<Measurements> measurements =
      read_all(arguments.files, arguments.source, group_of(arguments));
  const Fits fits = fit_measurements(base, measurements);
  if (!arguments.out.empty() && is_nothing(fits))
    refuse_argument("--out", "measurements that something can be fitted to",
                    "none (without --out the report says why)");
  const std::string target = arguments.out.empty() ? arguments.platform : arguments.out;
  const std::string document = calibrated_document(arguments.platform, fits, target);
  // What is written reads back, or nothing is written.
  const Platform fitted = read_platform_text(document, target);
  write_fits(std::cout, base, fits,
             errors_against(fitted, read_all(arguments.against, "", group_of(arguments))));
  for (const Measurements& one : measurements)
    if (one.overlap) write_overlap(std::cout, one.samples.source, *one.overlap);
  if (!arguments.out.empty()) write_whole_file(arguments.out, [&](std::ostream& out) { out << document; });
  return is_nothing(fits) && !measurements.empty() ? kNothingFitted : 0;
}

FrameworkFit framework_of(const CalibrateArguments& arguments) {
  const std::string& folder = arguments.files.front();
  const LayerStack stack = layer_stack(read_architecture(arguments.architecture, Role::Backbone, {}));
  const Trace trace = read_trace(folder);
  const double vocabulary = vocabulary_of(stack);
  const std::string source = arguments.source.empty() ? "a profiled run" : arguments.source;
  FrameworkFit fit = fit_framework(pass_sums(folder, trace, vocabulary), layer_traffic(stack), vocabulary,
                                   read_platform(arguments.platform).accelerator, source);
  fit_launches(trace, source, fit);
  return fit;
}

int calibrate_framework(const CalibrateArguments& arguments) {
  if (first_invalid_utf8(arguments.source)) refuse_argument("--source", "text in UTF-8", "other bytes");
  if (!arguments.against.empty()) refuse_argument("--framework", "no --against", "both");
  if (arguments.platform.empty())
    refuse_argument("--framework", "the platform that the run was made on (--platform)", "none");
  if (arguments.architecture.empty())
    refuse_argument("--framework", "the config.json of the profiled model (--architecture)", "none");
  if (arguments.files.size() != 1 || !is_folder(arguments.files.front()))
    refuse_argument("--framework", "one folder of the Ascend profiler", arguments.files.front());
  read_framework(arguments.framework, {}, Files());
  const FrameworkFit fit = framework_of(arguments);
  const std::string document = learned_document(arguments.framework, fit);
  write_framework_fit(std::cout, fit);
  if (!arguments.out.empty()) write_whole_file(arguments.out, [&](std::ostream& out) { out << document; });
  return 0;
}

// Without measurements to fit, a platform is scored as it is.
void require_something(const CalibrateArguments& arguments) {
  if (!arguments.files.empty()) return;
  if (arguments.platform.empty() || arguments.against.empty() || !arguments.framework.empty())
    refuse_argument("MEASUREMENTS", "a file, or --platform and --against alone", "none");
  if (!arguments.out.empty())
    refuse_argument("--out", "measurements that something can be fitted to", "none");
}

int calibrate_given(const CalibrateArguments& arguments) {
  require_something(arguments);
  if (!arguments.framework.empty()) return calibrate_framework(arguments);
  return arguments.platform.empty() ? calibrate_cases(arguments) : calibrate_platform(arguments);
}

}  // namespace

void add_calibrate(CLI::App& app, int& status) {
  auto arguments = std::make_shared<CalibrateArguments>();
  CLI::App* command = app.add_subcommand(
      "calibrate",
      "fit a platform to measurements; or the parameters of a table of measured steps to its fitted cases");
  command->add_option(
      "MEASUREMENTS", arguments->files,
      "messages timed by nccl-tests, hccl_test, vidur, aiconfigurator or in a CSV file; operators "
      "in a CSV file; a folder of the Ascend profiler; a trace of PyTorch's profiler. Without "
      "--platform a table of measured steps (spillway schema cases); none where --against scores a "
      "platform as it is");
  add_engines(*command, arguments->engines);
  command->add_option("--platform", arguments->platform,
                      "platform that was measured (spillway schema platform): what the measurements do not "
                      "determine stays as it is there");
  command->add_option(
      "--framework", arguments->framework,
      "framework file that takes what the run says of its software instead: kernels by "
      "operator and direction, what they move, launches; needs --platform and --architecture");
  command->add_option("--architecture", arguments->architecture, "config.json of the profiled model");
  command->add_option("--out", arguments->out, "file for the fitted platform or framework");
  command->add_option(
      "--source", arguments->source,
      "where the measurements are from, for the fitted platform: a repository and its commit");
  command
      ->add_option("--against", arguments->against,
                   "other measurements, whose errors are printed; may be repeated")
      ->allow_extra_args(false);
  command->add_option("--operation", arguments->operation,
                      "of messages whose file does not say it: all-reduce, all-gather, reduce-scatter, "
                      "all-to-all or send-recv");
  command->add_option("--devices", arguments->devices, "likewise: how many devices took part");
  command->add_option("--per-node", arguments->per_node, "likewise: how many of them lie in one node");
  command->footer(
      "Exit status 3 where nothing could be fitted.\n"
      "Example: spillway calibrate workloads/published/simumax-b200.json\n"
      "Example: spillway calibrate sweep.txt --platform platforms/hgx-h100.json --out mine.json");
  command->callback([arguments, &status] { status = calibrate_given(*arguments); });
}

}  // namespace spillway
