// Random jobs in which published causes can matter. Shares no code with the causes that are tried
// (explain/gap_causes.h).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "base/error.h"
#include "draws/costs.h"
#include "evaluate/evaluate.h"
#include "evaluate/steps.h"
#include "explained_jobs.h"

namespace spillway {

class Dice {
 public:
  explicit Dice(std::uint32_t seed) : engine_(seed) {}

  std::uint32_t below(std::size_t end) { return static_cast<std::uint32_t>(engine_() % end); }
  bool one_in(std::uint32_t n) { return below(n) == 0; }
  template <class Value>
  Value any(const std::vector<Value>& of) {
    return of[below(of.size())];
  }

 private:
  std::mt19937 engine_;
};

inline Evaluation planted_evaluation(const JobJson& job) {
  return evaluate(read_job(job, {}), {.run = {Engine::LongestPath}});
}

inline Seconds planted_step(const JobJson& job) {
  return mean_makespan(planted_evaluation(job).schedules.front());
}

inline JobJson planted_block(const char* name, const char* role, const std::string& model) {
  return {{"name", name},
          {"role", role},
          {"trainable", true},
          {"architecture", shipped("workloads/models/" + model + "/config.json")}};
}

inline JobJson random_blocks(Dice& dice, const std::string& kind) {
  if (kind == "images") {
    const std::string model = dice.any<std::string>({"qwen2-vl-2b", "qwen2.5-vl-7b"});
    return {planted_block("enc", "encoder", model), planted_block("llm", "backbone", model)};
  }
  JobJson text = planted_block("llm", "backbone", kind == "experts" ? "qwen3-30b-a3b" : "llama-3-8b");
  text["layers"] = 4 * (1 + dice.below(3));
  return {text};
}

inline JobJson random_workload(Dice& dice, const std::string& kind) {
  if (kind != "images") return {{"sequence_tokens", 1024 << dice.below(4)}, {"sequences_per_microbatch", 1}};
  JobJson drawn = {{"trace", shipped("workloads/traces/coco_val2017.csv")},
                   {"images_per_sample", shipped("workloads/traces/servegen_images_per_request.csv")},
                   {"text_tokens", shipped("workloads/traces/servegen_text_tokens.csv")}};
  if (dice.one_in(2)) {
    drawn["packing"] = "unpacked";
    drawn["samples_per_microbatch"] = 1 + dice.below(4);
  } else {
    drawn["sequence_tokens"] = 4096;
  }
  return drawn;
}

// The kind of job in which a cause of this key can matter.
inline std::string kind_for(Dice& dice, const std::string& key) {
  if (key == "/parallel/expert_imbalance") return "experts";
  if (key == "/parallel/images" || key.starts_with("/workload/") || key == "/framework/pads_to" ||
      key == "/framework/attends_across_documents")
    return "images";
  if (key.starts_with("/framework/hidden/") || key == "/parallel/sequence_parallel") return "text";
  return dice.any<std::string>({"text", "experts", "images"});
}

// Half of the jobs name their software, and each states some of what others leave open.
inline JobJson random_planted_job(Dice& dice, const std::string& kind) {
  const bool ascend = dice.one_in(4);
  JobJson job = JobJson::parse(R"({ "schema": "spillway/experiment/1", "name": "planted" })");
  job["pipeline"] = {
      {"ranks", 1 << dice.below(3)}, {"microbatches", 2 + dice.below(10)}, {"replicas", 1 << dice.below(4)}};
  const std::string platform =
      ascend ? "atlas-800-a2" : dice.any<std::string>({"hgx-h100", "hgx-a100", "b200"});
  job["platform"] = shipped("platforms/" + platform + ".json");
  job["parallel"]["tensor"] = 1 << dice.below(3);
  if (kind == "experts") job["parallel"]["expert"] = 8;
  if (dice.one_in(2)) job["parallel"]["data"] = dice.any<std::string>({"zero1", "zero3"});
  if (dice.one_in(4)) job["parallel"]["tensor_overlap"] = "none";
  if (dice.one_in(4)) job["parallel"]["images"] = "shared";
  job["model"]["blocks"] = random_blocks(dice, kind);
  if (dice.one_in(4)) job["model"]["blocks"].back()["recompute"] = "selective";
  job["workload"] = random_workload(dice, kind);
  if (dice.one_in(2))
    job["framework"] = ascend ? "mindspeed"
                              : dice.any<std::string>({"megatron-overlapped", "megatron-eager", "nemo",
                                                       "torchtitan-compiled", "torchtitan-eager"});
  job["schedules"] = {{{"name", "s"}, {"schedule", dice.any<std::string>({"1f1b", "1f1b,1f1b"})}}};
  if (kind == "images") job["schedules"][0] = {{"name", "s"}, {"schedule", "1f1b"}, {"split", "balanced"}};
  return job;
}

// Many replicas and few microbatches, so that reductions of gradients or of sharded states matter. What hides
// behind one backward is at most as long as it.
inline void suit_reductions(JobJson& job, Dice& dice, const std::string& data) {
  const std::uint32_t tokens = data == "zero3" ? 1024 : 4096;
  job["pipeline"] = {{"ranks", 1}, {"microbatches", 1 + dice.below(2)}, {"replicas", 16 << dice.below(2)}};
  job["parallel"] = {{"tensor", 1 + dice.below(2)}, {"data", data}};
  job["workload"]["sequence_tokens"] = tokens << dice.below(2);
  if (job.contains("framework") && job["framework"] != "mindspeed") job["framework"] = "megatron-overlapped";
}

// Little work for each launch, and software that states its launches.
inline void suit_graphs(JobJson& job, Dice& dice) {
  const bool images = job["model"]["blocks"].size() > 1;
  job["platform"] = shipped("platforms/hgx-h100.json");
  job["framework"] = images ? "megatron-bridge-vl-eager"
                            : dice.any<std::string>({"megatron-bridge-eager", "megatron-bridge-graphs"});
  job["parallel"]["tensor"] = 4 << dice.below(2);
  if (!images) job["workload"]["sequence_tokens"] = 1024;
}

// Makes a cause of this key matter, if it can.
inline void suit(JobJson& job, Dice& dice, const std::string& key) {
  if (key == "/framework/hidden/data") suit_reductions(job, dice, "zero3");
  if (key == "/framework/hidden/gradients") suit_reductions(job, dice, "zero1");
  if (key == "/framework/graphs") suit_graphs(job, dice);
  if (key == "/parallel/sequence_parallel" || key == "/parallel/tensor_overlap") {
    job["parallel"]["tensor"] = 8;
    job["parallel"].erase(key.substr(key.rfind('/') + 1));
  }
  if (key == "/workload/packing") {
    for (const char* stated : {"packing", "samples_per_microbatch"}) job["workload"].erase(stated);
    job["workload"]["sequence_tokens"] = 2048 << dice.below(2);
    job["pipeline"]["ranks"] = 4;
  }
  if (key == "/framework/attends_across_documents") {
    for (const char* stated : {"packing", "samples_per_microbatch"}) job["workload"].erase(stated);
    job["workload"]["sequence_tokens"] = 32768;
  }
}

}  // namespace spillway
