// Test: tests/launch/trainer_scripts_test.cpp.
#include "launch/trainer/settings.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "launch/document/named_file.h"
#include "launch/document/settings.h"
#include "launch/shell/marks.h"

namespace spillway {
namespace {

using Settings = std::vector<LaunchArgument>;

bool is_configuration(const LaunchArgument& argument) {
  if (!argument.name.empty() && argument.name != "--config") return false;
  if (argument.values.empty()) return false;
  const std::string& text = argument.values.front().text;
  return text.ends_with(".yaml") || text.ends_with(".yml");
}

void append_settings(Settings& settings, Settings more, const std::string& prefix = "") {
  for (LaunchArgument& each : more) {
    each.name = prefix + each.name;
    settings.push_back(std::move(each));
  }
}

// ms-swift's "--deepspeed zero3" names a file of its own (swift/config, modelscope/ms-swift @3602360a56).
std::optional<Settings> named_by_swift(const LaunchArgument& argument) {
  const std::string& name = argument.values.front().text;
  constexpr std::array<std::string_view, 6> kNames{"zero0", "zero1",         "zero2",
                                                   "zero3", "zero2_offload", "zero3_offload"};
  if (std::ranges::find(kNames, name) == kNames.end()) return std::nullopt;
  const auto one = [&](const std::string& key, const std::string& value) {
    return LaunchArgument{"zero_optimization." + key, {{value, argument.line}}, argument.line, argument.file};
  };
  Settings settings{one("stage", name.substr(4, 1))};
  settings.push_back(one("overlap_comm", "false"));
  if (name.ends_with("offload")) settings.push_back(one("offload_optimizer.device", "cpu"));
  if (name == "zero3_offload") settings.push_back(one("offload_param.device", "cpu"));
  return settings;
}

// `accelerate launch --zero_stage 3` has names of its own for what its file has.
Settings of_accelerate(const std::vector<LaunchArgument>& launcher) {
  constexpr std::array<std::string_view, 5> kDeepSpeed{"zero_stage", "offload_optimizer_device",
                                                       "offload_param_device", "deepspeed_config_file",
                                                       "gradient_accumulation_steps"};
  Settings settings;
  for (const LaunchArgument& each : as_settings(launcher)) {
    if (each.name.empty() || each.name == "config_file") continue;
    const bool deepspeed = std::ranges::find(kDeepSpeed, each.name) != kDeepSpeed.end();
    const bool sharded = each.name.starts_with("fsdp_");
    settings.push_back(each);
    settings.back().name = (deepspeed ? "deepspeed_config." : sharded ? "fsdp_config." : "") + each.name;
  }
  return settings;
}

bool starts_with_accelerate(const LaunchCommand& command) {
  return !command.launcher.empty() && command.launcher.front().name.empty() &&
         std::ranges::any_of(command.launcher.front().values, [](const ScriptWord& word) {
           return word.text == "accelerate" || word.text.starts_with("accelerate.") ||
                  word.text.ends_with("/accelerate");
         });
}

Settings accelerate_settings(const LaunchCommand& command, const std::string& script,
                             const LaunchOptions& options, Findings& findings) {
  Settings settings;
  if (!starts_with_accelerate(command)) return settings;
  for (const LaunchArgument& each : command.launcher) {
    if (each.name != "--config-file" || each.values.size() != 1) continue;
    if (const auto file = named_file(each.values.front().text, script, options, place_of(each), findings))
      append_settings(settings, read_yaml(file->text, file->name, findings), "accelerate.");
  }
  append_settings(settings, of_accelerate(command.launcher), "accelerate.");
  return settings;
}

}  // namespace

bool is_trainer(const LaunchCommand& command) {
  if (command.program == "swift sft" || command.program == "swift pt") return true;
  return std::ranges::any_of(command.arguments, [](const LaunchArgument& argument) {
    return argument.name == "--per-device-train-batch-size" || is_configuration(argument);
  });
}

Settings trainer_settings(const LaunchCommand& command, const std::string& script,
                          const LaunchOptions& options, Findings& findings) {
  Settings settings = accelerate_settings(command, script, options, findings);
  for (const LaunchArgument& argument : command.arguments) {
    if (!is_configuration(argument)) continue;
    const std::string& path = argument.values.front().text;
    if (const auto file = named_file(path, script, options, place_of(argument), findings))
      append_settings(settings, read_yaml(file->text, file->name, findings));
  }
  Settings own = as_settings(command.arguments);
  std::erase_if(
      own, [](const LaunchArgument& argument) { return argument.name.empty() || argument.name == "config"; });
  // ms-swift takes the bounds of images from its environment.
  for (const auto& [variable, name] :
       {std::pair("MAX_PIXELS", "max_pixels"), std::pair("MIN_PIXELS", "min_pixels")})
    if (const auto found = command.environment.find(variable); found != command.environment.end())
      settings.push_back({name, {found->second}, found->second.line});
  append_settings(settings, std::move(own));
  return with_files(std::move(settings), script, options, findings);
}

Settings with_files(Settings settings, const std::string& script, const LaunchOptions& options,
                    Findings& findings) {
  Settings all;
  for (const LaunchArgument& each : settings) {
    if ((each.name != "deepspeed" && each.name != "accelerate.deepspeed_config.deepspeed_config_file") ||
        each.values.size() != 1 || each.values.front().text.empty())
      continue;
    if (auto named = named_by_swift(each)) {
      append_settings(all, std::move(*named), "deepspeed.");
      continue;
    }
    const std::string& path = each.values.front().text;
    if (const auto file = named_file(path, script, options, place_of(each), findings))
      append_settings(all, read_yaml(file->text, file->name, findings), "deepspeed.");
  }
  append_settings(all, std::move(settings));
  return all;
}

std::optional<std::uint32_t> trainer_devices(const Settings& settings) {
  std::optional<std::uint32_t> devices;
  for (const LaunchArgument& each : settings) {
    if (each.name != "accelerate.num_processes" || each.values.size() != 1) continue;
    const std::string& text = each.values.front().text;
    std::uint32_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error == std::errc() && end == text.data() + text.size() && number > 0 && number <= 1U << 20)
      devices = number;
  }
  return devices;
}

}  // namespace spillway
