#include "api/import_script.h"

#include <utility>

#include "api/experiment_input.h"
#include "json/node.h"
#include "json/place.h"
#include "words/whole_file.h"

namespace spillway {
namespace {

ScriptSettings variables_from(const std::vector<std::string>& sets) {
  ScriptSettings variables;
  for (const std::string& set : sets) {
    const std::size_t equals = set.find('=');
    if (equals == std::string::npos || equals == 0) refuse_argument("--set", "NAME=value", '"' + set + '"');
    variables.emplace_back(set.substr(0, equals), set.substr(equals + 1));
  }
  return variables;
}

}  // namespace

LaunchImport import_script(const ImportScriptArguments& arguments) {
  if (const auto& measured = arguments.measured_s;
      measured && !(*measured >= kSmallestNumber && *measured <= kLargestNumber))
    refuse_argument("--measured", "seconds above 0, from 1e-30 to 1e30", describe({*measured}));
  LaunchImport launch =
      import_launch(arguments.script, {arguments.platform, arguments.framework, arguments.architecture,
                                       arguments.devices, variables_from(arguments.sets), arguments.arguments,
                                       arguments.files, arguments.images, arguments.text_tokens,
                                       arguments.images_per_sample, arguments.measured_s, arguments.out});
  if (arguments.out.empty()) return launch;
  WholeFiles files;
  if (launch.architecture)
    files.add(launch.architecture_file, [&](std::ostream& out) { out << *launch.architecture; });
  files.add(arguments.out, [&](std::ostream& out) { out << launch.document; });
  files.put();
  return launch;
}

}  // namespace spillway
