// Precisions and sharding of Megatron-Bridge that need more than a name.

#include "option_facts.h"
#include "written_launch.h"

namespace spillway {
namespace {

// Gradients of Megatron-Bridge's benchmarks are reduced in BF16, unless `reduction` states FP32.
const std::string kInFp32 =
    R"("framework_set":{"/gradient_buffer_bytes/value":4,"/gradient_bytes/value":4},)";

std::string experiment_text(const std::string& model, const std::string& precision, const std::string& data,
                            const std::string& reduction) {
  return R"({"schema":"spillway/experiment/1","name":"bridge","platform":"hgx-h100","framework":"megatron-bridge",)" +
         reduction + R"("pipeline":{"ranks":1,"microbatches":4,"replicas":8},"parallel":{"data":")" + data +
         R"("},"model":{"blocks":[{"name":"llm","role":"backbone","architecture":")" + model + '"' +
         precision +
         R"(}]},"workload":{"sequence_tokens":8192,"sequences_per_microbatch":1},"schedules":[{"name":"s","schedule":"1f1b"}]})";
}

// The launch, which is read back and has options of the framework alone; or the reasons, as one text.
std::string bridge_launch(const std::string& model, const std::string& precision, const std::string& data,
                          const std::string& reduction = "") {
  const Experiment experiment =
      parse_experiment(experiment_text(model, precision, data, reduction), "bridge.json", {});
  const LaunchAnswer answer =
      write_launch(experiment, experiment.schedules.front(), LaunchFramework::MegatronBridge);
  if (const auto* reasons = std::get_if<LaunchReasons>(&answer)) return joined(*reasons, "; ");
  const auto& launch = std::get<WrittenLaunch>(answer);
  LaunchOptions options;
  options.platform = "hgx-h100";
  expect_known_options("megatron-bridge", launch, model);
  EXPECT_EQ(lost(experiment, 0, launch, options), "") << launch.files.front().text;
  return launch.files.front().text;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// No name of a precision is FP8 by tensor in all layers; the fields of a benchmark's recipe are.
TEST(WriteBridge, Fp8ByTensorBeginsWithABenchmark) {
  const std::string text = bridge_launch("llama-3-8b", R"(,"fp8":"tensorwise","fp8_param":true)", "zero1");
  EXPECT_TRUE(has(text, "--recipe llama3_8b_pretrain_8gpu_h100_fp8cs_config")) << text;
  EXPECT_TRUE(has(text, "mixed_precision.first_last_layers_bf16=false")) << text;
  EXPECT_TRUE(has(text, "mixed_precision.fp8_recipe=tensorwise")) << text;
  EXPECT_FALSE(has(text, "mixed_precision=")) << text;
  EXPECT_FALSE(has(text, "--dataset")) << text;  // a benchmark refuses another
}

const std::string kNamedFp8 =
    R"(,"fp8":"tensorwise","fp8_param":true,"num_layers_at_start_in_bf16":1,"num_layers_at_end_in_bf16":1)";

TEST(WriteBridge, PrecisionsWithANameBeginWithTheLibrary) {
  for (const auto& [precision, name] :
       {std::pair<std::string, std::string>("", "bf16_mixed"),
        std::pair<std::string, std::string>(kNamedFp8, "bf16_with_fp8_current_scaling_mixed")}) {
    const std::string text = bridge_launch("llama-3-8b", precision, "zero1", kInFp32);
    EXPECT_TRUE(has(text, "mixed_precision=" + name)) << text;
    EXPECT_TRUE(has(text, "ddp.grad_reduce_in_fp32=true")) << text;
    EXPECT_TRUE(has(text, "--recipe llama3_8b_pretrain_16gpu_h100_bf16_16k_config") ||
                has(text, "--recipe llama3_8b_pretrain_2gpu_h100_bf16_config"))
        << text;
  }
}

// A name would reduce in FP32, whatever ddp states. `lost` reads both back.
TEST(WriteBridge, GradientsInBf16HaveNoPrecisionByName) {
  const std::string text = bridge_launch("llama-3-8b", "", "zero1");
  EXPECT_TRUE(has(text, "mixed_precision=null")) << text;
  EXPECT_TRUE(has(text, "ddp.grad_reduce_in_fp32=false")) << text;
  for (const char* part : {"model.bf16=true", "model.params_dtype=torch.bfloat16", "optimizer.bf16=true",
                           "optimizer.params_dtype=torch.bfloat16"})
    EXPECT_TRUE(has(text, part)) << text;
  const std::string fp8 = bridge_launch("llama-3-8b", kNamedFp8, "zero1");
  EXPECT_TRUE(has(fp8, "--recipe llama3_8b_pretrain_8gpu_h100_fp8cs_config")) << fp8;
  EXPECT_TRUE(has(fp8, "mixed_precision.grad_reduce_in_fp32=false")) << fp8;
  EXPECT_FALSE(has(fp8, "mixed_precision=")) << fp8;
  EXPECT_EQ(bridge_launch("qwen3-8b", kNamedFp8, "zero1"),
            "its precisions by name reduce gradients in FP32, and import knows no benchmark of this model");
}

TEST(WriteBridge, APrecisionWithoutNameAndBenchmarkIsRefused) {
  EXPECT_EQ(bridge_launch("qwen3-8b", R"(,"fp8":"tensorwise","fp8_param":true)", "zero1"),
            "no precision that it has a name for is this one");
  EXPECT_EQ(bridge_launch("llama-2-70b", "", "zero1"), "import knows no recipe of this model");
}

TEST(WriteBridge, ShardsAllStatesByMegatronFsdp) {
  for (const char* data : {"zero2", "zero3"}) {
    const std::string text = bridge_launch("llama-3-8b", "", data);
    EXPECT_TRUE(has(text, "ddp.use_megatron_fsdp=true")) << text;
    EXPECT_TRUE(has(text, "CUDA_DEVICE_MAX_CONNECTIONS=32")) << text;
  }
}

}  // namespace
}  // namespace spillway
