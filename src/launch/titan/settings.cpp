// Test: tests/launch/titan_scripts_test.cpp.
#include "launch/titan/settings.h"

#include <algorithm>
#include <array>

#include "launch/document/named_file.h"
#include "launch/document/settings.h"

namespace spillway {
namespace {

constexpr std::string_view kFile = "--job.config-file";

}  // namespace

bool is_titan(const LaunchCommand& command) {
  return std::ranges::any_of(command.arguments,
                             [](const LaunchArgument& argument) { return argument.name == kFile; });
}

bool is_titan_configuration(const std::vector<LaunchArgument>& settings) {
  constexpr std::array<std::string_view, 4> kSections{"model.", "training.", "parallelism.", "job."};
  return std::ranges::any_of(settings, [&](const LaunchArgument& setting) {
    return std::ranges::any_of(kSections,
                               [&](std::string_view name) { return setting.name.starts_with(name); });
  });
}

std::vector<LaunchArgument> titan_settings(const LaunchCommand& command, const std::string& script,
                                           const LaunchOptions& options, Findings& findings) {
  std::vector<LaunchArgument> settings;
  for (const LaunchArgument& argument : command.arguments) {
    if (argument.name != kFile || argument.values.size() != 1) continue;
    if (const auto file =
            named_file(argument.values.front().text, script, options, place_of(argument), findings))
      settings = read_toml(file->text, file->name, findings);
  }
  for (LaunchArgument& argument : as_settings(command.arguments)) settings.push_back(std::move(argument));
  return settings;
}

}  // namespace spillway
