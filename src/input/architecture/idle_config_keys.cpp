#include "input/architecture/idle_config_keys.h"

#include <algorithm>
#include <array>

namespace spillway {
namespace {

// Endings of keys: token ids, dropout shares, terms of the loss, bounds that keep divisions finite, and the
// writer of the file.
constexpr std::array<std::string_view, 16> kEndings = {
    "_token",   "_token_id",  "_token_ids",  "_token_index", "_dropout", "_dropout_prob", "_pdrop", "_eps",
    "_epsilon", "_loss_coef", "_loss_alpha", "_version",     "_z_loss",  "_ln_eps",       "_dtype", "_rate"};

// Keys about the file and the program that wrote it.
constexpr std::array<std::string_view, 23> kOfTheFile = {"$schema",
                                                         "_name_or_path",
                                                         "_commit_hash",
                                                         "_attn_implementation",
                                                         "architectures",
                                                         "auto_map",
                                                         "custom_pipelines",
                                                         "dtype",
                                                         "torch_dtype",
                                                         "is_encoder_decoder",
                                                         "model_type",
                                                         "name_or_path",
                                                         "quantization_config",
                                                         "compression_config",
                                                         "tokenizer_class",
                                                         "torchscript",
                                                         "transformers.js_config",
                                                         "unsloth_fixed",
                                                         "use_bfloat16",
                                                         "_attn_implementation_autoset",
                                                         "attn_implementation",
                                                         "_attn_implementation_internal",
                                                         "language_model_only"};

// Keys about generating text and about other tasks (transformers, configuration_utils.py, PretrainedConfig).
constexpr std::array<std::string_view, 42> kOfMakingText = {"bad_words_ids",
                                                            "begin_suppress_tokens",
                                                            "cache_implementation",
                                                            "chunk_size_feed_forward",
                                                            "diversity_penalty",
                                                            "do_sample",
                                                            "early_stopping",
                                                            "encoder_no_repeat_ngram_size",
                                                            "exponential_decay_length_penalty",
                                                            "finetuning_task",
                                                            "id2label",
                                                            "is_decoder",
                                                            "label2id",
                                                            "length_penalty",
                                                            "max_length",
                                                            "min_length",
                                                            "no_repeat_ngram_size",
                                                            "num_beam_groups",
                                                            "num_beams",
                                                            "num_return_sequences",
                                                            "output_attentions",
                                                            "output_hidden_states",
                                                            "output_router_logits",
                                                            "output_scores",
                                                            "prefix",
                                                            "pretraining_tp",
                                                            "problem_type",
                                                            "pruned_heads",
                                                            "remove_invalid_values",
                                                            "repetition_penalty",
                                                            "return_dict",
                                                            "return_dict_in_generate",
                                                            "suppress_tokens",
                                                            "task_specific_params",
                                                            "temperature",
                                                            "tf_legacy_loss",
                                                            "tie_encoder_decoder",
                                                            "top_k",
                                                            "top_p",
                                                            "typical_p",
                                                            "use_cache",
                                                            "ignore_index"};

// Keys about positions: every rotation costs the same.
constexpr std::array<std::string_view, 23> kOfPositions = {"initial_context_length",
                                                           "max_position_embeddings",
                                                           "max_window_layers",
                                                           "model_max_length",
                                                           "mrope_section",
                                                           "original_max_position_embeddings",
                                                           "partial_rotary_factor",
                                                           "rope_interleave",
                                                           "indexer_rope_interleave",
                                                           "rope_local_base_freq",
                                                           "rope_mode",
                                                           "rope_parameters",
                                                           "rope_ratio",
                                                           "rope_scaling",
                                                           "rope_theta",
                                                           "rotary_dim",
                                                           "rotary_emb_base",
                                                           "swa_rope_theta",
                                                           "use_mrope",
                                                           "use_rope",
                                                           "yarn_scale",
                                                           "tokens_per_second",
                                                           "vision_max_position_embeddings"};

// Keys about initial weights, and factors or bounds inside kernels that run anyway.
constexpr std::array<std::string_view, 27> kOfNumbers = {"attn_logit_softcapping",
                                                         "aux_loss_alpha",
                                                         "embedding_multiplier",
                                                         "ep_size",
                                                         "final_logit_softcapping",
                                                         "initializer_factor",
                                                         "initializer_range",
                                                         "layernorm_epsilon",
                                                         "moe_router_enable_expert_bias_update",
                                                         "norm_topk_prob",
                                                         "query_pre_attn_scalar",
                                                         "routed_scaling_factor",
                                                         "router_jitter_noise",
                                                         "scale_depth",
                                                         "scale_emb",
                                                         "scoring_func",
                                                         "seq_aux",
                                                         "swiglu_limit",
                                                         "topk_method",
                                                         "logit_scale",
                                                         "mamba_ssm_dtype",
                                                         "router_bias_update_speed",
                                                         "summary_activation",
                                                         "summary_first_dropout",
                                                         "summary_proj_to_labels",
                                                         "summary_type",
                                                         "summary_use_proj"};

// Keys about the tokens of images and videos, and about the number of images in a prompt. PaliGemma writes
// its vocabulary twice.
constexpr std::array<std::string_view, 21> kOfPrompts = {
    "_vocab_size",          "image_grid_pinpoints",     "image_placeholder", "image_seq_length",
    "num_image_tokens",     "img_context_token_id",     "system_message",    "template",
    "ps_version",           "use_unified_vision_chunk", "video_placeholder", "video_seq_length",
    "conv_template",        "max_dynamic_patch",        "min_dynamic_patch", "use_thumbnail",
    "dynamic_image_size",   "force_image_size",         "pad2square",        "use_flash_attn",
    "default_output_length"};

template <class Names>
bool has_key(const Names& names, std::string_view key) {
  return std::ranges::find(names, key) != names.end();
}

}  // namespace

bool is_idle_config_key(std::string_view key) {
  return std::ranges::any_of(kEndings, [&](std::string_view ending) { return key.ends_with(ending); }) ||
         has_key(kOfTheFile, key) || has_key(kOfMakingText, key) || has_key(kOfPositions, key) ||
         has_key(kOfNumbers, key) || has_key(kOfPrompts, key);
}

}  // namespace spillway
