// Keys of Ascend/MindSpeed-MM @57069cd55a, examples/qwen2.5vl: the one model whose files import reads. Test:
// tests/launch/write_scripts_test.cpp.
#include "launch/write/mm.h"

#include <algorithm>
#include <cmath>

#include "input/architecture/architecture_reader.h"
#include "json/document.h"
#include "launch/command/json_members.h"
#include "launch/write/megatron.h"
#include "launch/write/script.h"

namespace spillway {
namespace {

std::uint32_t window_of(const VisionTower& tower) {
  const auto side = static_cast<std::uint32_t>(std::lround(std::sqrt(tower.window_patches)));
  return side * tower.patch_size;
}

class MmWriter {
 public:
  MmWriter(const LaunchJob& job, std::string_view software)
      : job_(job), software_(software), options_(job, lacks_) {}

  LaunchAnswer run() {
    if (!job_.tower) return LaunchReasons{"it trains models with an encoder; MindSpeed-LLM has the others"};
    if (!is_known_model()) return LaunchReasons{"export writes its files of Qwen2.5-VL alone"};
    check();
    options_.add_sizes();
    options_.add_precision();
    add_rest();
    if (!lacks_.empty()) return lacks_;
    return WrittenLaunch{{{"train.sh", script()},
                          {"model.json", json_text({model_json()})},
                          {"data.json", json_text({data_json()})}},
                         one_line({options_.layout, options_.training}),
                         {"the bounds of images are the model's, since an experiment keeps the sizes alone"}};
  }

 private:
  void cannot(std::string reason) { lacks_.push_back(std::move(reason)); }
  const VisionTower& tower() const { return job_.tower->tower; }
  const GroupedQueryAttention& attention() const {
    return std::get<GroupedQueryAttention>(job_.model.attention);
  }

  // The config.json of a Qwen2.5-VL with these sizes makes this model.
  bool is_known_model() const {
    if (!std::holds_alternative<GroupedQueryAttention>(job_.model.attention)) return false;
    FileMemory memory;
    memory.put("config.json", json_text({config()}));
    const Files files(memory);
    TextModel network = job_.model;
    network.fused_attention = true;
    try {
      return read_architecture("config.json", Role::Backbone, {}, files) == Architecture(network) &&
             read_architecture("config.json", Role::Encoder, {}, files) == Architecture(tower());
    } catch (const InputError&) {
      return false;
    }
  }

  Object config() const {
    Object vision, all;
    add_member(vision, "depth", tower().depth);
    add_member(vision, "hidden_size", tower().hidden_size);
    add_member(vision, "intermediate_size", tower().intermediate_size);
    add_member(vision, "num_heads", tower().num_heads);
    add_member(vision, "out_hidden_size", tower().out_hidden_size);
    add_member(vision, "hidden_act", "silu");
    add_member(vision, "patch_size", tower().patch_size);
    add_member(vision, "spatial_merge_size", tower().spatial_merge_size);
    add_member(vision, "temporal_patch_size", tower().temporal_patch_size);
    add_member(vision, "window_size", window_of(tower()));
    add_member(vision, "fullatt_block_indexes", list_node(tower().full_attention_layers));
    add_member(all, "model_type", "qwen2_5_vl");
    add_member(all, "num_hidden_layers", job_.model.num_hidden_layers);
    add_member(all, "hidden_size", job_.model.hidden_size);
    add_member(all, "intermediate_size", job_.model.intermediate_size);
    add_member(all, "num_attention_heads", attention().num_attention_heads);
    add_member(all, "num_key_value_heads", attention().num_key_value_heads);
    add_member(all, "vocab_size", job_.model.vocab_size);
    add_member(all, "hidden_act", "silu");
    add_member(all, "tie_word_embeddings", job_.model.tie_word_embeddings);
    add_member(all, "vision_config", Node{std::move(vision)});
    return all;
  }

  void check() {
    if (job_.packs_images()) cannot("import reads no packing of its samples with images");
    const Parallelism& sizes = job_.parallel;
    if (job_.kind != SkeletonKind::OneFOneB || job_.chunks > 1)
      cannot("import reads no schedule of it but 1f1b");
    if (!is_even_at_ends()) cannot("the first stage needs layers of the language model, the last its head");
    if (!job_.trainable) cannot("import reads no frozen language model of it");
    if (job_.backbone.adapters.rank + job_.tower->costs.adapters.rank > 0)
      cannot("import reads no low-rank adapters of it");
    if (job_.tower->costs.recompute.any()) cannot("import reads no recomputation of its encoder");
    if (job_.backbone.recompute.modules.any() || job_.backbone.recompute.every > 1 ||
        job_.backbone.recompute.what == Recompute::Alternate)
      cannot("it does not recompute " + recompute_words(job_.backbone.recompute));
    if (sizes.data == DataParallel::Zero2 || sizes.data == DataParallel::Zero3)
      cannot("its FSDP has files of its own, which import does not read");
    if (job_.backbone.precision.narrow_products()) cannot("import reads no FP8 of it");
    if (!(sizes.states == OptimizerStates{}) || sizes.main_remainders || job_.backbone.offload.any() ||
        job_.tower->costs.offload.any())
      cannot("import reads no optimizer states of it other than FP32, and no offloading");
  }

  bool is_even_at_ends() const {
    const StageParts &first = job_.stages.front(), &last = job_.stages.back();
    return first.embedding == 1 && first.decoder > 0 && last.decoder > 0 && last.loss == 1;
  }

  void add_rest() {
    const Parallelism& sizes = job_.parallel;
    options_.layout.add("--context-parallel-algo",
                        sizes.context_by == ContextBy::Ring ? "megatron_cp_algo" : "ulysses_cp_algo");
    if (sizes.data != DataParallel::Plain) options_.layout.add("--use-distributed-optimizer");
    if (sizes.optimizer == OptimizerPlace::Swapped) options_.training.add("--swap-optimizer");
    if (job_.model.fused_attention) options_.training.add("--use-flash-attn");
    options_.training.add("--seq-length", 4096).add("--variable-seq-lengths");
  }

  std::string script() const {
    OptionGroup data("DATA_ARGS");
    data.add("--use-mcore-models").add("--normalization", "RMSNorm").add("--swiglu");
    data.add("--tokenizer-type", "NullTokenizer").add("--vocab-size", job_.model.vocab_size);
    data.add("--make-vocab-size-divisible-by", 1).add("--train-iters", 20).add("--lr", "1e-5");
    data.add("--mm-model", "model.json").add("--mm-data", "data.json");
    return script_head(job_, software_) + "\nexport CUDA_DEVICE_MAX_CONNECTIONS=1\n" +
           "\n# data.json names a data set and a tokenizer of the user's.\n" +
           script_body({options_.layout, options_.training, std::move(data)}, "pretrain_vlm.py");
  }

  Node decoder_layers() const {
    std::vector<std::uint32_t> layers;
    for (const StageParts& stage : job_.stages) layers.push_back(stage.decoder);
    return list_node(layers);
  }

  Object decoder() const {
    Object all;
    add_member(all, "model_id", "qwen2_5_lm");
    add_member(all, "num_layers", job_.model.num_hidden_layers);
    add_member(all, "pipeline_num_layers", decoder_layers());
    add_member(all, "hidden_size", job_.model.hidden_size);
    add_member(all, "ffn_hidden_size", job_.model.intermediate_size);
    add_member(all, "num_attention_heads", attention().num_attention_heads);
    add_member(all, "group_query_attention", true);
    add_member(all, "num_query_groups", attention().num_key_value_heads);
    add_member(all, "vocab_size", job_.model.vocab_size);
    add_member(all, "max_position_embeddings", 128000);
    add_member(all, "untie_embeddings_and_output_weights", !job_.model.tie_word_embeddings);
    for (const char* key : {"disable_bias_linear", "add_qkv_bias", "gated_linear_unit", "bf16"})
      add_member(all, key, true);
    add_member(all, "add_bias_linear", false);
    add_member(all, "position_embedding_type", "mrope");
    add_member(all, "mrope_section", list_node(std::vector<std::uint32_t>{16, 24, 24}));
    add_member(all, "rope_theta", 1000000.0);
    add_member(all, "normalization", "RMSNorm");
    add_member(all, "layernorm_epsilon", 1e-6);
    add_member(all, "activation_func", "silu");
    add_member(all, "params_dtype", "bf16");
    add_member(all, "parallel_output", true);
    add_recomputation(all);
    return all;
  }

  void add_recomputation(Object& all) const {
    const Recomputation& recompute = job_.backbone.recompute;
    if (!recompute.any()) return;
    const bool full = recompute.what == Recompute::Full;
    add_member(all, "recompute_granularity", full ? "full" : "selective");
    if (!full) return;
    add_member(all, "recompute_method", recompute.first ? "block" : "uniform");
    add_member(all, "recompute_num_layers", recompute.first.value_or(recompute.together));
  }

  Object encoder() const {
    Object all;
    add_member(all, "model_id", "qwen2vit");
    add_member(all, "num_layers", tower().depth);
    add_member(all, "pipeline_num_layers", list_node(job_.tower->layers));
    add_member(all, "hidden_size", tower().hidden_size);
    add_member(all, "ffn_hidden_size", tower().intermediate_size);
    add_member(all, "intermediate_size", tower().intermediate_size);
    add_member(all, "llm_hidden_size", job_.model.hidden_size);
    add_member(all, "num_attention_heads", tower().num_heads);
    add_member(all, "in_channels", tower().in_channels);
    add_member(all, "patch_size", tower().patch_size);
    add_member(all, "spatial_merge_size", tower().spatial_merge_size);
    add_member(all, "temporal_patch_size", tower().temporal_patch_size);
    add_member(all, "window_attn_size", window_of(tower()));
    add_member(all, "fullatt_block_indexes", list_node(tower().full_attention_layers));
    add_member(all, "gated_linear_unit", true);
    add_member(all, "normalization", "RMSNorm");
    add_member(all, "layernorm_epsilon", 1e-6);
    add_member(all, "activation_func", "silu");
    add_member(all, "tokens_per_second", 2);
    add_member(all, "bf16", true);
    add_member(all, "params_dtype", "bf16");
    add_member(all, "attention_mask_type", "general");
    add_member(all, "post_layer_norm", false);
    add_member(all, "freeze", !job_.tower->trainable);
    return all;
  }

  Object projector() const {
    Object all;
    add_member(all, "model_id", "lnmlp");
    add_member(all, "num_layers", 1);
    add_member(all, "input_size", tower().hidden_size);
    add_member(all, "hidden_size", tower().out_hidden_size);
    add_member(all, "ffn_hidden_size",
               tower().hidden_size * tower().spatial_merge_size * tower().spatial_merge_size);
    add_member(all, "add_bias_linear", true);
    add_member(all, "gated_linear_unit", false);
    add_member(all, "activation_func", "gelu");
    add_member(all, "normalization", "RMSNorm");
    add_member(all, "layernorm_epsilon", 1e-6);
    add_member(all, "bf16", true);
    add_member(all, "params_dtype", "bf16");
    add_member(all, "freeze", !job_.tower->trainable);
    return all;
  }

  Object model_json() const {
    Object images, all;
    add_member(images, "vision_encoder", Node{encoder()});
    add_member(images, "vision_projector", Node{projector()});
    add_member(all, "model_id", "qwen2_5vl");
    add_member(all, "img_context_token_id", 151655);
    add_member(all, "vision_start_token_id", 151652);
    add_member(all, "image_encoder", Node{std::move(images)});
    add_member(all, "text_decoder", Node{decoder()});
    return all;
  }

  Object data_json() const {
    Object preprocess, param, all;
    add_member(preprocess, "model_name_or_path", "PATH");
    add_member(preprocess, "image_max_pixels", tower().rule.max_pixels);
    add_member(preprocess, "image_min_pixels", tower().rule.min_pixels);
    add_member(param, "dataset_type", "huggingface");
    add_member(param, "preprocess_parameters", Node{std::move(preprocess)});
    add_member(all, "dataset_param", Node{std::move(param)});
    return all;
  }

  const LaunchJob& job_;
  std::string_view software_;
  LaunchReasons lacks_ = {};
  MegatronOptions options_;
};

}  // namespace

LaunchAnswer write_mm(const LaunchJob& job, std::string_view software) {
  return MmWriter(job, software).run();
}

}  // namespace spillway
