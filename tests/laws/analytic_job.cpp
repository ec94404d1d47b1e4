// Documents with architectures on a platform.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "dice.h"
#include "documents.h"
#include "support/skeletons.h"

namespace spillway::testing {
namespace {

// A backbone, and the file of its encoder if it has one.
struct Family {
  std::string backbone;
  std::string encoder;
  bool experts;
};

const std::vector<Family> kFamilies = {
    {"llama-3-8b", "", false},
    {"gpt-2", "", false},
    {"qwen3-0.6b", "", false},
    {"qwen3-235b-a22b", "", true},
    {"qwen2-vl-7b", "qwen2-vl-7b", false},
    {"qwen3-vl-30b-a3b", "qwen3-vl-30b-a3b", true},
    {"qwen3.5-9b", "qwen3.5-9b", false},
    {"deepseek-v3", "qwen2-vl-vit-to-deepseek-v3", true},
};

const std::vector<std::string> kPlatforms = {"hgx-h100",    "hgx-h200",       "hgx-a100",
                                             "b200",        "cloudmatrix384", "atlas-800-a2",
                                             "gb200-nvl72", "h100-vidur",     "h100-nccl-2.29"};

class AnalyticDraw {
 public:
  AnalyticDraw()
      : family_(any_of(kFamilies)),
        ranks_(number(1, 4)),
        microbatches_(ranks_ * number(1, 2) + number(0, 2)) {
    backbone_ = any_of<std::string>({kPipelined.begin(), kPipelined.end()});
    if (backbone_ == "dualpipe") ranks_ += ranks_ % 2;
    if (backbone_.starts_with("dualpipe")) microbatches_ = 2 * ranks_ + 2 * number(0, 1);
    overlaps_ = family_.experts && one_in(4);
    if (overlaps_) overlap();
  }

  Json document() {
    Json document = {{"schema", "spillway/experiment/1"}, {"name", "job"}};
    document["pipeline"] = {{"ranks", ranks_}, {"microbatches", microbatches_}, {"replicas", number(1, 4)}};
    document["platform"] = shipped("platforms/" + any_of(kPlatforms) + ".json");
    if (one_in(3)) document["framework"] = any_framework();
    document["parallel"] = parallel();
    document["model"]["blocks"] = blocks();
    graphs_without_images(document);
    document["workload"] = workload();
    document["network"]["p2p"] = any_of<std::string>({"overlapped", "blocking"});
    if (one_in(6)) document["network"]["collectives"] = "flows";
    document["seed"] = number(0, 99);
    document["draws"] = number(1, 2);
    document["schedules"] = schedules();
    return document;
  }

 private:
  bool drawn() const { return !family_.encoder.empty(); }

  // 1f1b-overlap: on one rank, or interleaved.
  void overlap() {
    backbone_ = "1f1b-overlap";
    if (ranks_ == 1) return;
    backbone_ += "," + backbone_;
    microbatches_ = ranks_ * number(1, 2);
  }

  Json parallel() const {
    Json parallel = {{"tensor", any_of<std::uint32_t>({1, 1, 2, 4})},
                     {"context", any_of<std::uint32_t>({1, 1, 2})},
                     {"data", any_of<std::string>({"plain", "zero1", "zero2", "zero3"})}};
    if (one_in(4)) parallel["placement"] = "packed";
    if (drawn() && one_in(3)) parallel["images"] = one_in(2) ? "repeated" : "split";
    if (parallel["tensor"] > 1) {
      parallel["tensor_overlap"] = any_of<std::string>({"none", "backward", "all"});
      parallel["sequence_parallel"] = !one_in(3);
    }
    if (family_.experts) {
      parallel["expert"] = overlaps_ ? 2 : any_of<std::uint32_t>({1, 2, 4, 8});
      if (parallel["expert"] > 1) {
        parallel["dispatch"] = any_of<std::string>({"per-expert", "per-node", "all-gather"});
        if (overlaps_) parallel["dispatch"] = any_of<std::string>({"per-expert", "per-node"});
        if (one_in(3)) parallel["expert_imbalance"] = 1.5;
      }
    }
    return parallel;
  }

  Json block(const std::string& name, const std::string& model, std::uint32_t layers) const {
    Json block = {{"name", name},
                  {"architecture", shipped("workloads/models/" + model + "/config.json")},
                  {"layers", layers},
                  {"trainable", !one_in(4)},
                  {"recompute", any_of<std::string>({"none", "selective", "alternate", "full"})}};
    if (overlaps_ && block["recompute"] == "full") block["recompute"] = "none";
    if (one_in(3)) block["efficiency"] = {{"compute", number(3, 9) * 0.1}};
    if (one_in(4)) block["fixed_ms"] = number(1, 40) * 0.1;
    if (one_in(8)) block["fixed_in"] = any_of<std::string>({"layers", "first-layer"});
    return block;
  }

  Json blocks() {
    const std::uint32_t stages = 4 * ranks_;  // as many as a wave(2) has
    llm_layers_ = stages + number(0, 4);
    Json blocks = Json::array();
    if (drawn()) {
      enc_layers_ = number(1, 6);
      blocks.push_back(block("enc", family_.encoder, enc_layers_));
    }
    blocks.push_back(block("llm", family_.backbone, llm_layers_));
    if (drawn() && !overlaps_ && one_in(6)) blocks.push_back(block("gen", "dit-xl-2", number(1, 6)));
    return blocks;
  }

  Json workload() const {
    if (!drawn())
      return {{"sequence_tokens", number(1, 8) * 512}, {"sequences_per_microbatch", number(1, 2)}};
    Json workload = {{"trace", shipped("workloads/traces/coco_val2017.csv")},
                     {"images_per_sample", number(1, 3)},
                     {"text_tokens", number(50, 900)}};
    if (one_in(2)) {
      workload["packing"] = "unpacked";
      workload["samples_per_microbatch"] = number(1, 3);
    } else {
      workload["sequence_tokens"] = number(4, 8) * 1024;
    }
    if (one_in(3)) workload["text_only_share"] = number(1, 5) * 0.1;
    return workload;
  }

  Json schedules() const {
    Json schedules = Json::array();
    Json one = {{"name", "one"}, {"schedule", drawn() ? "transpose," + backbone_ : backbone_}};
    if (const bool woven = backbone_.find(',') != std::string::npos; woven && drawn())
      one["cut"] = {enc_layers_, enc_layers_ + llm_layers_ / 2};
    else if (woven)
      one["cut"] = {llm_layers_ / 2};
    draw_options(one, drawn(), microbatches_);
    schedules.push_back(std::move(one));
    if (one_in(2)) schedules.push_back({{"name", "other"}, {"schedule", "1f1b"}, {"split", "balanced"}});
    return schedules;
  }

  Family family_;
  std::uint32_t ranks_;
  std::uint32_t microbatches_;
  std::string backbone_;
  bool overlaps_ = false;
  std::uint32_t enc_layers_ = 0;
  std::uint32_t llm_layers_ = 0;
};

}  // namespace

Json analytic_document() {
  return AnalyticDraw().document();
}

}  // namespace spillway::testing
