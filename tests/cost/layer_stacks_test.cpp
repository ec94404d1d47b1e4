// A cached layer stack equals the stack built anew, whatever was requested before.
#include "cost/layers/layer_stacks.h"

#include <gtest/gtest.h>

#include <array>

#include "small_job.h"
#include "support/property.h"

namespace spillway {
namespace {

Framework framework_of(bool fused_loss, bool pads_values, double kernels) {
  Framework framework;
  framework.fused_loss = fused_loss;
  framework.pads_values = pads_values;
  if (kernels > 1) framework.chunked_loss = ChunkedLoss();
  framework.operators["gemm"].forward_kernels = Sourced<double>{kernels, Evidence::Assumed, "this test"};
  return framework;
}

Parallelism parallelism_of(std::uint32_t tensor, std::uint32_t expert_tensor, ExpertDispatch dispatch) {
  Parallelism parallelism;
  parallelism.tensor = tensor;
  parallelism.expert_tensor = expert_tensor;
  parallelism.dispatch = dispatch;
  return parallelism;
}

Precision any_precision(std::uint32_t which) {
  const std::array<Precision, 7> all = {{{},
                                         {.fp8 = Fp8Scaling::Delayed},
                                         {.fp8 = Fp8Scaling::Delayed, .primary_weights = true},
                                         {.fp4 = Fp4Scaling::Nvfp4, .start_in_bf16 = 1},
                                         {.fp4 = Fp4Scaling::Nvfp4, .end_in_bf16 = 1},
                                         {.fp8_activation_input = true},
                                         {.fp8 = Fp8Scaling::Mxfp8, .output_projection = true}}};
  return all[which];
}

RC_GTEST_PROP(LayerStacks, AreThoseThatWouldBeLaidOut, ()) {
  const std::array<Architecture, 2> architectures = {Architecture(small_vit()),
                                                     Architecture(small_deepseek())};
  LayerStacks stacks;
  for (int request = 0; request < 20; ++request) {
    const auto any = [](std::uint32_t below) { return *rc::gen::inRange<std::uint32_t>(0, below); };
    Adapters adapters{.rank = 4 * any(2), .dropout = any(2) == 0};
    if (any(2) == 0) adapters.targets |= AdapterTarget::AttentionOut;
    const TrainedBlock block{architectures[any(2)], adapters};
    const Framework framework = framework_of(any(2) == 0, any(2) == 0, 1 + any(2));
    Parallelism parallelism = parallelism_of(
        1 + any(2), 1 + any(2), any(2) == 0 ? ExpertDispatch::PerExpert : ExpertDispatch::AllGather);
    parallelism.context = 1 + any(3);
    parallelism.context_by = any(2) == 0 ? ContextBy::Ring : ContextBy::Ulysses;
    const BlockExecution execution{framework, parallelism, any_precision(any(7)), any(2) == 0,
                                   Gradients{.weight = any(2) == 0, .input = true}};
    RC_ASSERT(stacks.trained(block)->layers == trained_stack(block).layers);
    RC_ASSERT(stacks.run(block, execution)->layers == run_stack(block, execution).layers);
  }
}

TEST(LayerStacks, LaysOutOnceWhatParallelismLeavesAlike) {
  const Architecture dense = small_vit(), sparse = small_deepseek();
  const Framework framework;
  const Parallelism one = parallelism_of(1, 1, ExpertDispatch::PerExpert),
                    other = parallelism_of(2, 2, ExpertDispatch::PerExpert);
  LayerStacks stacks;
  EXPECT_EQ(stacks.run({dense}, {framework, one}), stacks.run({dense}, {framework, other}));
  EXPECT_NE(stacks.run({sparse}, {framework, one}), stacks.run({sparse}, {framework, other}));
  EXPECT_EQ(stacks.run({sparse}, {framework, one}), stacks.run({sparse}, {framework, one}));
}

}  // namespace
}  // namespace spillway
