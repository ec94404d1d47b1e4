#include "api/calibrate.h"

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <variant>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "report/inputs/calibration.h"
#include "report/inputs/validation_table.h"

namespace spillway {
namespace {

constexpr int kNothingFitted = 3;

struct CalibrateOptions {
  CalibrateArguments arguments;
  bool json = false;
};

void print(const CalibratedCases& cases) {
  write_case_fits(std::cout, cases.table, cases.fits);
}

void print(const CalibratedPlatform& platform) {
  write_fits(std::cout, platform.base, platform.fits, platform.against);
  for (const Measurements& one : platform.measurements)
    if (one.overlap) write_overlap(std::cout, one.samples.source, *one.overlap);
}

void print(const CalibratedFramework& framework) {
  write_framework_fit(std::cout, framework.fit);
}

std::string json_of(const CalibratedCases& cases) {
  return case_fits_json(cases.table, cases.fits);
}
std::string json_of(const CalibratedPlatform& platform) {
  return fits_json(platform.base, platform.fits, platform.against, platform.document);
}
std::string json_of(const CalibratedFramework& framework) {
  return framework_fit_json(framework.fit, framework.document);
}

int calibrate_and_print(const CalibrateOptions& options) {
  const CalibrateAnswer answer = calibrate(options.arguments);
  std::visit(
      [&](const auto& any) {
        if (options.json)
          std::cout << json_of(any);
        else
          print(any);
      },
      answer);
  const auto* platform = std::get_if<CalibratedPlatform>(&answer);
  return platform && platform->is_nothing() && !platform->measurements.empty() ? kNothingFitted : 0;
}

}  // namespace

void add_calibrate(CLI::App& app, int& status) {
  auto options = std::make_shared<CalibrateOptions>();
  CalibrateArguments* arguments = &options->arguments;
  CLI::App* command = app.add_subcommand("calibrate",
                                         "fit a platform's parameters to measurements, or fit a table of "
                                         "measured steps to those of its cases that are marked as fitted");
  command->add_option(
      "MEASUREMENTS", arguments->files,
      "with --platform: message timings (nccl-tests, hccl_test, vidur, aiconfigurator or CSV), operator "
      "timings (CSV), a folder of the Ascend profiler, or a trace of PyTorch's profiler (a file, or a folder "
      "with one file per rank); without --platform: a table of measured steps (spillway schema cases); leave "
      "it out to score a platform unchanged with --against");
  add_engines(*command, arguments->engines);
  command->add_option("--platform", arguments->platform,
                      "the measured platform, a file or the name of a shipped one; parameters that the "
                      "measurements do not determine keep its values");
  command->add_option("--framework", arguments->framework,
                      "fit this framework file instead: kernels by operator and direction, the bytes they "
                      "move, launch times; needs --platform and --architecture");
  command->add_option("--architecture", arguments->architecture, "config.json of the profiled model");
  command->add_option("--out", arguments->out, "file for the fitted platform or framework");
  command->add_option(
      "--source", arguments->source,
      "where the measurements come from (a repository and its commit); written into the fitted platform");
  command
      ->add_option("--against", arguments->against,
                   "print the prediction errors for these other measurements; may be repeated")
      ->allow_extra_args(false);
  command->add_option("--operation", arguments->operation,
                      "the collective that was timed, if the file does not name it: all-reduce, all-gather, "
                      "reduce-scatter, all-to-all or send-recv");
  command->add_option("--devices", arguments->devices,
                      "the number of devices that took part, if the file does not say it");
  command->add_option("--per-node", arguments->per_node,
                      "the number of those devices in one node, if the file does not say it");
  command->add_flag("--json", options->json, "print one JSON document");
  command->footer(
      "Exits with status 3 if nothing could be fitted.\n"
      "Example: spillway calibrate workloads/published/simumax-b200.json\n"
      "Example: spillway calibrate sweep.txt --platform hgx-h100 --out mine.json");
  command->callback([options, &status] { status = calibrate_and_print(*options); });
}

}  // namespace spillway
