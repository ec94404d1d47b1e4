// Reading the arguments back finds every part of a model that no argument states: the network that they make
// must equal the job's. Names of arguments: tests/launch/options/megatron-lm.json. Test:
// tests/launch/write_property_test.cpp.
#include "launch/write/megatron_model.h"

#include <algorithm>

#include "base/text.h"
#include "launch/command/architecture.h"
#include "launch/megatron/model.h"

namespace spillway {
namespace {

class ModelArguments {
 public:
  ModelArguments(const LaunchJob& job, MegatronFlavour flavour, const NoopLayers& noop)
      : job_(job), model_(job.model), noop_(noop), mindspeed_(flavour == MegatronFlavour::MindSpeed) {}

  OptionGroup run() {
    options_.add("--num-layers", noop_.layers > 0 ? noop_.layers : model_.num_hidden_layers)
        .add("--hidden-size", model_.hidden_size);
    options_.add("--ffn-hidden-size", std::max(inner(), 1U));
    if (const auto* grouped = std::get_if<GroupedQueryAttention>(&model_.attention))
      add_heads(*grouped);
    else
      add_latents(std::get<LatentAttention>(model_.attention));
    if (model_.experts) add_experts(*model_.experts);
    if (model_.num_nextn_predict_layers > 0)
      options_.add("--mtp-num-layers", model_.num_nextn_predict_layers);
    add_noop();
    add_layer();
    add_vocabulary();
    return std::move(options_);
  }

 private:
  // Where every layer has experts, Megatron's own default takes their width.
  std::uint32_t inner() const {
    if (model_.intermediate_size > 0 || !model_.experts) return model_.intermediate_size;
    return model_.experts->moe_intermediate_size;
  }

  void add_heads(const GroupedQueryAttention& attention) {
    options_.add("--num-attention-heads", attention.num_attention_heads);
    if (attention.num_key_value_heads != attention.num_attention_heads)
      options_.add("--group-query-attention").add("--num-query-groups", attention.num_key_value_heads);
    options_.add("--kv-channels", attention.head_dim);
    add_positions(attention.rotary);
    if (attention.qkv_bias && !attention.output_bias) options_.add("--add-qkv-bias");
    if (attention.head_norms) options_.add("--qk-layernorm");
  }

  void add_latents(const LatentAttention& latents) {
    options_.add("--num-attention-heads", latents.num_attention_heads).add("--multi-latent-attention");
    if (latents.q_lora_rank > 0) options_.add("--q-lora-rank", latents.q_lora_rank);
    options_.add("--kv-lora-rank", latents.kv_lora_rank)
        .add("--qk-head-dim", latents.qk_nope_head_dim)
        .add("--qk-pos-emb-head-dim", latents.qk_rope_head_dim)
        .add("--v-head-dim", latents.v_head_dim)
        .add("--qk-layernorm");
    add_positions(true);
  }

  void add_positions(bool rotary) {
    options_.add("--position-embedding-type", rotary ? "rope" : "learned_absolute")
        .add("--max-position-embeddings", std::max(job_.sequence_tokens, model_.learned_positions));
  }

  void add_experts(const Experts& experts) {
    options_.add("--num-experts", experts.n_routed_experts)
        .add("--moe-router-topk", experts.num_experts_per_tok)
        .add("--moe-ffn-hidden-size", experts.moe_intermediate_size);
    if (experts.n_shared_experts > 0)
      options_.add("--moe-shared-expert-intermediate-size",
                   experts.n_shared_experts * experts.shared_expert_intermediate_size);
    if (experts.shared_expert_gate)
      options_.add(mindspeed_ ? "--shared-expert-gate" : "--moe-shared-expert-gate");
    add_dense_layers(experts.first_k_dense_replace);
    if (experts.n_group > 1)
      options_.add("--moe-router-num-groups", experts.n_group)
          .add("--moe-router-group-topk", experts.topk_group);
    if (experts.routing_bias)
      options_.add("--moe-router-score-function", "sigmoid").add("--moe-router-enable-expert-bias");
    options_.add("--moe-grouped-gemm");
  }

  void add_dense_layers(std::uint32_t first) {
    if (mindspeed_) {
      options_.add("--moe-layer-freq", 1);
      if (first > 0) options_.add("--first-k-dense-replace", noop_.layers > 0 ? noop_.dense_first : first);
    } else if (first > 0) {
      options_.add("--moe-layer-freq", "[0]*" + std::to_string(first) + "+[1]*" +
                                           std::to_string(model_.num_hidden_layers - first));
    }
  }

  void add_noop() {
    std::vector<std::string> layers;
    for (const std::uint32_t layer : noop_.noop) layers.push_back(std::to_string(layer));
    if (!layers.empty()) options_.add("--noop-layers", joined(layers, ","));
  }

  void add_layer() {
    if (model_.norm == NormKind::Rms) options_.add("--normalization", "RMSNorm");
    const auto* grouped = std::get_if<GroupedQueryAttention>(&model_.attention);
    const bool gated = model_.feed_forward == FeedForward::SwiGlu;
    if (gated) options_.add("--swiglu");
    const bool biases = !gated && grouped && grouped->output_bias;
    if (!biases) options_.add("--disable-bias-linear");
    if (mindspeed_ && model_.fused_attention) options_.add("--use-flash-attn");
    if (!mindspeed_ && !model_.fused_attention) options_.add("--attention-backend", "unfused");
    options_.add("--attention-dropout", "0.0").add("--hidden-dropout", "0.0");
  }

  // A multiple that makes the padded vocabulary the model's, whatever the tokenizer has below it.
  void add_vocabulary() {
    if (!model_.tie_word_embeddings) options_.add("--untie-embeddings-and-output-weights");
    if (mindspeed_)
      return void(options_.add("--make-vocab-size-divisible-by", 1)
                      .add("--padded-vocab-size", padded_vocabulary(job_)));
    options_.add("--vocab-size", model_.vocab_size)
        .add("--make-vocab-size-divisible-by", padded_vocabulary(job_) / job_.parallel.tensor);
  }

  const LaunchJob& job_;
  const TextModel& model_;
  const NoopLayers& noop_;
  bool mindspeed_;
  OptionGroup options_{"MODEL_ARGS"};
};

// Parts that have names of their own in a reason.
std::string part_without_argument(const TextModel& model) {
  if (!model.forms.empty()) return "layers of several kinds";
  if (model.sliding_window > 0 && !model.windowed.empty()) return "sliding windows";
  if (model.output_norms) return "norms behind attention and feed-forward";
  if (model.parallel) return "attention beside the feed-forward";
  const auto* grouped = std::get_if<GroupedQueryAttention>(&model.attention);
  if (grouped && (grouped->sinks || grouped->indexer || grouped->output_gate)) return "its attention";
  return "its layers";
}

bool reads_back(const LaunchJob& job, MegatronFlavour flavour, const OptionGroup& options) {
  OptionGroup size("SIZE");
  size.add("--tensor-model-parallel-size", job.parallel.tensor);
  Findings findings;
  const UnknownParts none;
  Arguments arguments(read_as_arguments({options, size}), none, findings);
  const MegatronModel read = read_model(arguments, flavour, {});
  if (!findings.empty() || !read.config) return false;
  const Architecture architecture = architecture_of(*read.config);
  TextModel expected = job.model;
  expected.vocab_size = padded_vocabulary(job);
  TextModel found = std::get<TextModel>(architecture);
  found.num_nextn_predict_layers = read.layers.prediction;
  found.fused_attention = expected.fused_attention;
  // No layer reads it.
  const bool unread = expected.experts && expected.experts->first_k_dense_replace == 0;
  if (unread) found.intermediate_size = expected.intermediate_size;
  return found == expected;
}

}  // namespace

std::uint32_t padded_vocabulary(const LaunchJob& job) {
  const std::uint32_t tensor = job.parallel.tensor;
  return (job.model.vocab_size + tensor - 1) / tensor * tensor;
}

OptionGroup megatron_model(const LaunchJob& job, MegatronFlavour flavour, LaunchReasons& lacks,
                           const NoopLayers& noop) {
  const std::string part = part_without_argument(job.model);
  if (part != "its layers") {
    lacks.push_back("no argument states " + part);
    return OptionGroup("MODEL_ARGS");
  }
  OptionGroup options = ModelArguments(job, flavour, noop).run();
  if (!reads_back(job, flavour, options)) lacks.push_back("no arguments state " + part);
  return options;
}

}  // namespace spillway
