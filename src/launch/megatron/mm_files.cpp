// Test: tests/launch/mm_scripts_test.cpp.
#include "launch/megatron/mm_files.h"

#include <algorithm>
#include <array>
#include <utility>

#include "launch/document/named_file.h"
#include "launch/document/settings.h"
#include "launch/megatron/mm_settings.h"

namespace spillway {
namespace {

// Arguments that name files, and what begins the names of their settings.
constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kNamedFiles{
    {{"--mm-model", "mm."}, {"--mm-data", "mm-data."}, {"--fsdp2-config-path", "fsdp2."}}};

std::string_view prefix_of(const LaunchArgument& argument) {
  const auto named =
      std::ranges::find(kNamedFiles, argument.name, &std::pair<std::string_view, std::string_view>::first);
  return named == kNamedFiles.end() || argument.values.size() != 1 ? "" : named->second;
}

}  // namespace

std::vector<LaunchArgument> with_mm_files(std::vector<LaunchArgument> arguments, const std::string& script,
                                          const LaunchOptions& options, Findings& findings) {
  Findings not_needed(script);
  std::vector<LaunchArgument> all;
  for (const LaunchArgument& argument : arguments) {
    const std::string_view prefix = prefix_of(argument);
    if (prefix.empty()) continue;
    const auto file = named_file(argument.values.front().text, script, options, place_of(argument),
                                 options.architecture.empty() ? findings : not_needed);
    if (!file) continue;
    for (LaunchArgument& setting : read_yaml(file->text, file->name, findings))
      all.push_back(mm_setting(std::move(setting), prefix));
  }
  std::move(all.begin(), all.end(), std::back_inserter(arguments));
  add_fsdp_recomputation(arguments);
  return arguments;
}

}  // namespace spillway
