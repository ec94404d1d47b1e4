#include "api/calibrate.h"

#include <filesystem>
#include <fstream>
#include <set>
#include <utility>

#include "api/experiment_input.h"
#include "base/files.h"
#include "base/utf8.h"
#include "calibrate/fit_measurements.h"
#include "calibrate/fitted_document.h"
#include "calibrate/placement.h"
#include "input/architecture/architecture_reader.h"
#include "input/platform/framework_reader.h"
#include "input/platform/platform_reader.h"
#include "json/shipped_files.h"
#include "traces/formats/read_trace.h"
#include "traces/samples/pass_sums.h"
#include "traces/samples/read_samples.h"
#include "words/whole_file.h"

namespace spillway {
namespace {

// Tables of measured steps are JSON; sweeps and folders are not. The reader refuses a file that cannot be
// opened.
bool is_sweep(const std::string& path) {
  if (is_folder(path)) return true;
  std::ifstream file(path);
  char first = '{';
  file >> first;
  return first != '{';
}

CalibrateAnswer calibrate_cases(const CalibrateArguments& arguments) {
  if (!arguments.out.empty() || !arguments.against.empty() || !arguments.source.empty())
    refuse_argument("--platform", "the platform, which --out, --source and --against need", "none");
  if (arguments.files.size() != 1 || is_sweep(arguments.files.front()))
    refuse_argument("--platform", "the platform that the measurements were made on",
                    "none, and no table of measured steps: " + arguments.files.front());
  const CaseFile file(arguments.files.front());
  return CalibratedCases{file.table(), fit_cases(file, engines_from(arguments.engines))};
}

// A file given twice would count twice, and every interval would be too narrow.
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
                                   const TimedGroup& group, const Platform& platform) {
  std::vector<Measurements> all;
  for (const std::string& file : files) all.push_back(read_measurements(file, origin, group));
  require_placement(platform, all);
  return all;
}

CalibrateAnswer calibrate_platform(const CalibrateArguments& arguments) {
  if (first_invalid_utf8(arguments.source)) refuse_argument("--source", "text in UTF-8", "other bytes");
  require_each_once(arguments.files);
  CalibratedPlatform answer{read_platform(arguments.platform), {}, {}, {}, {}};
  answer.measurements = read_all(arguments.files, arguments.source, group_of(arguments), answer.base);
  answer.fits = fit_measurements(answer.base, answer.measurements);
  if (!arguments.out.empty() && answer.is_nothing())
    refuse_argument("--out", "measurements to which something can be fitted",
                    "none (without --out the report says why)");
  const std::string target = arguments.out.empty() ? arguments.platform : arguments.out;
  answer.document = calibrated_document(arguments.platform, answer.fits, target);
  // The document must read back before anything is written.
  const Platform fitted = read_platform_text(answer.document, target);
  answer.against = errors_against(fitted, read_all(arguments.against, "", group_of(arguments), fitted));
  if (!arguments.out.empty())
    write_whole_file(arguments.out, [&](std::ostream& out) { out << answer.document; });
  return answer;
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

CalibrateAnswer calibrate_framework(const CalibrateArguments& arguments) {
  if (first_invalid_utf8(arguments.source)) refuse_argument("--source", "text in UTF-8", "other bytes");
  if (!arguments.against.empty()) refuse_argument("--framework", "no --against", "both");
  if (arguments.platform.empty())
    refuse_argument("--framework", "the platform that the run was made on (--platform)", "none");
  if (arguments.architecture.empty())
    refuse_argument("--framework", "the config.json of the profiled model (--architecture)", "none");
  if (arguments.files.size() != 1 || !is_folder(arguments.files.front()))
    refuse_argument("--framework", "one folder of the Ascend profiler", arguments.files.front());
  read_framework(arguments.framework, {}, Files());
  FrameworkFit fit = framework_of(arguments);
  std::string document = learned_document(arguments.framework, fit);
  if (!arguments.out.empty()) write_whole_file(arguments.out, [&](std::ostream& out) { out << document; });
  return CalibratedFramework{std::move(fit), std::move(document)};
}

// Documents that come with the program are found by name. Measurements that go into a platform are files.
CalibrateArguments with_shipped_files(CalibrateArguments arguments) {
  arguments.platform = shipped_or(arguments.platform, "platform");
  arguments.framework = shipped_or(arguments.framework, "framework");
  arguments.architecture = shipped_or(arguments.architecture, "architecture");
  if (arguments.platform.empty())
    for (std::string& file : arguments.files) file = shipped_or(file, "cases");
  return arguments;
}

// Without measurements to fit, a platform is scored unchanged.
void require_something(const CalibrateArguments& arguments) {
  if (!arguments.files.empty()) return;
  if (arguments.platform.empty() || arguments.against.empty() || !arguments.framework.empty())
    refuse_argument("MEASUREMENTS", "a file, or --platform and --against alone", "none");
  if (!arguments.out.empty())
    refuse_argument("--out", "measurements to which something can be fitted", "none");
}

}  // namespace

CalibrateAnswer calibrate(const CalibrateArguments& stated) {
  const CalibrateArguments arguments = with_shipped_files(stated);
  require_something(arguments);
  if (!arguments.framework.empty()) return calibrate_framework(arguments);
  return arguments.platform.empty() ? calibrate_cases(arguments) : calibrate_platform(arguments);
}

}  // namespace spillway
