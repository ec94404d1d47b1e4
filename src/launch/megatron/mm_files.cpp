// Test: tests/launch/mm_scripts_test.cpp.
#include "launch/megatron/mm_files.h"

#include <algorithm>
#include <array>
#include <utility>

#include "launch/document/named_file.h"
#include "launch/document/settings.h"

namespace spillway {
namespace {

// text_decoder's keys that are arguments of Megatron-LM's, too.
constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kSameArguments{
    {{"text_decoder.pipeline_num_layers", "--num-layer-list"},
     {"text_decoder.recompute_granularity", "--recompute-granularity"},
     {"text_decoder.recompute_method", "--recompute-method"},
     {"text_decoder.recompute_num_layers", "--recompute-num-layers"}}};

// "12,16", as --num-layer-list has them.
void join_values(LaunchArgument& argument) {
  std::string text;
  for (const ScriptWord& value : argument.values) text += (text.empty() ? "" : ",") + value.text;
  argument.values = {{text, argument.line}};
}

LaunchArgument renamed(LaunchArgument setting, const std::string& prefix) {
  setting.as_written = setting.name;
  const auto same =
      std::ranges::find(kSameArguments, setting.name, &std::pair<std::string_view, std::string_view>::first);
  if (same == kSameArguments.end()) {
    setting.name = prefix + setting.name;
    return setting;
  }
  setting.name = same->second;
  if (setting.values.size() > 1) join_values(setting);
  return setting;
}

}  // namespace

std::vector<LaunchArgument> with_mm_files(std::vector<LaunchArgument> arguments, const std::string& script,
                                          const LaunchOptions& options, Findings& findings) {
  if (!options.architecture.empty()) return arguments;
  std::vector<LaunchArgument> all;
  for (const LaunchArgument& argument : arguments) {
    const bool model = argument.name == "--mm-model";
    if ((!model && argument.name != "--mm-data") || argument.values.size() != 1) continue;
    const auto file = named_file(argument.values.front().text, script, options, place_of(argument), findings);
    if (!file) continue;
    for (LaunchArgument& setting : read_yaml(file->text, file->name, findings))
      all.push_back(renamed(std::move(setting), model ? "mm." : "mm-data."));
  }
  std::move(all.begin(), all.end(), std::back_inserter(arguments));
  return arguments;
}

}  // namespace spillway
