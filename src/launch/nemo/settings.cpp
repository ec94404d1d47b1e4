// Test: tests/launch/nemo_scripts_test.cpp.
#include "launch/nemo/settings.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <utility>

#include "base/text.h"
#include "launch/bridge/settings.h"

namespace spillway {
namespace {

// A setting with one value, as an argument; no argument stands for a setting that asks for the default.
struct NemoWord {
  std::string_view setting, value, argument, translated = "";
};

constexpr std::array kWords = std::to_array<NemoWord>({
    {"model.activation", "swiglu", "--swiglu"},
    {"model.activation", "fast-swiglu", "--swiglu"},
    {"model.activation", "gelu", ""},
    {"model.normalization", "rmsnorm", "--normalization", "RMSNorm"},
    {"model.normalization", "layernorm", "--normalization", "LayerNorm"},
    {"model.normalization", "layernorm1p", "--normalization", "LayerNorm"},
    {"model.bias", "false", "--disable-bias-linear"},
    {"model.bias", "true", ""},
    {"model.share_embeddings_and_output_weights", "false", "--untie-embeddings-and-output-weights"},
    {"model.share_embeddings_and_output_weights", "true", ""},
    {"model.overlap_p2p_comm", "false", "--no-overlap-p2p-communication"},
    {"model.overlap_p2p_comm", "true", ""},
    {"model.fp8", "true", "--fp8-format", "hybrid"},
    {"model.fp8", "false", ""},
    {"model.optim.name", "distributed_fused_adam", "--use-distributed-optimizer"},
    {"model.optim.name", "mcore_distributed_optim", "--use-distributed-optimizer"},
    {"model.optim.name", "fused_adam", ""},
    {"model.optim.overlap_grad_sync", "true", "--overlap-grad-reduce"},
    {"model.optim.overlap_grad_sync", "false", ""},
    {"model.optim.overlap_param_sync", "true", "--overlap-param-gather"},
    {"model.optim.overlap_param_sync", "false", ""},
    {"trainer.precision", "bf16", "--bf16"},
    {"trainer.precision", "bf16-mixed", "--bf16"},
    {"trainer.precision", "16", "--fp16"},
    {"trainer.precision", "16-mixed", "--fp16"},
});

// Read by nemo_devices, or the same as another setting.
constexpr std::array kIdleNemo = std::to_array<std::string_view>({
    "name",
    "exp_manager.*",
    "run.*",
    "trainer.*",
    "hydra.*",
    "defaults*",
    "model.data.*",
    "model.tokenizer.*",
    "model.gc_interval",
    "model.scale_positional_embedding",
    "model.gradient_accumulation_fusion=true",
    "model.cross_entropy_loss_fusion=true",
    "model.bias_activation_fusion=true",
    "model.bias_dropout_add_fusion=true",
    "model.apply_rope_fusion=true",
    "model.use_flash_attention=true",
    "model.deterministic_mode=false",
    "model.moe_grouped_gemm=true",
    "model.moe_aux_loss_coeff",
    "model.sharp=false",
    "model.nsys_profile.*",
    "model.optim.lr",
    "model.optim.weight_decay",
    "model.optim.betas",
    "model.optim.eps",
    "model.optim.sched.*",
    "model.optim.bucket_cap_mb",
    "model.optim.contiguous_grad_buffer",
    "model.optim.contiguous_param_buffer",
    "model.fsdp=false",
    "model.fsdp_*",
    "model.fp8_wgrad=true",
    "model.mcore_gpt",
    "model.megatron_amp_O2=true",
    "model.restore_from_*",
    "model.resume_from_checkpoint",
    "model.init_method_std",
    "model.use_scaled_init_method",
    "model.layernorm_epsilon",
    "model.do_layer_norm_weight_decay",
    "model.pre_process=true",
    "model.post_process=true",
    "model.persist_layer_norm",
    "model.headscale=false",
    "model.transformer_block_type=pre_ln",
    "model.openai_gelu",
    "model.normalize_attention_scores",
    "model.attention_type=multihead",
    "model.native_amp_*",
    "model.hysteresis",
    "model.fp32_residual_connection=false",
    "model.fp16_lm_cross_entropy",
    "model.grad_allreduce_chunk_size_mb",
    "model.grad_div_ar_fusion",
    "model.gradient_as_bucket_view",
    "model.get_attention_mask_from_fusion",
    "model.batch_p2p_comm",
    "model.sync_batch_comm=false",
    "model.onnx_safe=false",
    "model.apex_transformer_log_level",
    "model.transformer_engine=true",
    "model.fp8_e4m3",
    "model.fp8_hybrid",
    "model.fp8_margin",
    "model.fp8_interval",
    "model.fp8_amax_*",
    "model.reduce_amax",
    "model.use_emha=false",
    "model.seed",
    "model.use_cpu_initialization",
    "model.apply_query_key_layer_scaling",
    "model.masked_softmax_fusion",
    "model.ffn_dropout=0.0",
    "model.ffn_dropout=0",
    "model.num_micro_batches_with_partial_activation_checkpoints=0",
    "model.activations_checkpoint_layers_per_pipeline=0",
    "model.rotary_*",
    "model.grad_reduce_in_fp32",
});

constexpr std::array kRenamed = std::to_array<std::string_view>({
    "micro_batch_size",
    "global_batch_size",
    "tensor_model_parallel_size",
    "pipeline_model_parallel_size",
    "virtual_pipeline_model_parallel_size",
    "context_parallel_size",
    "expert_model_parallel_size",
    "encoder_seq_length",
    "max_position_embeddings",
    "num_layers",
    "hidden_size",
    "ffn_hidden_size",
    "num_attention_heads",
    "num_query_groups",
    "kv_channels",
    "hidden_dropout",
    "attention_dropout",
    "make_vocab_size_divisible_by",
    "position_embedding_type",
    "sequence_parallel",
    "activations_checkpoint_granularity",
    "activations_checkpoint_method",
    "activations_checkpoint_num_layers",
    "ub_tp_comm_overlap",
    "num_moe_experts",
    "moe_token_dispatcher_type",
    "moe_router_topk",
    "vocab_size",
});

// Beside the file, "model." may be left out.
bool is_renamed(std::string_view name) {
  if (name.starts_with("model.")) name.remove_prefix(6);
  return std::ranges::find(kRenamed, name) != kRenamed.end();
}

std::string value_of_setting(const LaunchArgument& setting) {
  return setting.values.size() == 1 ? lower(setting.values.front().text) : "";
}

// OmegaConf's "${.hidden_size}" and "${model.hidden_size}" as the setting's value, and "${multiply:4, X}" as
// a product. Other texts stay as they are.
class Interpolation {
 public:
  explicit Interpolation(const std::vector<LaunchArgument>& settings) : settings_(settings) {}

  std::string resolved(const std::string& name, const std::string& text, int depth = 0) const {
    if (!text.starts_with("${") || !text.ends_with('}') || depth > kDeepestReference) return text;
    const std::string inner = text.substr(2, text.size() - 3);
    constexpr std::string_view kProduct = "multiply:";
    if (inner.starts_with(kProduct))
      return product(name, inner.substr(kProduct.size()), depth).value_or(text);
    const std::string key =
        inner.starts_with('.') ? name.substr(0, name.rfind('.') + 1) + inner.substr(1) : inner;
    for (const LaunchArgument& setting : settings_)
      if (setting.name == key && setting.values.size() == 1)
        return resolved(key, setting.values.front().text, depth + 1);
    return text;
  }

 private:
  static constexpr int kDeepestReference = 8;

  std::optional<std::string> product(const std::string& name, const std::string& factors, int depth) const {
    std::uint64_t result = 1;
    for (const std::string_view part : split(factors, ',')) {
      const std::string factor = resolved(name, std::string(trimmed(part)), depth + 1);
      std::uint32_t number = 0;
      const auto [end, error] = std::from_chars(factor.data(), factor.data() + factor.size(), number);
      if (error != std::errc() || end != factor.data() + factor.size()) return std::nullopt;
      if (number != 0 && result > (std::uint64_t{1} << 62) / number) return std::nullopt;
      result *= number;
    }
    return std::to_string(result);
  }

  const std::vector<LaunchArgument>& settings_;
};

// The argument of a setting's word; nothing if it has another one.
std::optional<LaunchArgument> argument_of(const LaunchArgument& setting) {
  const std::string value = value_of_setting(setting);
  for (const NemoWord& word : kWords) {
    if (word.setting != setting.name || word.value != value) continue;
    LaunchArgument argument = setting;
    argument.as_written = setting.name;
    argument.name = word.argument;
    argument.values.clear();
    if (!word.translated.empty()) argument.values.push_back({std::string(word.translated), setting.line});
    argument.asked_for = word.argument.empty();
    return argument;
  }
  return std::nullopt;
}

}  // namespace

bool is_nemo(const std::vector<LaunchArgument>& settings) {
  return std::ranges::any_of(settings, [](const LaunchArgument& setting) {
    return setting.name == "model.micro_batch_size" || setting.name == "model.tensor_model_parallel_size";
  });
}

std::vector<LaunchArgument> nemo_as_megatron(std::vector<LaunchArgument> settings) {
  const std::vector<LaunchArgument> written_settings = settings;
  const Interpolation interpolation(written_settings);
  std::vector<LaunchArgument> arguments;
  for (LaunchArgument& setting : settings) {
    if (setting.values.size() == 1)
      setting.values.front().text = interpolation.resolved(setting.name, setting.values.front().text);
    // An earlier value of the same setting counts no more.
    const std::string written = setting.name;
    std::erase_if(arguments, [&](const LaunchArgument& each) {
      return each.line != 0 && (each.as_written.empty() ? each.name : each.as_written) == written &&
             setting.line == 0;
    });
    if (setting.values.empty()) {  // null
      setting.asked_for = setting.idle = true;
      arguments.push_back(std::move(setting));
    } else if (setting.name == "model.tokenizer.type") {
      LaunchArgument argument = setting;
      argument.as_written = setting.name;
      argument.name =
          value_of_setting(setting).find('/') == std::string::npos ? "--tokenizer-type" : "--tokenizer-model";
      arguments.push_back(std::move(argument));
    } else if (is_renamed(setting.name)) {
      for (LaunchArgument& each : as_megatron({setting})) arguments.push_back(std::move(each));
    } else if (auto argument = argument_of(setting)) {
      arguments.push_back(std::move(*argument));
    } else {
      arguments.push_back(std::move(setting));
    }
  }
  return arguments;
}

std::optional<std::uint32_t> nemo_devices(const std::vector<LaunchArgument>& settings) {
  std::uint64_t devices = 1;
  for (const std::string_view name : {"trainer.devices", "trainer.num_nodes"}) {
    std::uint64_t number = 1;
    for (const LaunchArgument& setting : settings) {
      if (setting.name != name) continue;
      const std::string text = value_of_setting(setting);
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
      if (error != std::errc() || end != text.data() + text.size() || number == 0 || number > 1U << 20)
        return std::nullopt;
    }
    devices *= number;
  }
  return devices <= 1U << 20 ? std::optional(static_cast<std::uint32_t>(devices)) : std::nullopt;
}

std::span<const std::string_view> idle_nemo_settings() {
  return kIdleNemo;
}

}  // namespace spillway
