// Test: tests/launch/bridge_scripts_test.cpp.
#include "launch/bridge/settings.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/nearest.h"
#include "base/text.h"
#include "launch/bridge/recipes.h"
#include "launch/shell/marks.h"

namespace spillway {
namespace {

using Pair = std::pair<std::string_view, std::string_view>;

// Options of run_recipe.py for settings (scripts/training/run_recipe.py).
constexpr std::array kShort = std::to_array<Pair>({
    {"-ms", "train.train_iters"},
    {"-gb", "train.global_batch_size"},
    {"-mb", "train.micro_batch_size"},
    {"-sl", "dataset.seq_length"},
    {"-tp", "model.tensor_model_parallel_size"},
    {"-pp", "model.pipeline_model_parallel_size"},
    {"-cp", "model.context_parallel_size"},
    {"-vp", "model.virtual_pipeline_model_parallel_size"},
    {"-ep", "model.expert_model_parallel_size"},
    {"-etp", "model.expert_tensor_parallel_size"},
    {"--max-steps", "train.train_iters"},
    {"--global-batch-size", "train.global_batch_size"},
    {"--micro-batch-size", "train.micro_batch_size"},
    {"--seq-length", "dataset.seq_length"},
    {"--tensor-model-parallel-size", "model.tensor_model_parallel_size"},
    {"--pipeline-model-parallel-size", "model.pipeline_model_parallel_size"},
    {"--context-parallel-size", "model.context_parallel_size"},
    {"--virtual-pipeline-model-parallel-size", "model.virtual_pipeline_model_parallel_size"},
    {"--expert-model-parallel-size", "model.expert_model_parallel_size"},
    {"--expert-tensor-parallel-size", "model.expert_tensor_parallel_size"},
});

// Names that differ by more than their dashes.
constexpr std::array kOtherNames = std::to_array<Pair>({
    {"encoder_seq_length", "--seq-length"},
    {"microbatch_group_size_per_vp_stage", "--microbatch-group-size-per-virtual-pipeline-stage"},
    {"num_layers_in_first_pipeline_stage", "--decoder-first-pipeline-num-layers"},
    {"num_layers_in_last_pipeline_stage", "--decoder-last-pipeline-num-layers"},
    {"activations_checkpoint_granularity", "--recompute-granularity"},
    {"activations_checkpoint_method", "--recompute-method"},
    {"activations_checkpoint_num_layers", "--recompute-num-layers"},
    {"ub_tp_comm_overlap", "--tp-comm-overlap"},
    {"num_moe_experts", "--num-experts"},
    {"fp8", "--fp8-format"},
});

// Low-rank adapters.
constexpr std::array kAdapterNames = std::to_array<Pair>({
    {"peft.dim", "--lora-r"},
    {"peft.alpha", "--lora-alpha"},
    {"peft.dropout", "--lora-dropout"},
    {"peft.target_modules", "--lora-target-modules"},
});

std::string megatron_name(std::string_view setting) {
  const auto adapter = std::ranges::find(kAdapterNames, setting, &Pair::first);
  if (adapter != kAdapterNames.end()) return std::string(adapter->second);
  const std::string_view last = setting.substr(setting.rfind('.') + 1);
  const auto other = std::ranges::find(kOtherNames, last, &Pair::first);
  if (other != kOtherNames.end()) return std::string(other->second);
  std::string name = setting.starts_with("--") ? std::string(setting) : "--" + std::string(last);
  std::ranges::replace(name, '_', '-');
  return name;
}

std::string megatron_value(const std::string& value) {
  constexpr std::array kValues = std::to_array<Pair>({{"torch.float32", "fp32"},
                                                      {"torch.bfloat16", "bf16"},
                                                      {"torch.float16", "fp16"},
                                                      {"True", "true"},
                                                      {"False", "false"}});
  const auto known = std::ranges::find(kValues, value, &Pair::first);
  return known == kValues.end() ? value : std::string(known->second);
}

// Precisions by name (src/megatron/bridge/training/mixed_precision.py), beside --bf16.
constexpr std::array kPrecisions = std::to_array<Pair>({
    {"bf16_with_fp8_delayed_scaling_mixed",
     "--fp8-format=hybrid --fp8-recipe=delayed --fp8-param-gather=true"},
    {"bf16_with_fp8_current_scaling_mixed",
     "--fp8-format=hybrid --fp8-recipe=tensorwise --fp8-param-gather=true --first-last-layers-bf16=true "
     "--num-layers-at-start-in-bf16=1 --num-layers-at-end-in-bf16=1"},
    {"bf16_with_fp8_subchannel_scaling_mixed", "--fp8-format=hybrid --fp8-recipe=blockwise"},
    {"bf16_with_mxfp8_mixed", "--fp8-format=hybrid --fp8-recipe=mxfp8 --fp8-param-gather=true"},
    {"bf16_with_nvfp4_mixed", "--fp4-format=e2m1 --fp4-param-gather=true"},
});

// The names without FP8, of Megatron-Bridge and NeMo.
constexpr std::array<std::string_view, 7> kPlainPrecisions = {
    "bf16", "bf16_mixed", "bf16-mixed", "fp16", "fp16_mixed", "fp16-mixed", "16-mixed"};

bool is_precision(const std::string& word) {
  return std::ranges::count(kPlainPrecisions, word) > 0 ||
         std::ranges::count(kPrecisions, word, &Pair::first) > 0;
}

void add_precision(std::vector<LaunchArgument>& arguments, const LaunchArgument& setting,
                   const std::string& word) {
  const auto known = std::ranges::find(kPrecisions, word, &Pair::first);
  if (known == kPrecisions.end()) return;
  for (const std::string_view text : split(known->second, ' ')) {
    LaunchArgument argument = setting;
    argument.as_written = setting.name;
    argument.name = text.substr(0, text.find('='));
    argument.values.front().text = text.substr(text.find('=') + 1);
    arguments.push_back(std::move(argument));
  }
}

// "[mlp,moe]" as two values.
void split_list(LaunchArgument& setting) {
  if (setting.values.size() != 1) return;
  const ScriptWord value = setting.values.front();
  if (!value.text.starts_with('[') || !value.text.ends_with(']')) return;
  setting.values.clear();
  for (const std::string_view part :
       split(std::string_view(value.text).substr(1, value.text.size() - 2), ','))
    setting.values.push_back({std::string(trimmed(part)), value.line});
}

bool is_none(const LaunchArgument& setting) {
  return setting.values.empty() || (setting.values.size() == 1 && (setting.values.front().text == "null" ||
                                                                   setting.values.front().text == "None"));
}

// "KEY=VALUE" of Hydra; "+KEY=VALUE" and "++KEY=VALUE" are the same here.
std::optional<LaunchArgument> override_of(const ScriptWord& word) {
  std::string_view text = word.text;
  while (text.starts_with('+')) text.remove_prefix(1);
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0 || has_unknown(text.substr(0, equals)))
    return std::nullopt;
  std::string_view value = text.substr(equals + 1);
  const bool quoted = value.size() > 1 && value.front() == '"' && value.back() == '"';
  if (quoted) value = value.substr(1, value.size() - 2);
  LaunchArgument setting{std::string(text.substr(0, equals)), {{std::string(value), word.line}}, word.line};
  if (!quoted) split_list(setting);
  return setting;
}

// Options and overrides of a command in their order: words behind an option's value are overrides.
std::vector<LaunchArgument> settings_of_command(const std::vector<LaunchArgument>& arguments) {
  std::vector<LaunchArgument> settings;
  for (const LaunchArgument& argument : arguments) {
    LaunchArgument current{argument.name, {}, argument.line};
    const auto put = [&] {
      if (current.name.empty()) return;
      const auto known = std::ranges::find(kShort, current.name, &Pair::first);
      if (known != kShort.end()) current.name = known->second;
      settings.push_back(current);
    };
    for (const ScriptWord& word : argument.values) {
      const bool is_short = std::ranges::find(kShort, word.text, &Pair::first) != kShort.end();
      if (!is_short && !override_of(word)) {
        current.values.push_back(word);
        continue;
      }
      put();
      current = is_short ? LaunchArgument{word.text, {}, word.line} : *override_of(word);
    }
    put();
  }
  return settings;
}

constexpr std::string_view kPrecision = "mixed_precision";
constexpr std::string_view kReduction = "mixed_precision.grad_reduce_in_fp32";

// A precision by name reduces in FP32 unless it is FP16's.
LaunchArgument reduction_of(const LaunchArgument& precision) {
  LaunchArgument reduction = precision;
  reduction.name = kReduction;
  reduction.values.front().text = precision.values.front().text.starts_with("fp16") ? "false" : "true";
  return reduction;
}

// Megatron-Bridge's precision overwrites the reduction that ddp states, wherever the two stand. Another
// precision takes back the fields of one before it. Without one, what ddp states holds. Source:
// src/megatron/bridge/training/config.py, runtime_config_update, and mixed_precision.py, setup.
std::vector<LaunchArgument> with_precision(std::vector<LaunchArgument> settings) {
  const auto named = [](std::string_view name) {
    return [name](const LaunchArgument& one) { return one.name == name; };
  };
  const auto last = std::find_if(settings.rbegin(), settings.rend(), named(kPrecision));
  if (last == settings.rend()) return settings;
  const LaunchArgument precision = *last;
  const auto before = std::remove_if(settings.begin(), last.base() - 1, [](const LaunchArgument& one) {
    return one.name.starts_with(kPrecision);
  });
  settings.erase(before, last.base() - 1);
  if (is_none(precision)) return settings;
  for (LaunchArgument& one : settings)
    if (one.name == "ddp.grad_reduce_in_fp32") one.asked_for = one.idle = true;
  const auto field = std::find_if(settings.rbegin(), settings.rend(), named(kReduction));
  LaunchArgument reduction = field == settings.rend() ? reduction_of(precision) : *field;
  settings.push_back(std::move(reduction));
  return settings;
}

void add_facts(std::vector<LaunchArgument>& settings, std::string_view texts, const std::string& file) {
  for (const std::string_view text : split(texts, ' '))
    if (auto setting = override_of({std::string(text), 0})) {
      setting->file = file;
      settings.push_back(std::move(*setting));
    }
}

std::vector<std::string> assumed_of_recipe(const BridgeRecipe& recipe) {
  const bool texts = recipe.kind == BridgeRecipeKind::Tuning || recipe.kind == BridgeRecipeKind::Adapters;
  if (texts) return {"a sequence of packed texts attends as one text"};
  // Qwen2.5-VL's tower is Hugging Face's, whose products have other names.
  const bool adapted = recipe.file.ends_with("qwen3_vl.py") || recipe.file.ends_with("qwen35_vl.py");
  std::vector<std::string> assumptions;
  if (recipe.kind == BridgeRecipeKind::ImagesAdapters && adapted)
    assumptions.push_back("the adapters of the tower are left out");
  if (recipe.settings.find("experts]") != std::string_view::npos)
    assumptions.push_back("each routed expert has its own adapters");
  return assumptions;
}

std::string nearest_recipe(const std::string& name) {
  const std::vector<BridgeRecipe> recipes = bridge_recipes();
  std::vector<std::string_view> names;
  for (const BridgeRecipe& recipe : recipes) names.push_back(recipe.name);
  return std::string(nearest(name.substr(0, 80), names)) + "_config";
}

}  // namespace

bool is_bridge(const LaunchCommand& command) {
  return std::ranges::any_of(command.arguments,
                             [](const LaunchArgument& argument) { return argument.name == "--recipe"; });
}

std::vector<LaunchArgument> as_megatron(std::vector<LaunchArgument> settings) {
  std::vector<LaunchArgument> arguments;
  for (LaunchArgument& setting : settings) {
    if (is_none(setting) && setting.name != "peft") {
      // An earlier value is taken back. Adapters are more than one value: who takes them back is told so.
      std::erase_if(arguments,
                    [&](const LaunchArgument& each) { return each.name == megatron_name(setting.name); });
      continue;
    }
    LaunchArgument argument = setting;
    argument.as_written = setting.name;
    for (ScriptWord& value : argument.values) value.text = megatron_value(value.text);
    const std::string word = argument.values.front().text;
    const std::string_view last = std::string_view(setting.name).substr(setting.name.rfind('.') + 1);
    const bool precision = setting.name == kPrecision || setting.name == "trainer.precision";
    if (precision && is_precision(word)) {
      add_precision(arguments, setting, word);
      argument.name = word.starts_with("fp16") || word.starts_with("16") ? "--fp16" : "--bf16";
      argument.values.clear();
    } else if (last == "grad_reduce_in_fp32" && (word == "false" || word == "true")) {
      argument.name = "--grad-reduce-in-bf16";
      argument.values.front().text = word == "false" ? "true" : "false";
    } else {
      argument.name = megatron_name(setting.name);
    }
    arguments.push_back(std::move(argument));
  }
  return arguments;
}

BridgeSettings bridge_settings(const std::vector<LaunchArgument>& arguments, const UnknownParts& unknowns,
                               Findings& findings) {
  BridgeSettings result;
  std::vector<LaunchArgument> settings;
  const auto named = std::find_if(arguments.rbegin(), arguments.rend(),
                                  [](const LaunchArgument& one) { return one.name == "--recipe"; });
  if (named != arguments.rend()) {
    const std::string name = named->values.empty() ? "" : shown(named->values.front().text, unknowns);
    if (const BridgeRecipe* recipe = bridge_recipe(name)) {
      result.model = recipe->model;
      result.devices = recipe->devices;
      result.assumptions = assumed_of_recipe(*recipe);
      add_facts(settings, common_bridge_settings(), "common.py");
      add_facts(settings, settings_of_kind(recipe->kind), "common.py");
      add_facts(settings, recipe->settings, std::string(recipe->name));
    } else {
      findings.add(place_of(*named), "a recipe that is known, such as " + nearest_recipe(name),
                   '"' + name.substr(0, 80) + '"');
    }
  }
  for (LaunchArgument& own : settings_of_command(arguments))
    if (own.name != "--recipe") settings.push_back(std::move(own));
  result.arguments = as_megatron(with_precision(std::move(settings)));
  return result;
}

}  // namespace spillway
