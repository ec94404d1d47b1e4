// Optional parts of a document with architectures on a platform, beyond the parts drawn for every such
// document.
#include <fstream>
#include <string>
#include <vector>

#include "base/error.h"
#include "dice.h"
#include "extras.h"

namespace spillway::testing {
namespace {

bool names(const Json& value, const char* part) {
  return value.is_string() && value.get<std::string>().find(part) != std::string::npos;
}

bool has_experts(const Json& block) {
  const Json& architecture = block["architecture"];
  return names(architecture, "deepseek") || names(architecture, "-a3b") || names(architecture, "-a22b");
}

Json& any_block(Json& document) {
  Json& blocks = document["model"]["blocks"];
  return blocks[number(0, static_cast<std::uint32_t>(blocks.size()) - 1)];
}

// Each of these functions sets one key of a block.
void precision(Json& document) {
  Json& block = any_block(document);
  const bool fp4 = names(document["platform"], "b200") && !one_in(3);
  const std::string scaling = any_of<std::string>({"delayed", "tensorwise", "blockwise", "mxfp8"});
  block[fp4 ? "fp4" : "fp8"] = fp4 ? "nvfp4" : scaling;
  if (one_in(2)) block[fp4 ? "fp4_param" : "fp8_param"] = !one_in(3);
  if (one_in(2)) block["fp8_dot_product_attention"] = !one_in(3);
  if (one_in(2)) block["activation_func_fp8_input_store"] = !one_in(3);
  if (!fp4 && scaling == "mxfp8" && one_in(2)) block["fp8_output_proj"] = !one_in(3);
  if (!fp4 && scaling == "delayed") return;
  if (one_in(3)) block["num_layers_at_start_in_bf16"] = number(0, 1);
  if (one_in(3)) block["num_layers_at_end_in_bf16"] = number(0, 1);
}

void optimizer_states(Json& document) {
  Json& parallel = document["parallel"];
  if (one_in(2)) parallel["main_params_dtype"] = any_of<std::string>({"fp32", "fp16", "remainder", "none"});
  for (const char* key : {"exp_avg_dtype", "exp_avg_sq_dtype"})
    if (one_in(2)) parallel[key] = any_of<std::string>({"fp32", "bf16", "fp16", "fp8"});
  if (one_in(3))
    parallel["muon_num_ns_steps"] = number(1, 10);
  else if (one_in(3))
    parallel["optimizer_offload_fraction"] = number(0, 4) * 0.25;
}

void adapters(Json& document) {
  any_block(document)["lora_rank"] = number(1, 64);
}

// Returns the names of each adapter that a block's layers may have: an adapter has one or two.
std::vector<std::vector<std::string>> adapters_of(const Json& block) {
  const Json& architecture = block["architecture"];
  std::vector<std::vector<std::string>> adapters = {
      {"linear_proj", "o_proj"},   {"linear_fc1"}, {"gate_proj"}, {"up_proj"},
      {"linear_fc2", "down_proj"}, {"experts"},    {"all"}};
  if (names(architecture, "deepseek") && !one_in(4))
    adapters = {{"linear_q_down_proj", "q_a_proj"},
                {"linear_q_up_proj", "q_b_proj"},
                {"linear_kv_down_proj", "kv_a_proj_with_mqa"},
                {"linear_kv_up_proj", "kv_b_proj"}};
  else
    adapters.insert(adapters.end(), {{"linear_qkv"}, {"q_proj"}, {"k_proj"}, {"v_proj"}});
  if (has_experts(block)) adapters.push_back({"experts"});
  if (names(architecture, "qwen3.5")) adapters.insert(adapters.end(), {{"in_proj"}, {"out_proj"}});
  return adapters;
}

// Sets targets of the model's family. The block may still lack one, or two may adapt the same weights.
void adapter_targets(Json& document) {
  Json& block = one_in(4) ? any_block(document) : document["model"]["blocks"].back();
  block["lora_rank"] = number(1, 64);
  if (one_in(2)) block["lora_dropout"] = number(0, 3) * 0.1;
  const auto adapters = adapters_of(block);
  // Adapters of latent attention never share weights.
  const bool latent = names(block["architecture"], "deepseek");
  const bool several = latent || one_in(2);
  Json targets = Json::array({any_of(any_of(adapters))});
  for (const auto& alike : adapters)
    if (several && one_in(latent ? 2 : 4)) targets.push_back(any_of(alike));
  block["lora_targets"] = targets;
}

void layers_of_their_own(Json& document) {
  any_block(document)["separate_vocabulary"] = !one_in(3);
}

void predictions(Json& document) {
  document["model"]["blocks"].back()["multi_token_prediction"] = !one_in(3);
}

void attention(Json& document) {
  document["model"]["blocks"].back()["attention"] = one_in(3) ? "fused" : "unfused";
}

void role(Json& document) {
  Json& block = any_block(document);
  block["role"] = role_of(block);
}

void memory_efficiency(Json& document) {
  any_block(document)["efficiency"]["memory"] = number(3, 9) * 0.1;
}

void modules_recomputed(Json& document) {
  Json modules = Json::array();
  for (const char* module :
       {"core_attn", "layernorm", "mla_up_proj", "mlp", "moe_act", "shared_experts", "moe"})
    if (one_in(2)) modules.push_back(module);
  any_block(document)["recompute"] = modules;
}

// Sets what the platform may have no link for, or the model no such module.
void offloaded(Json& document) {
  Json& block = any_block(document);
  Json modules = Json::array();
  for (const char* module : {"attn_norm", "qkv_linear", "core_attn", "attn_proj", "mlp_norm"})
    if (one_in(2)) modules.push_back(module);
  for (const char* module : {"expert_fc1", "moe_act"})
    if (has_experts(block) && one_in(2)) modules.push_back(module);
  if (modules.empty() || one_in(2)) modules = any_of<std::string>({"none", "inputs", "all"});
  block["offload"] = modules;
  if (modules == "inputs") block["recompute"] = "full";
}

void sharded(Json& document) {
  Json& parallel = document["parallel"];
  parallel["data"] = "zero3";
  if (one_in(2)) parallel["reshard_after_forward"] = one_in(3);
  if (one_in(2)) parallel["data_parallel_shard_degree"] = number(1, 4);
}

void layers_recomputed(Json& document) {
  Json& block = any_block(document);
  block["recompute"] = "full";
  block[any_of<std::string>({"recompute_layers", "recompute_every", "recompute_together"})] = number(1, 3);
}

void parallel(Json& document) {
  Json& parallel = document["parallel"];
  if (one_in(2)) parallel["optimizer"] = one_in(3) ? "device" : "swapped";
  if (one_in(3)) parallel["placement"] = "aligned";
  if (one_in(2)) parallel["context_by"] = one_in(2) ? "ring" : "ulysses";
  if (one_in(3) && role_of(document["model"]["blocks"][0]) == "encoder") parallel["images"] = "shared";
}

// Sets a kernel that the platform may or may not state.
void attention_kernel(Json& document) {
  if (!document.contains("framework") || document["framework"].is_string())
    document["framework"] = any_framework();
  graphs_without_images(document);
  document["framework"]["attention"] = {
      {"kernel", any_of<std::string>({"flash-1", "flash-2"})}, {"kind", "measured"}, {"source", "the dice"}};
  if (one_in(2)) document["framework"]["attention"]["otherwise"] = "accelerator";
}

void experts(Json& document) {
  Json& parallel = document["parallel"];
  if (one_in(2)) parallel["expert_tensor"] = any_of<std::uint32_t>({1, 2, 4});
  if (one_in(2)) parallel["fp8_dispatch"] = !one_in(3);
  if (one_in(2)) parallel["dispatch"] = "per-node";
}

void collectives(Json& document) {
  document["network"]["collectives"] = "priced";
}

// These platforms have no tables beside them, whose paths would be resolved from another folder.
void platform_inside(Json& document) {
  std::ifstream file(shipped(std::string("platforms/") + (one_in(2) ? "ideal" : "cloudmatrix384") + ".json"));
  document["platform"] = Json::parse(file);
}

void platform_changed(Json& document) {
  Json changes;
  if (one_in(2)) changes["/accelerator/memory_bandwidth_gbps"] = figure(number(5, 50) * 100);
  if (one_in(2)) changes["/tiers/0/latency_us"] = figure(number(1, 50) * 0.2);
  if (changes.empty()) changes["/tiers/0/bandwidth_gbps"] = figure(number(1, 50) * 10);
  document["platform_set"] = changes;
}

void shipped_framework(Json& document) {
  document["framework"] =
      shipped("platforms/frameworks/" +
              any_of<std::string>({"megatron", "mindspeed", "torchtitan-compiled"}) + ".json");
  if (one_in(2)) document["framework_set"]["/launch_us"] = figure(number(0, 60));
}

Json distribution() {
  if (one_in(2)) return shipped("workloads/traces/servegen_images_per_request.csv");
  return {{"values", {1, 2, 5}}, {"shares", {0.5, 0.25, 0.25}}};
}

void samples(Json& document) {
  Json& workload = document["workload"];
  if (one_in(2)) workload["rule"]["min_pixels"] = number(4, 64) * 784;
  if (one_in(2)) workload["rule"]["max_pixels"] = number(256, 2048) * 784;
  if (one_in(2)) workload["max_patches"] = number(4, 40) * 1000;
  if (one_in(2)) workload["images_per_sample"] = distribution();
  if (one_in(2) && !workload.contains("packing")) workload["packing"] = "packed";
}

Json video_rule() {
  Json rule = {{"fps", number(1, 4) * 0.5}, {"min_frames", number(1, 6)}, {"max_frames", number(8, 64)}};
  if (one_in(2)) rule["min_pixels"] = number(2, 64) * 1024;
  if (one_in(2)) rule["max_pixels"] = number(100, 20'000) * 1024;
  if (one_in(2)) rule["total_pixels"] = number(1000, 90'000) * 1024;
  return rule;
}

void videos(Json& document) {
  Json& workload = document["workload"];
  if (!workload.contains("trace")) throw InputError({});
  if (!one_in(4)) workload["trace"] = shipped("workloads/traces/activitynet_videos.csv");
  workload["rule"]["video"] = video_rule();
}

Json clips() {
  Json audio = {{"trace", shipped("workloads/traces/activitynet_audio.csv")},
                {"clips_per_sample", number(0, 2)}};
  if (one_in(2)) audio["clips_per_sample"] = distribution();
  if (one_in(2)) audio["max_seconds"] = number(1, 400) * 0.5;
  return audio;
}

// Puts an audio tower beside the vision tower, or in its place.
void audio(Json& document) {
  Json& blocks = document["model"]["blocks"];
  if (role_of(blocks[0]) != "encoder") throw InputError({});
  const bool wide = names(blocks[1]["architecture"], "qwen2-vl-7b");
  const Json tower = {
      {"name", "ear"},
      {"role", "encoder"},
      {"architecture", shipped(std::string("workloads/models/") +
                               (wide ? "qwen2.5-omni-audio" : "qwen3-omni-audio") + "/config.json")},
      {"layers", number(1, 3)},
      {"trainable", one_in(2)}};
  document["workload"]["audio"] = clips();
  document["schedules"] = {{{"name", "one"}, {"schedule", "transpose,1f1b"}, {"cut", {1}}},
                           {{"name", "other"}, {"schedule", "1f1b"}, {"split", "balanced"}}};
  std::uint32_t before = tower["layers"];
  if (one_in(4)) {
    for (const char* key : {"trace", "images_per_sample", "text_only_share", "rule"})
      document["workload"].erase(key);
    blocks[0] = tower;
  } else {
    if (one_in(2)) blocks[0]["modality"] = "vision";
    before += blocks[0]["layers"].get<std::uint32_t>();
    blocks[0]["feeds"] = blocks[1]["name"];
    blocks.insert(blocks.begin() + 1, tower);
    if (one_in(2)) blocks[1]["modality"] = "audio";
  }
  document["schedules"][0]["cut"] = {before};
}

}  // namespace

std::vector<Extra> analytic_extras() {
  return {{precision, 6},
          {optimizer_states, 6},
          {adapters, 6},
          {adapter_targets, 2},
          {layers_of_their_own, 6},
          {predictions, 6},
          {attention, 6},
          {attention_kernel, 6},
          {role, 6},
          {memory_efficiency, 6},
          {modules_recomputed, 6},
          {layers_recomputed, 6},
          {offloaded, 6},
          {sharded, 6},
          {parallel, 3},
          {experts, 4},
          {collectives, 6},
          {platform_inside, 8},
          {platform_changed, 6},
          {shipped_framework, 6},
          {samples, 3},
          {videos, 3},
          {audio, 3}};
}

}  // namespace spillway::testing
