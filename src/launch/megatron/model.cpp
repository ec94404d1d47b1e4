// Chooses the family of config.json that has the network of the arguments. A part that no family has is a
// finding, unless its cost is another's, which is then said as an assumption. Test:
// tests/launch/megatron_scripts_test.cpp.
#include "launch/megatron/model.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/files.h"
#include "base/text.h"
#include "input/architecture/architecture_reader.h"
#include "json/shipped_files.h"
#include "launch/command/architecture.h"
#include "launch/command/json_members.h"
#include "launch/megatron/llava.h"
#include "launch/megatron/mm_fsdp.h"
#include "launch/megatron/mm_model.h"
#include "launch/megatron/shape.h"

namespace spillway {
namespace {

class ConfigWriter {
 public:
  ConfigWriter(Arguments& arguments, const MegatronShape& shape, const LayerCounts& layers)
      : arguments_(arguments), shape_(shape), layers_(layers) {}

  Node run(std::vector<std::string>& assumptions) {
    if (shape_.latents)
      latent();
    else if (!shape_.gated)
      ungated(assumptions);
    else
      grouped();
    if (shape_.gated) note_differences(assumptions);
    return {std::move(config_)};
  }

 private:
  template <class Value>
  void add(std::string_view key, const Value& value) {
    if constexpr (std::is_same_v<Value, bool>)
      config_.push_back({std::string(key), {value}});
    else if constexpr (std::is_integral_v<Value>)
      config_.push_back({std::string(key), {static_cast<std::int64_t>(value)}});
    else
      config_.push_back({std::string(key), {std::string(value)}});
  }

  void sizes(std::string_view family) {
    add("model_type", family);
    add("vocab_size", shape_.vocabulary);
    add("hidden_size", shape_.width);
    add("num_hidden_layers", layers_.decoder - static_cast<std::uint32_t>(layers_.noop.size()));
    add("num_attention_heads", shape_.heads);
    add("hidden_act", "silu");
    add("tie_word_embeddings", shape_.ties_vocabulary);
  }

  void latent() {
    const MegatronLatents& latents = *shape_.latents;
    const bool third = layers_.prediction > 0 || (shape_.experts && shape_.experts->routing_bias);
    sizes(third ? "deepseek_v3" : "deepseek_v2");
    add("intermediate_size", shape_.inner);
    if (latents.queries > 0) add("q_lora_rank", latents.queries);
    add("kv_lora_rank", latents.keys);
    add("qk_nope_head_dim", latents.head);
    add("qk_rope_head_dim", latents.rotary_head);
    add("v_head_dim", latents.value_head);
    if (shape_.experts)
      deepseek_experts(*shape_.experts);
    else
      refuse("--multi-latent-attention", "--num-experts beside latent attention");
    if (third) add("num_nextn_predict_layers", layers_.prediction);
  }

  void deepseek_experts(const MegatronExperts& experts) {
    add("n_routed_experts", experts.routed);
    add("num_experts_per_tok", experts.chosen);
    add("moe_intermediate_size", experts.inner);
    add("n_group", experts.groups);
    add("topk_group", experts.chosen_groups);
    if (experts.shared_inner % experts.inner != 0)
      arguments_.refuse("--moe-shared-expert-intermediate-size", "a multiple of --moe-ffn-hidden-size",
                        std::to_string(experts.shared_inner));
    add("n_shared_experts", experts.shared_inner / experts.inner);
    // Layers that do nothing are not counted.
    add("first_k_dense_replace", experts.dense_first - static_cast<std::uint32_t>(std::ranges::count_if(
                                                           layers_.noop, [&](std::uint32_t layer) {
                                                             return layer < experts.dense_first;
                                                           })));
  }

  void heads() {
    add("num_key_value_heads", shape_.groups);
    add("head_dim", shape_.head);
  }

  void grouped() {
    if (!shape_.experts) return dense();
    const MegatronExperts& experts = *shape_.experts;
    if (experts.dense_first > 0 || layers_.prediction > 0 ||
        (experts.shared_inner > 0 && !experts.shared_gate)) {
      sizes("glm4_moe");
      add("intermediate_size", shape_.inner);
      heads();
      add("attention_bias", shape_.qkv_biases);
      add("use_qk_norm", shape_.head_norms);
      deepseek_experts(experts);
      add("num_nextn_predict_layers", layers_.prediction);
      return;
    }
    const bool shared = experts.shared_inner > 0;
    sizes(shared ? "qwen2_moe" : shape_.head_norms ? "qwen3_moe" : "mixtral");
    add("intermediate_size", shared || shape_.head_norms ? shape_.inner : experts.inner);
    heads();
    add(shared || shape_.head_norms ? "num_experts" : "num_local_experts", experts.routed);
    add("num_experts_per_tok", experts.chosen);
    if (shared || shape_.head_norms) add("moe_intermediate_size", experts.inner);
    if (shared) add("shared_expert_intermediate_size", experts.shared_inner);
  }

  void dense() {
    if (layers_.prediction > 0) {
      sizes("mimo");
      add("attention_bias", true);
      add("num_nextn_predict_layers", layers_.prediction);
    } else {
      sizes(shape_.head_norms ? "qwen3" : shape_.qkv_biases ? "qwen2" : "llama");
    }
    add("intermediate_size", shape_.inner);
    heads();
    if (shape_.head_norms && shape_.qkv_biases) add("attention_bias", true);
  }

  void ungated(std::vector<std::string>& assumptions) {
    if (shape_.groups != shape_.heads || shape_.head * shape_.heads != shape_.width)
      refuse("--num-query-groups", "--swiglu beside grouped queries, or a query group for each head");
    if (shape_.experts) refuse("--num-experts", "--swiglu beside experts");
    if (layers_.prediction > 0) refuse("--mtp-num-layers", "--swiglu beside multi-token prediction");
    config_.clear();
    add("model_type", "gpt2");
    add("vocab_size", shape_.vocabulary);
    add("n_embd", shape_.width);
    add("n_layer", layers_.decoder - static_cast<std::uint32_t>(layers_.noop.size()));
    add("n_head", shape_.heads);
    add("n_inner", shape_.inner);
    add("n_positions", std::max(shape_.positions, 1U));
    add("activation_function", "gelu_new");
    add("tie_word_embeddings", shape_.ties_vocabulary);
    if (shape_.rotary)
      assumptions.push_back("rotary positions without a gate are priced as GPT-2's: no kernel of their own");
    if (!shape_.biases) assumptions.push_back("products without biases are priced with GPT-2's biases");
    if (shape_.rms_norm) assumptions.push_back("RMSNorm is priced as GPT-2's LayerNorm");
  }

  void note_differences(std::vector<std::string>& assumptions) {
    if (!shape_.rms_norm) assumptions.push_back("LayerNorm (--normalization) is priced as RMSNorm");
    if (shape_.biases) assumptions.push_back("biases of products (no --disable-bias-linear) are not priced");
    if (!shape_.rotary) assumptions.push_back("learned positions are priced as rotary ones");
  }

  void refuse(std::string_view argument, const std::string& expected) {
    arguments_.refuse(argument, expected + ", or --architecture with a config.json",
                      "a network that no known family has");
  }

  Arguments& arguments_;
  const MegatronShape& shape_;
  const LayerCounts& layers_;
  Object config_ = {};
};

std::vector<std::uint32_t> read_noop(Arguments& arguments, std::uint32_t layers) {
  std::vector<std::uint32_t> noop;
  const auto text = arguments.word("--noop-layers");
  if (!text) return noop;
  for (const std::string_view part : split(*text, ',')) {
    std::uint64_t number = 0;
    const bool digits = !part.empty() && part.size() < 8 &&
                        std::ranges::all_of(part, [](char c) { return c >= '0' && c <= '9'; });
    for (const char c : digits ? part : std::string_view())
      number = number * 10 + static_cast<std::uint64_t>(c - '0');
    const bool known = std::ranges::find(noop, number) != noop.end();
    if (!digits || number >= layers || known) {
      arguments.refuse("--noop-layers", "different layers from 0 to " + std::to_string(layers - 1),
                       '"' + std::string(part) + '"');
      return {};
    }
    noop.push_back(static_cast<std::uint32_t>(number));
  }
  if (noop.size() == layers) arguments.refuse("--noop-layers", "a layer that computes", "none");
  return noop;
}

bool flag_or(Arguments& arguments, std::string_view name, bool otherwise) {
  return arguments.has(name) ? arguments.flag(name) : otherwise;
}

// ms-swift's bounds of images, which it takes from the environment.
Object image_bounds(Arguments& arguments) {
  Object rule;
  for (const auto& [theirs, ours] :
       {std::pair("--min-pixels", "min_pixels"), std::pair("--max-pixels", "max_pixels")})
    if (const auto pixels = arguments.whole(theirs)) add_member(rule, ours, *pixels);
  return rule;
}

// A tower of Hugging Face, whole on the first rank: modelscope/ms-swift @3602360a56,
// swift/megatron/arguments/megatron_args.py; NVIDIA-NeMo/Megatron-Bridge @067f987df0, models/qwen_vl.
MegatronEncoder encoder_of_file(Arguments& arguments, const std::string& name, MegatronFlavour flavour) {
  MegatronEncoder encoder;
  if (flavour == MegatronFlavour::MindSpeed) encoder = mm_encoder_of_file(arguments);
  encoder.depth = layer_count(read_architecture(shipped_or(name, "architecture"), Role::Encoder, {}));
  if (flavour == MegatronFlavour::MindSpeed) return encoder;
  if (flavour == MegatronFlavour::Bridge) {
    // Adapters freeze what they do not adapt.
    encoder.trainable = !arguments.flag("--freeze-vision-model") && !arguments.has("--lora-r");
    arguments.known_word("--freeze-vision-projection");
    return encoder;
  }
  encoder.trainable = !flag_or(arguments, "--freeze-vit", true);
  arguments.known_word("--freeze-aligner");
  encoder.recomputed =
      flag_or(arguments, "--vit-gradient-checkpointing", encoder.trainable) && encoder.trainable;
  encoder.pads = !flag_or(arguments, "--padding-free", true);
  encoder.rule = image_bounds(arguments);
  return encoder;
}

bool has_mm_settings(const Arguments& arguments) {
  return arguments.has("--mm-model") || std::ranges::any_of(arguments.all(), [](const LaunchArgument& each) {
           return each.name.starts_with("mm.");
         });
}

// Reads how many layers a model of a file has.
MegatronModel model_of_file(Arguments& arguments, const std::string& name, const std::string& key,
                            MegatronFlavour flavour) {
  MegatronModel model;
  model.architecture = name;
  const auto architecture = read_backbone(model.architecture, key, arguments.findings());
  if (!architecture) return model;
  model.layers.decoder = layer_count(*architecture);
  model.has_experts = routed_experts(*architecture) > 0;
  if (!has_vision_tower(model.architecture)) return model;
  const bool of_mm = flavour == MegatronFlavour::MindSpeed && has_mm_settings(arguments);
  const bool has_towers = flavour == MegatronFlavour::Swift || flavour == MegatronFlavour::Bridge || of_mm;
  if (!has_towers)
    arguments.findings().add(key, "a model without an encoder: a script does not state the sizes of images",
                             '"' + name + "\", which has a vision tower");
  else
    model.encoder = encoder_of_file(arguments, model.architecture, flavour);
  if (of_mm) {
    model.trains_backbone = mm_trains_backbone(arguments);
    model.framework_set = mm_fsdp_changes(arguments);
    return model;
  }
  const char* freeze = flavour == MegatronFlavour::Bridge ? "--freeze-language-model" : "--freeze-llm";
  model.trains_backbone = !arguments.flag(freeze);
  return model;
}

}  // namespace

MegatronModel read_model(Arguments& arguments, MegatronFlavour flavour, const LaunchOptions& options) {
  if (!options.architecture.empty()) {
    for (const char* folder : {"mm.init_from_hf_path", "mm.model_name_or_path"}) arguments.pass_over(folder);
    MegatronModel model = model_of_file(arguments, options.architecture, "--architecture", flavour);
    model.layers.prediction = arguments.whole("--mtp-num-layers").value_or(0);
    return model;
  }
  if (flavour == MegatronFlavour::Swift) {
    const auto name = arguments.word("--model");
    if (!name && !arguments.has("--model")) arguments.ask_for("--model", "the name of a model");
    MegatronModel model = name ? model_of_file(arguments, *name, "--model", flavour) : MegatronModel{};
    model.layers.prediction = arguments.whole("--mtp-num-layers").value_or(0);
    return model;
  }
  if (const auto folder = mm_model_folder(arguments))
    return model_of_file(arguments, folder->name, folder->place, flavour);
  if (arguments.has("--mm-model")) return read_mm_model(arguments);
  MegatronModel model;
  const MegatronShape shape = read_shape(arguments);
  model.layers = {shape.layers, arguments.whole("--mtp-num-layers").value_or(0),
                  read_noop(arguments, shape.layers)};
  if (!arguments.has("--num-layers")) model.layers.decoder = 0;
  model.has_experts = shape.experts.has_value();
  if (arguments.findings().empty())
    model.config = ConfigWriter(arguments, shape, model.layers).run(model.assumptions);
  if (is_llava(arguments)) add_llava_tower(arguments, shape, model);
  return model;
}

}  // namespace spillway
