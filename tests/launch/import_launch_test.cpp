// Scripts of a few lines: what is asked for, refused, and made of single arguments.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "base/text.h"
#include "launch/import.h"
#include "public_launch.h"

namespace spillway {
namespace {

class Script {
 public:
  explicit Script(const std::string& text) : path_(own_file(std::to_string(++count_) + ".sh")) {
    std::ofstream(path_) << text;
  }
  ~Script() { std::filesystem::remove(path_); }
  Script(const Script&) = delete;
  Script& operator=(const Script&) = delete;
  std::string path() const { return path_.string(); }

 private:
  static inline int count_ = 0;
  std::filesystem::path path_;
};

const std::string kModel =
    "--num-layers 8 --hidden-size 1024 --num-attention-heads 16 --swiglu --normalization RMSNorm "
    "--disable-bias-linear "
    "--position-embedding-type rope --vocab-size 32000 --untie-embeddings-and-output-weights ";
const std::string kBatch = "--micro-batch-size 1 --global-batch-size 64 --seq-length 2048 --bf16 ";
const std::string kRun = "torchrun --nproc_per_node 8 --nnodes 2 pretrain_gpt.py ";

LaunchImport imported(const std::string& arguments, LaunchOptions options = {}) {
  const Script script(kRun + kModel + kBatch + arguments + "\n");
  options.platform = "hgx-h100";
  return import_launch(script.path(), options);
}

std::string refusal(const std::string& text, LaunchOptions options = {}) {
  const Script script(text);
  try {
    import_launch(script.path(), options);
  } catch (const InputError& error) {
    std::string message = error.what();
    for (std::size_t at; (at = message.find(script.path())) != std::string::npos;)
      message.replace(at, script.path().size(), "S");
    return message;
  }
  return "none";
}

TEST(ImportLaunch, AsksForAllThatIsMissingAtOnce) {
  const std::string text =
      refusal("N=$(nproc)\ntorchrun --nproc_per_node $N pretrain_gpt.py --num-layers 8 --seq-length x\n");
  for (const char* part :
       {"--platform: expected the platform",
        "S: line 2, --nproc-per-node: expected --set N=VALUE, found \"$N\" (line 1: $(nproc) is not run)",
        "--hidden-size: expected", "--vocab-size: expected", "--micro-batch-size: expected",
        "--num-attention-heads: expected",
        "S: line 2, --seq-length: expected a whole number from 1, found \"x\"",
        "--bf16: expected --bf16 or --fp16"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
}

TEST(ImportLaunch, NeedsFilesThatAreThere) {
  LaunchOptions options;
  options.platform = "h100";
  options.framework = "nope";
  const std::string text = refusal(kRun + kModel + kBatch + "\n", options);
  EXPECT_NE(text.find("--platform: expected a readable file, or the shipped \"h100-"), std::string::npos)
      << text;
  EXPECT_NE(text.find("--framework: expected a shipped framework or a readable file, found \"nope\""),
            std::string::npos)
      << text;
}

TEST(ImportLaunch, NeedsOneTraining) {
  LaunchOptions options;
  options.platform = "hgx-h100";
  EXPECT_NE(refusal("echo no\n", options).find("found none"), std::string::npos);
  const std::string two = kRun + kModel + kBatch + "\n" + kRun + kModel + kBatch + "\n";
  EXPECT_NE(refusal(two, options).find("found 2, in line 1, 2"), std::string::npos);
}

TEST(ImportLaunch, LayoutsOfMegatron) {
  const LaunchImport layout =
      imported("--pipeline-model-parallel-size 2 --pipeline-model-parallel-layout 'Et*3|(t*2|)*2t,L'");
  EXPECT_EQ(layout.layout, "Et*3|(t*2|)*2tL");
  EXPECT_NE(layout.document.find("\"separate_vocabulary\": true"), std::string::npos);
  EXPECT_EQ(imported("--pipeline-model-parallel-size 4 --decoder-first-pipeline-num-layers 1 "
                     "--decoder-last-pipeline-num-layers 3")
                .layout,
            "Et|(t*2|)*2t*3L");
  EXPECT_EQ(imported("--pipeline-model-parallel-size 2 --num-virtual-stages-per-pipeline-rank 2").layout,
            "Et*2|(t*2|)*2t*2L");
  const LaunchImport accounted = imported(
      "--pipeline-model-parallel-size 2 --num-layers 6 --num-layers-per-virtual-pipeline-stage 1 "
      "--account-for-embedding-in-pipeline-split --account-for-loss-in-pipeline-split");
  EXPECT_EQ(accounted.layout, "E|(t|)*6L");
}

TEST(ImportLaunch, LayoutsThatAreNotTheModels) {
  LaunchOptions options;
  options.platform = "hgx-h100";
  const std::string run =
      kRun + kModel + kBatch + "--pipeline-model-parallel-size 2 --pipeline-model-parallel-layout ";
  EXPECT_NE(refusal(run + "'Et*3|t*3L'", options).find("expected 8 t, as --num-layers states, found 6"),
            std::string::npos);
  EXPECT_NE(refusal(run + "'Et*4|t*4|L'", options)
                .find("expected a multiple of the pipeline size, 2, as stages, found 3"),
            std::string::npos);
  EXPECT_NE(refusal(run + "'Et*8||t|L'", options).find("a stage that holds nothing"), std::string::npos);
  EXPECT_NE(refusal(run + "'Et*4|t*4Lx'", options).find("expected E, t, m, L, | or (...)*N, found \"x\""),
            std::string::npos);
}

TEST(ImportLaunch, OptionsBesideTheScript) {
  LaunchOptions options;
  options.arguments = {"--num-layers 12", "--new-thing 3"};
  options.devices = 64;
  options.measured_s = 2.5;
  const LaunchImport launch = imported("--tensor-model-parallel-size 4", options);
  EXPECT_NE(launch.document.find("\"measured_s\": 2.5"), std::string::npos);
  EXPECT_NE(launch.document.find("\"replicas\": 16"), std::string::npos);
  EXPECT_NE(launch.architecture.value().find("\"num_hidden_layers\": 12"), std::string::npos);
  ASSERT_EQ(launch.not_understood.size(), 1u);
  EXPECT_EQ(launch.not_understood[0].text, "--new-thing 3");
}

TEST(ImportLaunch, PrecisionRecomputationAndOptimizer) {
  const auto block = [](const std::string& arguments) {
    std::string text = imported(arguments).document;
    std::erase(text, ' ');
    std::erase(text, '\n');
    return text;
  };
  const auto expect = [&](const std::string& arguments, const std::string& part) {
    const std::string text = block(arguments);
    EXPECT_NE(text.find(part), std::string::npos) << arguments << "\n" << text;
  };
  expect("--recompute-activations", R"("recompute":"selective")");
  expect("--recompute-granularity selective --recompute-modules core_attn mlp",
         R"("recompute":["core_attn","mlp"])");
  expect("--recompute-granularity full --recompute-method uniform --recompute-num-layers 2",
         R"("recompute_together":2)");
  expect("--recompute-granularity full --recompute-method block --recompute-num-layers 3",
         R"("recompute_layers":3)");
  expect("--fp8-format hybrid --fp8-recipe blockwise --first-last-layers-bf16",
         R"("fp8":"blockwise","num_layers_at_start_in_bf16":1,"num_layers_at_end_in_bf16":1)");
  expect("--use-distributed-optimizer --use-precision-aware-optimizer --exp-avg-dtype bf16",
         R"("data":"zero1","main_params_dtype":"remainder","exp_avg_dtype":"bf16")");
  expect("--optimizer dist_muon", R"("data":"zero1","muon_num_ns_steps":5)");
  expect("--optimizer muon --muon-num-ns-steps 10", R"("data":"plain","muon_num_ns_steps":10)");
  expect("--attention-backend unfused", R"("attention":"unfused")");
  expect("--context-parallel-size 2 --cp-comm-type a2a", R"("context":2,"context_by":"ulysses")");
  expect("--tensor-model-parallel-size 2 --sequence-parallel --tp-comm-overlap",
         R"("sequence_parallel":true,"tensor_overlap":"all")");
  expect("--overlap-grad-reduce --overlap-param-gather --use-distributed-optimizer",
         R"("framework":"megatron-overlapped")");
  expect("--num-experts 8 --expert-model-parallel-size 8 --moe-token-dispatcher-type flex",
         R"("dispatch":"per-node")");
}

TEST(ImportLaunch, DropoutIsListedUnlessItIsZero) {
  const LaunchImport launch = imported("--attention-dropout 0.0 --hidden-dropout 0.1");
  ASSERT_EQ(launch.not_understood.size(), 1u);
  EXPECT_EQ(launch.not_understood[0].text, "--hidden-dropout 0.1");
}

TEST(ImportLaunch, WhatIsGivenUnderAnUnknownConditionIsListed) {
  const Script script("A=(--bf16)\nif [ -d cache ]; then A+=(--fp8-format hybrid); fi\n" + kRun + kModel +
                      "--micro-batch-size 1 --seq-length 2048 \"${A[@]}\"\n");
  LaunchOptions options;
  options.platform = "hgx-h100";
  const LaunchImport launch = import_launch(script.path(), options);
  ASSERT_EQ(launch.not_understood.size(), 1u);
  EXPECT_EQ(launch.not_understood[0].text,
            "? (line 2: \"--fp8-format hybrid\" only under the condition of line 2)");
}

TEST(ImportLaunch, ScriptsAreKnownByTheirNameOrFirstLine) {
  const Script script("#!/bin/bash\n");
  EXPECT_TRUE(is_launch_script(script.path()));
  EXPECT_FALSE(is_launch_script(SPILLWAY_SOURCE_DIR "/workloads/published/traces/straggler-st.csv"));
  EXPECT_FALSE(is_launch_script("no/such/file"));
}

}  // namespace
}  // namespace spillway
