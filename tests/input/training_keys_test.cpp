// How a block is trained, as an experiment states it: states of the optimizer, offload, precision, adapters.
#include <gtest/gtest.h>

#include "input/experiment/experiment.h"
#include "written.h"

namespace spillway {
namespace {

TEST(TrainingKeys, SwapsTheOptimizerWhereThePlatformStatesALink) {
  const std::vector<Setting> swapped = {{"/parallel/optimizer", "swapped"}};
  const Experiment e = read_experiment(shipped("workloads/experiments/llama3-405b.json"), swapped);
  EXPECT_EQ(std::get<AnalyticExperiment>(e.costs).costs.parallelism.optimizer, OptimizerPlace::Swapped);
  EXPECT_EQ(complaints([&] {
              read_experiment(
                  shipped("workloads/experiments/experiment-a.json"),
                  std::vector<Setting>{swapped[0], {"/platform", shipped("platforms/ideal.json")}});
            }),
            Lines{shipped("workloads/experiments/experiment-a.json") +
                  ": /parallel/optimizer: expected \"device\": ideal states no host_link_gbps, found "
                  "\"swapped\""});
}

TEST(TrainingKeys, ReadsWhatTheHostKeeps) {
  const auto offload = [](const std::string& value, const std::string& recompute = "none") {
    const Experiment e = read_experiment(
        shipped("workloads/experiments/llama3-405b.json"),
        std::vector<Setting>{{"/model/blocks/0/offload", value}, {"/model/blocks/0/recompute", recompute}});
    return std::get<AnalyticExperiment>(e.costs).costs.blocks[0].offload;
  };
  EXPECT_FALSE(offload("none").any());
  EXPECT_EQ(offload("all"), Offload(OffloadWhat::All));
  EXPECT_EQ(offload("inputs", "full"), Offload(OffloadWhat::Inputs));
  const Offload modules = offload(R"(["core_attn", "mlp_norm"])");
  EXPECT_TRUE(modules.has(OffloadModule::CoreAttention) && modules.has(OffloadModule::MlpNorm));
  EXPECT_FALSE(modules.has(OffloadModule::AttentionNorm));
  EXPECT_EQ(complaints([&] { offload(R"(["mlp"])"); }).size(), 1u);
  EXPECT_EQ(complaints([&] { offload("inputs"); }).size(), 1u);
}

Lines complaints_of(const std::vector<Setting>& settings) {
  const std::string file = shipped("workloads/experiments/deepseek-v3-h800.json");
  Lines lines = complaints([&] { read_experiment(file, settings); });
  for (std::string& line : lines) line = line.substr(line.find(": ") + 2);
  return lines;
}

TEST(TrainingKeys, StatesThePrecisionOfABlock) {
  const std::string block = "/model/blocks/0/";
  const Experiment e =
      read_experiment(shipped("workloads/experiments/llama3-405b.json"),
                      std::vector<Setting>{{"/platform", shipped("platforms/b200.json")},
                                           {block + "fp4", "nvfp4"},
                                           {block + "fp4_param", "true"},
                                           {block + "fp8_dot_product_attention", "true"},
                                           {block + "activation_func_fp8_input_store", "true"},
                                           {block + "num_layers_at_start_in_bf16", "2"},
                                           {block + "num_layers_at_end_in_bf16", "3"},
                                           {"/parallel/exp_avg_dtype", "bf16"},
                                           {"/parallel/exp_avg_sq_dtype", "fp8"},
                                           {"/parallel/main_params_dtype", "fp16"}});
  const AnalyticCosts& costs = std::get<AnalyticExperiment>(e.costs).costs;
  EXPECT_EQ(costs.blocks[0].precision, (Precision{.fp4 = Fp4Scaling::Nvfp4,
                                                  .primary_weights = true,
                                                  .fp8_attention = true,
                                                  .fp8_activation_input = true,
                                                  .start_in_bf16 = 2,
                                                  .end_in_bf16 = 3}));
  EXPECT_EQ(costs.parallelism.states, (OptimizerStates{Bytes(2), Bytes(2), Bytes(1)}));
}

TEST(TrainingKeys, RefusesAPrecisionByNameWithWhatWouldDo) {
  const std::string block = "/model/blocks/0/";
  EXPECT_EQ(
      complaints_of({{block + "fp4", "nvfp4"}}),
      Lines{block + "fp4: expected no such key: HGX H800 states no fp4_tflops, only rates of BF16, FP8, "
                    "found the key"});
  EXPECT_EQ(complaints_of({{block + "fp8", "mxfp8"}, {block + "fp4", "nvfp4"}}).front(),
            block + "fp4: expected no such key beside fp8, found \"nvfp4\"");
  EXPECT_EQ(complaints_of({{block + "fp8_param", "true"}}),
            Lines{block + "fp8_param: expected no such key without fp8, found true"});
  EXPECT_EQ(complaints_of({{block + "fp8_dot_product_attention", "true"}}),
            Lines{block + "fp8_dot_product_attention: expected no such key without fp8 or fp4, found true"});
  EXPECT_EQ(
      complaints_of({{block + "fp8", "delayed"}, {block + "num_layers_at_end_in_bf16", "1"}}),
      Lines{block + "num_layers_at_end_in_bf16: expected no such key with fp8 delayed, whose scales all "
                    "layers share, found 1"});
  EXPECT_EQ(complaints_of({{block + "fp8", "tensorwise"}, {block + "num_layers_at_end_in_bf16", "999"}}),
            Lines{block + "num_layers_at_end_in_bf16: expected with num_layers_at_start_in_bf16 at most the "
                          "block's 62 layers, found 999"});
  for (const std::string main : {"remainder", "none"})
    EXPECT_EQ(
        complaints_of({{block + "fp8", "tensorwise"},
                       {block + "fp8_param", "true"},
                       {"/parallel/main_params_dtype", main}}),
        Lines{"/parallel/main_params_dtype: expected fp32 or fp16, since a block keeps no BF16 weights, "
              "found " +
              main});
  EXPECT_EQ(complaints_of({{block + "fp8", "blockwise"}, {block + "fp8_output_proj", "true"}}),
            Lines{block + "fp8_output_proj: expected no such key without fp8 mxfp8, found true"});
  EXPECT_EQ(complaints([] {
              read_experiment(shipped("workloads/experiments/experiment-a.json"),
                              std::vector<Setting>{{"/parallel/optimizer_offload_fraction", "0.5"},
                                                   {"/platform", shipped("platforms/ideal.json")}});
            }),
            Lines{shipped("workloads/experiments/experiment-a.json") +
                  ": /parallel/optimizer_offload_fraction: expected 0: ideal states no "
                  "host_link_gbps, found more"});
}

TEST(TrainingKeys, StateAnFp8HeadAndNoMainParameters) {
  const Experiment e = read_experiment(shipped("workloads/experiments/deepseek-v3-h800.json"),
                                       std::vector<Setting>{{"/model/blocks/0/fp8", "mxfp8"},
                                                            {"/model/blocks/0/fp8_output_proj", "true"},
                                                            {"/parallel/main_params_dtype", "none"}});
  const AnalyticCosts& costs = std::get<AnalyticExperiment>(e.costs).costs;
  EXPECT_EQ(costs.blocks[0].precision, (Precision{.fp8 = Fp8Scaling::Mxfp8, .output_projection = true}));
  EXPECT_EQ(costs.parallelism.states.each(), Bytes(8));
}

TEST(TrainingKeys, AdaptersAreOfATrainedBlock) {
  const auto rank = [](std::vector<Setting> settings) {
    settings.push_back({"/model/blocks/0/lora_rank", "16"});
    const Experiment e = read_experiment(shipped("workloads/experiments/experiment-a.json"), settings);
    return std::get<AnalyticExperiment>(e.costs).costs.blocks[0].adapters.rank;
  };
  EXPECT_EQ(rank({}), 16u);
  EXPECT_EQ(complaints([&] {
              rank({{"/model/blocks/0/trainable", "false"}});
            }),
            Lines{shipped("workloads/experiments/experiment-a.json") +
                  ": /model/blocks/0/lora_rank: expected no such key, since the block is frozen, found 16"});
}

TEST(TrainingKeys, AdaptersHaveTargetsOfTheModel) {
  const std::string file = shipped("workloads/experiments/llama3-405b.json"), at = "/model/blocks/0/lora_";
  const auto read = [&](std::vector<Setting> settings) {
    for (Setting& setting : settings) setting.pointer = at + setting.pointer;
    const Experiment e = read_experiment(file, settings);
    return std::get<AnalyticExperiment>(e.costs).costs.blocks[0].adapters;
  };
  const Adapters of = read({{"rank", "16"}, {"targets", R"(["linear_qkv", "o_proj"])"}, {"dropout", "0.1"}});
  EXPECT_EQ(names_of(of.targets), "linear_qkv, linear_proj, o_proj");
  EXPECT_TRUE(of.dropout);
  EXPECT_EQ(
      complaints([&] {
        read({{"rank", "16"}, {"targets", R"(["q_a_proj", "all", "v_proj"])"}});
      }),
      (Lines{file + ": " + at +
                 "targets/0: expected a product of this model: linear_qkv, q_proj, k_proj, v_proj, "
                 "linear_proj, o_proj, linear_fc1, gate_proj, up_proj, linear_fc2, down_proj, all, found "
                 "\"q_a_proj\"",
             file + ": " + at +
                 "targets/2: expected one adapter for each weight, and all is in the list, found "
                 "\"v_proj\""}));
  EXPECT_EQ(complaints([&] { read({{"rank", "16"}, {"targets", "[]"}}); }).size(), 1u);
  EXPECT_EQ(complaints([&] { read({{"rank", "16"}, {"dropout", "1"}}); }).size(), 1u);
  EXPECT_EQ(complaints([&] { read({{"targets", R"(["all"])"}, {"dropout", "0.1"}}); }).size(), 2u);
}

}  // namespace
}  // namespace spillway
