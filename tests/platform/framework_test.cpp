// The accelerators that each framework runs on, and what frameworks list of themselves.
#include "platform/framework.h"

#include <gtest/gtest.h>

#include "platform/inputs.h"
#include "small_platform.h"

namespace spillway {
namespace {

std::vector<std::string> wrong_places(const Framework& framework, const Accelerator& accelerator) {
  std::vector<std::string> pointers;
  for (const Violation& violation : check_framework(framework, accelerator))
    pointers.push_back(violation.pointer);
  return pointers;
}

using Pointers = std::vector<std::string>;

TEST(Framework, ThatStatesNothingRunsAnywhere) {
  EXPECT_EQ(wrong_places({.name = "plain"}, small_platform().accelerator), Pointers{});
}

TEST(Framework, NamesAKernelThatTheAcceleratorStates) {
  Accelerator accelerator = small_platform().accelerator;
  Framework framework{.name = "x",
                      .attention = Sourced<std::string>{"flash-1", Evidence::Vendor, "its code"}};
  EXPECT_EQ(wrong_places(framework, accelerator), Pointers{"/attention/kernel"});
  accelerator.attention_kernels = {{"flash-2", chosen(0.5), chosen(0.4)}};
  const auto violations = check_framework(framework, accelerator);
  ASSERT_EQ(violations.size(), 1u);
  EXPECT_EQ(violations[0].expected,
            "one of the attention kernels of device: flash-2, or \"otherwise\": \"accelerator\" beside it");
  accelerator.attention_kernels.push_back({"flash-1", chosen(0.3), chosen(0.2)});
  EXPECT_EQ(wrong_places(framework, accelerator), Pointers{});
}

// With "otherwise" it runs on every accelerator: by the kernel where that is stated, by the accelerator's own
// attention elsewhere.
TEST(Framework, TakesTheAcceleratorsAttentionWhereItSaysSo) {
  Accelerator accelerator = small_platform().accelerator;
  Framework framework{.name = "x",
                      .attention = Sourced<std::string>{"flash-1", Evidence::Vendor, "its code"},
                      .own_attention_otherwise = true};
  EXPECT_EQ(wrong_places(framework, accelerator), Pointers{});
  EXPECT_EQ(attention_kernel(framework, accelerator), nullptr);
  EXPECT_TRUE(takes_own_attention(framework, accelerator));
  accelerator.attention_kernels = {{"flash-2", chosen(0.5), chosen(0.4)},
                                   {"flash-1", chosen(0.3), chosen(0.2)}};
  EXPECT_EQ(attention_kernel(framework, accelerator), &accelerator.attention_kernels[1]);
  EXPECT_FALSE(takes_own_attention(framework, accelerator));
  EXPECT_FALSE(takes_own_attention({.name = "plain"}, accelerator));
}

TEST(Framework, NumbersLieInTheirRanges) {
  Framework framework{.name = "x"};
  framework.launch = chosen(microseconds(-1));
  framework.message = chosen(microseconds(-1));
  framework.collective = chosen(microseconds(-1));
  framework.update = chosen(microseconds(-1));
  framework.gradient = chosen(Bytes(8));
  framework.hidden_tensor = chosen(1.5);
  framework.hidden_chunks = chosen(-0.25);
  framework.hidden_data = chosen(-0.5);
  framework.hidden_gradients = chosen(2.0);
  framework.hidden_parameters = chosen(2.0);
  framework.hidden_fused = chosen(1.01);
  framework.operators["norm"] = {chosen(0.0), chosen(0.0), chosen(0.0), chosen(0.0), chosen(0.0)};
  framework.gradient_bucket = chosen(Bytes(-1));
  framework.stage_kernels = chosen(-1.0);
  framework.gradient_averages = chosen(-1.0);
  framework.gradient_checks = chosen(-1.0);
  framework.clipped_steps = chosen(1.5);
  framework.norm_waits = chosen(-1.0);
  framework.loss_waits = chosen(-1.0);
  framework.between_steps = chosen(Seconds(-1));
  framework.encoder_operators["gemm"] = {.waits = chosen(0.5), .gradient_sum = chosen(Bytes(0))};
  EXPECT_EQ(wrong_places(framework, small_platform().accelerator),
            (Pointers{"/launch_us/value",
                      "/message_us/value",
                      "/collective_us/value",
                      "/update_us/value",
                      "/step_end/between_us/value",
                      "/gradient_bytes/value",
                      "/hidden/tensor/value",
                      "/hidden/chunks/value",
                      "/hidden/data/value",
                      "/hidden/gradients/value",
                      "/hidden/parameters/value",
                      "/hidden/fused/value",
                      "/gradient_bucket_mb/value",
                      "/stage_kernels/value",
                      "/step_end/averages/value",
                      "/step_end/checks/value",
                      "/step_end/clips/value",
                      "/step_end/norms/value",
                      "/step_end/losses/value",
                      "/operators/norm/forward_kernels/value",
                      "/operators/norm/input_gradient_kernels/value",
                      "/operators/norm/weight_gradient_kernels/value",
                      "/operators/norm/traffic/value",
                      "/operators/norm/gradient_traffic/value",
                      "/encoder_operators/gemm/waits/value",
                      "/encoder_operators/gemm/gradient_sum_bytes/value"}));
}

TEST(Framework, SaysNothingThatChangesNothing) {
  Framework framework{.name = "x"};
  framework.stage_kernels = chosen(3.0);
  framework.collective = chosen(Seconds(1));
  framework.gradient_bucket = chosen(Bytes(1));
  framework.encoder_operators["gemm"].waits = chosen(1.0);
  EXPECT_EQ(wrong_places(framework, small_platform().accelerator),
            (Pointers{"/stage_kernels", "/collective_us", "/encoder_operators", "/gradient_bucket_mb"}));
  framework.launch = chosen(Seconds(1));
  framework.hidden_gradients = chosen(0.5);
  EXPECT_EQ(wrong_places(framework, small_platform().accelerator), Pointers{});
}

// Nothing hides a reduction that begins after the backward.
TEST(Framework, HidesGradientsOnlyInABackward) {
  for (const auto& [word, start] : kReductionStarts) {
    Framework framework{.name = "x"};
    framework.reductions = Sourced<ReductionStart>{start, Evidence::Vendor, "its code"};
    EXPECT_EQ(wrong_places(framework, small_platform().accelerator), Pointers{}) << word;
    framework.hidden_gradients = chosen(1.0);
    const bool in_backward = start == ReductionStart::Aligned || start == ReductionStart::ByBucket;
    EXPECT_EQ(wrong_places(framework, small_platform().accelerator),
              in_backward ? Pointers{} : Pointers{"/hidden/gradients"})
        << word;
    framework.reductions->source = "";
    EXPECT_EQ(wrong_places(framework, small_platform().accelerator).front(), "/step_end/reductions/source");
  }
}

TEST(CheckFramework, ALossHasWholeChunks) {
  Framework framework{.name = "x"};
  framework.chunked_loss = ChunkedLoss{true, Evidence::Vendor, "its code", chosen(2.5)};
  const auto violations = check_framework(framework, small_platform().accelerator);
  ASSERT_EQ(violations.size(), 1u);
  EXPECT_EQ(violations[0].pointer, "/chunked_loss/chunks/value");
  EXPECT_EQ(violations[0].expected, "a whole number from 1 to 65536");
}

TEST(CheckFramework, LayersWaitWhereAHostIsStated) {
  Framework framework{.name = "x"};
  framework.sharding.waits = Sourced<LayerWait>{LayerWait::Stream, Evidence::Derived, "its code"};
  framework.sharding.layer = chosen(microseconds(5));
  const Accelerator& accelerator = small_platform().accelerator;
  EXPECT_EQ(wrong_places(framework, accelerator), (Pointers{"/sharding/synchronizes", "/sharding/layer_us"}));
  framework.launch = chosen(microseconds(5));
  EXPECT_EQ(wrong_places(framework, accelerator), Pointers{});
  framework.graphs =
      Sourced<GraphCover>{GraphCover().with(GraphPart::Attention), Evidence::Vendor, "its code"};
  EXPECT_EQ(wrong_places(framework, accelerator), Pointers{});
  framework.sharding.waits->source = "";
  EXPECT_EQ(wrong_places(framework, accelerator), Pointers{"/sharding/synchronizes/source"});
}

TEST(FrameworkInputs, AreWhatItStates) {
  Accelerator accelerator = small_platform().accelerator;
  accelerator.attention_kernels = {{"flash-2", chosen(0.5), chosen(0.4)}};
  EXPECT_TRUE(framework_inputs({.name = "plain"}, accelerator).empty());
  Framework framework{.name = "x"};
  framework.launch = chosen(microseconds(5));
  framework.attention = Sourced<std::string>{"flash-2", Evidence::Vendor, "its code"};
  framework.pads_values = true;
  framework.scatter_gather = true;
  framework.attends_across_documents = {true, Evidence::Derived, "its code"};
  framework.pads_to = {PadsTo::Microbatch, Evidence::Derived, "its code"};
  framework.chunked_loss = ChunkedLoss{false, Evidence::Vendor, "its code", chosen(8.0)};
  framework.operators["norm"].traffic = chosen(3.0);
  framework.stage_kernels = chosen(9.0);
  framework.gradient_bucket = chosen(Bytes(5e6));
  framework.encoder_operators["gemm"] = {.waits = chosen(1.0), .gradient_sum = chosen(Bytes(10))};
  framework.models = TrainedModels{.text = false, .images = {"qwen2_vl", "internvl"}};
  framework.stages = PlacedStages{.layers = StageLayerCounts::Ends, .encoder_first = true};
  framework.dispatch = Sourced<ExpertDispatch>{ExpertDispatch::PerNode, Evidence::Derived, "its code"};
  std::vector<std::pair<std::string, double>> listed;
  for (const PlatformInput& input : framework_inputs(framework, accelerator))
    listed.emplace_back(input.name, input.value);
  EXPECT_EQ(listed, (std::vector<std::pair<std::string, double>>{
                        {"framework: launch of a kernel", 5},
                        {"framework: attention by flash-2, forward", 0.5},
                        {"framework: attention by flash-2, backward", 0.4},
                        {"framework: values padded to keys in attention", 1},
                        {"framework: loss in chunks, made again in the backward", 1},
                        {"framework: chunks of the loss", 8},
                        {"framework: transfers scattered and gathered", 1},
                        {"framework: attention across documents of a packed sequence", 1},
                        {"framework: unpacked samples padded to: microbatch", 1},
                        {"framework: bucket of reduced gradients", 5},
                        {"framework: kernels of a stage's forward outside operators", 9},
                        {"framework: norm, traffic", 3},
                        {"framework: encoder, gemm, waits of the host in a forward", 1},
                        {"framework: encoder, gemm, adding a parameter's gradient", 10},
                        {"framework: trains models with images of qwen2_vl, internvl", 1},
                        {"framework: stages have as many layers each, but for the ends; the first has the "
                         "whole encoder",
                         1},
                        {"framework: its users send tokens to experts per-node", 1}}));
}

TEST(FrameworkInputs, TellThatTheAcceleratorsAttentionStandsIn) {
  const Framework framework{.name = "x",
                            .attention = Sourced<std::string>{"flash-1", Evidence::Vendor, "its code"},
                            .own_attention_otherwise = true};
  const auto inputs = framework_inputs(framework, small_platform().accelerator);
  ASSERT_EQ(inputs.size(), 1u);
  EXPECT_EQ(inputs[0].name, "framework: attention of the accelerator instead of flash-1");
  EXPECT_EQ(inputs[0].evidence, Evidence::Assumed);
}

TEST(Framework, StatesGraphsThatExist) {
  Framework framework{.name = "x"};
  const auto wrong = [&] { return wrong_places(framework, small_platform().accelerator); };
  const auto cover = [&](GraphCover covers) {
    framework.graphs = Sourced<GraphCover>{covers, Evidence::Vendor, "its code"};
  };
  cover(GraphCover::layer());
  EXPECT_EQ(wrong(), Pointers{"/graphs"});  // without launch_us
  framework.launch = chosen(microseconds(5));
  EXPECT_EQ(wrong(), Pointers{});
  cover(GraphCover().with(GraphPart::Preprocess));
  EXPECT_EQ(wrong(), Pointers{"/graphs/covers"});
  cover(GraphCover().with(GraphPart::Router).with(GraphPart::Mixture));
  EXPECT_EQ(wrong(), Pointers{"/graphs/covers"});
  cover(GraphCover::step());
  framework.message = chosen(microseconds(5));
  EXPECT_EQ(wrong(), Pointers{"/message_us"});
  framework = {.name = "x", .launch = chosen(microseconds(5)), .graph_launch = chosen(microseconds(5))};
  EXPECT_EQ(wrong(), Pointers{"/graph_launch_us"});
}

TEST(Framework, NamesWhatGraphsCover) {
  EXPECT_EQ(words(GraphCover()), "none");
  EXPECT_EQ(words(GraphCover::step()), "step");
  EXPECT_EQ(words(GraphCover().with(GraphPart::Attention).with(GraphPart::Router)), "attn, moe_router");
}

}  // namespace
}  // namespace spillway
