// Test: tests/launch/import_launch_test.cpp.
#include "launch/source.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

#include "base/text.h"
#include "launch/bridge/settings.h"
#include "launch/command/devices.h"
#include "launch/document/settings.h"
#include "launch/megatron/mm_files.h"
#include "launch/megatron/mm_settings.h"
#include "launch/nemo/settings.h"
#include "launch/titan/settings.h"
#include "launch/trainer/settings.h"

namespace spillway {
namespace {

// The arguments that tell a command that trains with Megatron from others.
constexpr std::array<std::string_view, 8> kMegatronArguments{
    "--num-layers",          "--hidden-size",       "--micro-batch-size", "--tensor-model-parallel-size",
    "--num-attention-heads", "--global-batch-size", "--seq-length",       "--pipeline-model-parallel-size"};

bool trains_with_megatron(const LaunchCommand& command) {
  return std::ranges::any_of(command.arguments, [](const LaunchArgument& argument) {
    return std::ranges::find(kMegatronArguments, argument.name) != kMegatronArguments.end();
  });
}

std::optional<LaunchKind> kind_of(const LaunchCommand& command) {
  if (is_titan(command)) return LaunchKind::Titan;
  if (is_bridge(command)) return LaunchKind::Bridge;
  if (is_mm(command)) return LaunchKind::Megatron;
  if (is_trainer(command)) return LaunchKind::Trainer;
  if (trains_with_megatron(command)) return LaunchKind::Megatron;
  return std::nullopt;
}

std::optional<LaunchCommand> training_command(const ScriptReading& script, Findings& findings) {
  std::vector<LaunchCommand> commands;
  for (const ScriptCommand& each : script.commands)
    if (auto command = launch_command(each, script.unknowns); command && kind_of(*command))
      commands.push_back(std::move(*command));
  if (std::ranges::any_of(commands, &LaunchCommand::certain))
    std::erase_if(commands, [](const LaunchCommand& command) { return !command.certain; });
  if (commands.size() == 1) return commands.front();
  std::string found = "none";
  if (commands.size() > 1) found = std::to_string(commands.size());
  for (std::size_t i = 0; i < std::min<std::size_t>(commands.size(), 8); ++i)
    found += (i == 0 ? ", in line " : ", ") + std::to_string(commands[i].line);
  findings.add("/",
               "one command that starts a training with arguments of Megatron (--num-layers, "
               "--micro-batch-size), torchtitan (--job.config_file), Megatron-Bridge (--recipe) or the "
               "Hugging Face Trainer (--per_device_train_batch_size, or its YAML)",
               found);
  return std::nullopt;
}

MegatronFlavour flavour_of(const LaunchCommand& command, const std::string& text) {
  if (command.program.starts_with("megatron ") || command.program.starts_with("swift "))
    return MegatronFlavour::Swift;
  constexpr std::array<std::string_view, 4> kAscend{"mindspeed", "npus_per_node", "ascend", "hccl_"};
  const std::string lowered = lower(text);
  const bool ascend = std::ranges::any_of(
      kAscend, [&](std::string_view word) { return lowered.find(word) != std::string::npos; });
  return ascend ? MegatronFlavour::MindSpeed : MegatronFlavour::Megatron;
}

void append(std::vector<LaunchArgument>& arguments, std::vector<LaunchArgument> more) {
  for (LaunchArgument& argument : more) arguments.push_back(std::move(argument));
}

// "--vocab-size 32000" as words of a command.
std::vector<ScriptWord> words_of(const std::vector<std::string>& texts) {
  std::vector<ScriptWord> words;
  for (const std::string& text : texts)
    for (const std::string_view word : split(text, ' '))
      if (!word.empty()) words.push_back({std::string(word), 0});
  return words;
}

// ms-swift takes the bounds of images from its environment.
std::vector<LaunchArgument> bounds_of_images(const LaunchCommand& command) {
  std::vector<LaunchArgument> bounds;
  for (const auto& [variable, name] :
       {std::pair("MAX_PIXELS", "--max-pixels"), std::pair("MIN_PIXELS", "--min-pixels")})
    if (const auto found = command.environment.find(variable); found != command.environment.end())
      bounds.push_back({name, {found->second}, found->second.line});
  return bounds;
}

// A recipe's name says how many devices it has, unless the launcher states them with its nodes.
LaunchSource of_recipe(const LaunchCommand& command, const LaunchOptions& options, LaunchSource source,
                       Findings& findings) {
  std::vector<LaunchArgument> arguments = command.arguments;
  append(arguments, arguments_of(words_of(options.arguments), source.script.unknowns));
  BridgeSettings recipe = bridge_settings(arguments, source.script.unknowns, findings);
  source.flavour = MegatronFlavour::Bridge;
  source.arguments = std::move(recipe.arguments);
  source.model = recipe.model;
  source.assumptions = std::move(recipe.assumptions);
  const bool stated =
      std::ranges::find(command.launcher, "--nnodes", &LaunchArgument::name) != command.launcher.end();
  source.devices = options.devices ? options.devices
                   : stated        ? devices_of(command, source.script, options, findings)
                                   : recipe.devices;
  return source;
}

LaunchSource of_script(const std::string& path, const std::string& text, const LaunchOptions& options,
                       Findings& findings) {
  LaunchSource source;
  source.script = read_script(text, options.variables, findings);
  const auto command = training_command(source.script, findings);
  if (!command) return source;
  source.kind = *kind_of(*command);
  source.flavour = flavour_of(*command, text);
  source.program = command->program;
  source.line = command->line;
  switch (source.kind) {
    case LaunchKind::Megatron:
      if (is_mm(*command)) source.flavour = MegatronFlavour::MindSpeed;
      source.arguments =
          is_mm(*command) ? mm_arguments(*command, path, options, findings) : command->arguments;
      if (source.flavour == MegatronFlavour::Swift) append(source.arguments, bounds_of_images(*command));
      append(source.arguments, arguments_of(words_of(options.arguments), source.script.unknowns));
      source.arguments = with_mm_files(std::move(source.arguments), path, options, findings);
      break;
    case LaunchKind::Titan:
      source.arguments = titan_settings(*command, path, options, findings);
      append(source.arguments, settings_given(options.arguments));
      break;
    case LaunchKind::Trainer:
      source.arguments = trainer_settings(*command, path, options, findings);
      append(source.arguments, settings_given(options.arguments));
      break;
    case LaunchKind::Nemo:  // of a configuration alone
      break;
    case LaunchKind::Bridge:
      return of_recipe(*command, options, std::move(source), findings);
  }
  const auto processes =
      source.kind == LaunchKind::Trainer ? trainer_devices(source.arguments) : std::nullopt;
  source.devices =
      processes && !options.devices ? processes : devices_of(*command, source.script, options, findings);
  return source;
}

// A configuration alone has no launcher: --devices says how many devices there are, unless it does itself.
LaunchSource of_configuration(const std::string& path, const std::string& text, const LaunchOptions& options,
                              Findings& findings) {
  LaunchSource source;
  source.program = std::filesystem::path(path).filename().string();
  std::vector<LaunchArgument> settings =
      is_toml(path) ? read_toml(text, "", findings) : read_yaml(text, "", findings);
  source.kind = is_toml(path)                   ? LaunchKind::Titan
                : is_nemo(settings)             ? LaunchKind::Nemo
                : is_mm_configuration(settings) ? LaunchKind::Megatron
                                                : LaunchKind::Trainer;
  if (source.kind == LaunchKind::Trainer) settings = with_files(std::move(settings), path, options, findings);
  if (source.kind == LaunchKind::Titan && !is_titan_configuration(settings))
    findings.add("/", "a configuration of torchtitan ([model], [training], [parallelism])",
                 "none of its sections");
  append(settings, settings_given(options.arguments));
  if (source.kind == LaunchKind::Megatron) {
    source.flavour = MegatronFlavour::MindSpeed;
    settings = with_mm_files(mm_as_megatron(std::move(settings)), path, options, findings);
  }
  source.devices = options.devices;
  if (source.kind == LaunchKind::Nemo) {
    source.flavour = MegatronFlavour::Nemo;
    if (!source.devices) source.devices = nemo_devices(settings);
    settings = nemo_as_megatron(std::move(settings));
  }
  source.arguments = std::move(settings);
  if (!source.devices) findings.add("--devices", "--devices N, the devices of the whole job", "none");
  for (const auto& [name, value] : options.variables)
    findings.add("--set " + name, "--argument \"NAME VALUE\", since a configuration has no variables", value);
  return source;
}

}  // namespace

bool is_toml(const std::string& path) {
  return path.ends_with(".toml");
}
bool is_yaml(const std::string& path) {
  return path.ends_with(".yaml") || path.ends_with(".yml");
}

LaunchSource read_source(const std::string& path, const std::string& text, const LaunchOptions& options,
                         Findings& findings) {
  if (is_toml(path) || is_yaml(path)) return of_configuration(path, text, options, findings);
  return of_script(path, text, options, findings);
}

}  // namespace spillway
