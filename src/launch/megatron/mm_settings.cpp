// Keys as Ascend/MindSpeed-MM @57069cd55a, examples/qwen3vl, qwen3_5, internvl3.5 and
// docs/zh/features/fsdp2.md. Test: tests/launch/mm_fsdp_test.cpp.
#include "launch/megatron/mm_settings.h"

#include <algorithm>
#include <array>
#include <utility>

#include "launch/document/named_file.h"
#include "launch/document/settings.h"

namespace spillway {
namespace {

using Renamed = std::pair<std::string_view, std::string_view>;

// text_decoder's keys that are arguments of Megatron-LM's, too.
constexpr std::array kDecoderArguments = std::to_array<Renamed>({
    {"text_decoder.pipeline_num_layers", "--num-layer-list"},
    {"text_decoder.recompute_granularity", "--recompute-granularity"},
    {"text_decoder.recompute_method", "--recompute-method"},
    {"text_decoder.recompute_num_layers", "--recompute-num-layers"},
});

// Settings of the FSDP2 trainer.
constexpr std::array kTrainerArguments = std::to_array<Renamed>({
    {"parallel.tensor_parallel_size", "--tensor-model-parallel-size"},
    {"parallel.ulysses_parallel_size", "--context-parallel-size"},
    {"parallel.expert_parallel_size", "--expert-model-parallel-size"},
    {"parallel.fully_shard_parallel_size", "fsdp2.sharding_size"},
    {"parallel.fsdp_plan.param_dtype", "fsdp2.param_dtype"},
    {"parallel.fsdp_plan.reduce_dtype", "fsdp2.reduce_dtype"},
    {"parallel.fsdp_plan.reshard_after_forward", "fsdp2.reshard_after_forward"},
    {"parallel.fsdp_plan.apply_modules", "fsdp2.sub_modules_to_wrap"},
    {"parallel.fsdp_plan.num_to_forward_prefetch", "fsdp2.num_to_forward_prefetch"},
    {"parallel.fsdp_plan.num_to_backward_prefetch", "fsdp2.num_to_backward_prefetch"},
    {"training.micro_batch_size", "--micro-batch-size"},
    {"training.gradient_accumulation_steps", "--gradient-accumulation-steps"},
    {"data.dataset_param.basic_parameters.cutoff_len", "--seq-length"},
    {"features.recompute_plan.apply_modules", "fsdp2.recompute_modules"},
});

constexpr std::string_view kRecomputed = "fsdp2.recompute_modules", kModelId = "mm.model_id";

// "12,16", as --num-layer-list has them.
void join_values(LaunchArgument& argument) {
  std::string text;
  for (const ScriptWord& value : argument.values) text += (text.empty() ? "" : ",") + value.text;
  argument.values = {{text, argument.line}};
}

template <std::size_t N>
std::string_view renamed(const std::array<Renamed, N>& names, std::string_view name) {
  const auto found = std::ranges::find(names, name, &Renamed::first);
  return found == names.end() ? std::string_view() : found->second;
}

std::string dashed(std::string_view name) {
  std::string text = "--" + std::string(name);
  std::ranges::replace(text, '_', '-');
  return text;
}

bool is_yaml_path(const LaunchArgument& argument) {
  if (!argument.name.empty() || argument.values.empty()) return false;
  const std::string& text = argument.values.front().text;
  return text.ends_with(".yaml") || text.ends_with(".yml");
}

LaunchArgument given(std::string_view name, const LaunchArgument& because, std::string_view value) {
  return {std::string(name),
          {{std::string(value), because.line}},
          because.line,
          because.file,
          because.as_written};
}

bool has_setting(const std::vector<LaunchArgument>& settings, std::string_view name) {
  return std::ranges::find(settings, name, &LaunchArgument::name) != settings.end();
}

bool is_decoder_layer(const ScriptWord& module) {
  const bool layers = module.text.find("layers.") != std::string::npos;
  const bool decoder = module.text.find("language_model") != std::string::npos ||
                       module.text.find("text_decoder") != std::string::npos;
  return layers && decoder;
}

// The trainer shards by FSDP2 and splits contexts by heads; it recomputes what its plan names only where
// features.recompute says so.
void add_trainer(std::vector<LaunchArgument>& arguments) {
  const auto at = [&](std::string_view name) {
    return std::ranges::find(arguments, name, &LaunchArgument::name);
  };
  if (const auto size = at("fsdp2.sharding_size");
      size != arguments.end() && !has_setting(arguments, "--use-torch-fsdp2"))
    arguments.push_back(given("--use-torch-fsdp2", *size, "true"));
  if (const auto size = at("--context-parallel-size");
      size != arguments.end() && size->as_written.starts_with("parallel."))
    arguments.push_back(given("--context-parallel-algo", *size, "ulysses_cp_algo"));
  const auto plan = at(kRecomputed);
  if (plan == arguments.end() || !plan->as_written.starts_with("features.")) return;
  const auto flag = at("features.recompute");
  const bool on = flag != arguments.end() && !flag->values.empty() && flag->values.front().text == "true";
  if (flag != arguments.end()) flag->asked_for = true;
  if (!on) plan->asked_for = plan->idle = true, plan->name = "features.recompute_plan.apply_modules";
}

}  // namespace

bool is_mm(const LaunchCommand& command) {
  const bool known = command.program == "pretrain_transformers.py" || command.program == "trainer.py";
  return known && std::ranges::any_of(command.arguments, is_yaml_path);
}

bool is_mm_configuration(const std::vector<LaunchArgument>& settings) {
  return std::ranges::any_of(settings, [](const LaunchArgument& setting) {
    return setting.name.starts_with("gpt_args.") || setting.name.starts_with("parallel.fsdp_plan.");
  });
}

LaunchArgument mm_setting(LaunchArgument setting, std::string_view prefix) {
  setting.as_written = setting.name;
  const std::string_view same = prefix == "mm." ? renamed(kDecoderArguments, setting.name) : "";
  setting.name = same.empty() ? std::string(prefix) + setting.name : std::string(same);
  if (!same.empty() && setting.values.size() > 1) join_values(setting);
  return setting;
}

std::vector<LaunchArgument> mm_as_megatron(std::vector<LaunchArgument> settings) {
  constexpr std::string_view kArguments = "gpt_args.", kModel = "model.", kData = "data.";
  std::vector<LaunchArgument> arguments;
  for (LaunchArgument& setting : settings) {
    const std::string written = setting.name;
    const std::string_view other = renamed(kTrainerArguments, written);
    if (!other.empty())
      setting.name = other;
    else if (written.starts_with(kArguments))
      setting.name = dashed(written.substr(kArguments.size()));
    else if (written.starts_with(kData))
      setting.name = "mm-data." + written.substr(kData.size());
    else if (written.starts_with(kModel))
      setting =
          mm_setting({written.substr(kModel.size()), setting.values, setting.line, setting.file}, "mm.");
    setting.as_written = written;
    arguments.push_back(std::move(setting));
  }
  add_trainer(arguments);
  return arguments;
}

std::vector<LaunchArgument> mm_arguments(const LaunchCommand& command, const std::string& script,
                                         const LaunchOptions& options, Findings& findings) {
  std::vector<LaunchArgument> arguments;
  for (LaunchArgument argument : command.arguments) {
    if (!is_yaml_path(argument)) {
      arguments.push_back(std::move(argument));
      continue;
    }
    const auto file = named_file(argument.values.front().text, script, options, place_of(argument), findings);
    if (!file) continue;
    for (LaunchArgument& each : mm_as_megatron(read_yaml(file->text, file->name, findings)))
      arguments.push_back(std::move(each));
  }
  return arguments;
}

bool recomputes_every_layer(const std::vector<LaunchArgument>& arguments) {
  return has_setting(arguments, "--fsdp2-config-path") &&
         std::ranges::any_of(arguments, [](const LaunchArgument& each) {
           return each.name == kModelId && !each.values.empty() &&
                  each.values.front().text.starts_with("qwen3_vl");
         });
}

void add_fsdp_recomputation(std::vector<LaunchArgument>& arguments) {
  const auto plan = std::ranges::find(arguments, kRecomputed, &LaunchArgument::name);
  const bool every = recomputes_every_layer(arguments);
  if (has_setting(arguments, "--recompute-granularity")) return;
  const bool planned = plan != arguments.end() && std::ranges::any_of(plan->values, is_decoder_layer);
  if (!every && !planned) return;
  const LaunchArgument because =
      planned ? *plan : *std::ranges::find(arguments, kModelId, &LaunchArgument::name);
  arguments.push_back(given("--recompute-granularity", because, "full"));
  arguments.push_back(given("--recompute-method", because, "uniform"));
  arguments.push_back(given("--recompute-num-layers", because, "1"));
}

}  // namespace spillway
