// Every key of an experiment changes a figure in every job, or has a rule that says when it does not. A new
// key needs that decision here, and a row in tests/evaluate/idle_keys_test.cpp.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "json/schema.h"

namespace spillway {
namespace {

using Json = nlohmann::json;
using Keys = std::set<std::string>;

// The rules are in src/input/idle_*_keys.cpp.
const Keys kSaidWhereIdle = {"activation_func_fp8_input_store",
                             "backward_work_per_microbatch",
                             "collectives",
                             "context_by",
                             "data",
                             "dispatch",
                             "draws",
                             "encoder_time",
                             "even_stages",
                             "exp_avg_dtype",
                             "exp_avg_sq_dtype",
                             "expert_imbalance",
                             "fixed_in",
                             "feeds",
                             "fp8_dispatch",
                             "fused_forward_backward_ms",
                             "gradient_bytes",
                             "host_speed",
                             "inner_collective_time",
                             "link_speed",
                             "images",
                             "images_per_sample",
                             "knows_draw",
                             "main_params_dtype",
                             "microbatch_group",
                             "moves_samples",
                             "muon_num_ns_steps",
                             "offload",
                             "optimizer",
                             "optimizer_bytes",
                             "optimizer_offload_fraction",
                             "order",
                             "output_bytes",
                             "owner",
                             "owner_from",
                             "p2p",
                             "p2p_ms",
                             "parameter_bytes",
                             "planning_ms",
                             "port_speed",
                             "recompute",
                             "recompute_every",
                             "recompute_layers",
                             "recompute_together",
                             "reduction_ms",
                             "reshard_after_forward",
                             "rule",
                             "seed",
                             "sequence_parallel",
                             "split",
                             "tensor_overlap",
                             "text_tokens",
                             "trace",
                             "video",
                             "weight_gradient_activation_bytes"};

// These keys describe a job's shape, its durations and its data; they are refused where they do not apply.
const Keys kAct = {"actions",
                   "activation_bytes",
                   "architecture",
                   "attention",
                   "audio",
                   "balance_samples",
                   "baseline",
                   "between_steps_ms",
                   "blocks",
                   "body",
                   "bytes",
                   "chunks",
                   "clips_per_sample",
                   "compute",
                   "compute_speed",
                   "context",
                   "cut",
                   "data_parallel_shard_degree",
                   "direction",
                   "efficiency",
                   "encoder_ranks",
                   "equal_terms",
                   "expert",
                   "expert_tensor",
                   "fit",
                   "fixed_ms",
                   "forward_ms",
                   "fp4",
                   "fp4_param",
                   "fp8",
                   "fp8_dot_product_attention",
                   "fp8_output_proj",
                   "fp8_param",
                   "fps",
                   "framework",
                   "framework_set",
                   "group_replicas",
                   "image_work",
                   "input_gradient_ms",
                   "layers",
                   "layers_per_rank",
                   "limit_gb",
                   "lora_dropout",
                   "lora_rank",
                   "lora_targets",
                   "macro_batch",
                   "makespan_s",
                   "max_frames",
                   "max_patches",
                   "max_pixels",
                   "max_seconds",
                   "measured",
                   "measured_work",
                   "memory",
                   "microbatches",
                   "milliseconds",
                   "min_frames",
                   "min_pixels",
                   "modality",
                   "model",
                   "modules",
                   "multi_token_prediction",
                   "network",
                   "num_layers_at_end_in_bf16",
                   "num_layers_at_start_in_bf16",
                   "order_file",
                   "owner_backward",
                   "ownership",
                   "packing",
                   "parallel",
                   "passes",
                   "patches",
                   "pipeline",
                   "placement",
                   "platform",
                   "platform_set",
                   "pointer",
                   "prefetch",
                   "profile",
                   "profile_patches",
                   "rank",
                   "ranks",
                   "replicas",
                   "samples_per_microbatch",
                   "schedule",
                   "schedules",
                   "segments",
                   "separate_vocabulary",
                   "sequence_tokens",
                   "sequences_per_microbatch",
                   "shares",
                   "stage",
                   "straggler",
                   "sub_microbatches",
                   "system",
                   "tensor",
                   "text_only_share",
                   "time",
                   "tokens",
                   "total_pixels",
                   "trainable",
                   "transposed_layers",
                   "values",
                   "weight_gradient_ms",
                   "what_if",
                   "work_per_microbatch",
                   "workload"};

// These keys are for people.
const Keys kWords = {"$schema", "assumptions", "name", "note", "role", "schema"};

void collect(const Json& node, Keys& keys) {
  if (!node.is_structured()) return;
  if (node.is_object() && node.contains("properties"))
    for (const auto& [key, property] : node["properties"].items()) keys.insert(key);
  for (const Json& below : node) collect(below, keys);
}

TEST(EveryKey, ActsOrIsSaidWhereItDoesNot) {
  Keys keys;
  collect(Json::parse(json_schema("experiment").value()), keys);
  Keys known = kSaidWhereIdle;
  known.insert(kAct.begin(), kAct.end());
  known.insert(kWords.begin(), kWords.end());
  EXPECT_EQ(known.size(), kSaidWhereIdle.size() + kAct.size() + kWords.size()) << "a key is of one kind";
  EXPECT_EQ(keys, known);
}

}  // namespace
}  // namespace spillway
