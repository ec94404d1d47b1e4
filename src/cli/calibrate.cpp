#include "sweep/calibrate.h"

#include <fstream>
#include <iostream>

#include "cli/arguments.h"
#include "measured/fit_messages.h"
#include "measured/platform_writer.h"
#include "measured/read_samples.h"
#include "report/calibration_table.h"
#include "report/validation_table.h"
#include "report/whole_file.h"
#include "spec/platform_reader.h"

namespace spillway {
namespace {

// Tables of measured steps are JSON, sweeps are not. A file that cannot be opened is for the reader to
// refuse.
bool is_sweep(const std::string& path) {
  std::ifstream file(path);
  char first = '{';
  file >> first;
  return first != '{';
}

int calibrate_cases(const CalibrateArguments& arguments) {
  if (!arguments.out.empty() || !arguments.against.empty())
    refuse_argument("--platform", "the platform that --out and --against are of", "none");
  if (arguments.files.size() != 1 || is_sweep(arguments.files.front()))
    refuse_argument("--platform", "the platform that the measurements were made on", "none");
  const CaseFile file(arguments.files.front());
  write_calibration(std::cout, file.table(), calibrate(file, engines_from(arguments.engines)));
  return 0;
}

std::vector<Samples> samples_of(const std::vector<std::string>& files) {
  std::vector<Samples> all;
  for (const std::string& file : files) all.push_back(read_samples(file));
  return all;
}

// Everything that the measurements hold, fitted.
Fits fit_all(const Platform& base, const std::vector<Samples>& measurements) {
  return merged({fit_messages(base, measurements)});
}

std::vector<HeldBackError> errors_against(const Platform& platform, const std::vector<Samples>& others) {
  std::vector<HeldBackError> errors;
  for (const Samples& other : others)
    for (HeldBackError& error : message_errors(platform, other)) errors.push_back(std::move(error));
  return errors;
}

int calibrate_platform(const CalibrateArguments& arguments) {
  const Platform base = read_platform(arguments.platform);
  const Fits fits = fit_all(base, samples_of(arguments.files));
  const std::string target = arguments.out.empty() ? arguments.platform : arguments.out;
  const std::string document = calibrated_document(arguments.platform, fits, target);
  // What is written reads back, or nothing is written.
  const Platform fitted = read_platform_text(document, target);
  write_fits(std::cout, base, fits, errors_against(fitted, samples_of(arguments.against)));
  if (!arguments.out.empty()) write_whole_file(arguments.out, [&](std::ostream& out) { out << document; });
  return 0;
}

}  // namespace

int calibrate_command(const CalibrateArguments& arguments) {
  return arguments.platform.empty() ? calibrate_cases(arguments) : calibrate_platform(arguments);
}

}  // namespace spillway
