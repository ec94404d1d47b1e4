// Activations that the host keeps, by hand.
#include "cost/slabs/offload.h"

#include <gtest/gtest.h>

#include "cost/layers/vision.h"
#include "cost/slabs/pass_time.h"
#include "cost/slabs/slab_memory.h"
#include "small_job.h"
#include "small_slab.h"

namespace spillway {
namespace {

Offload modules(std::initializer_list<OffloadModule> all) {
  Offload offload;
  for (const OffloadModule module : all) offload |= module;
  return offload;
}

// Four layers of 8 elements per patch.
SlabMemory four_layers(Offload offload, Recompute recompute) {
  const std::vector<Layer> layers(4, vision_layer(8, 2, 16));
  return SlabMemory(layers, {LoadUnit::Token, 8, kBothGradients, recompute, Bytes(4), offload}, {});
}

TEST(Offload, TakesInputsOfAllLayersButTheLast) {
  const DeviceLoad load{10, 100};
  const SlabMemory here = four_layers({}, Recompute::Full),
                   there = four_layers(OffloadWhat::Inputs, Recompute::Full);
  const Bytes input(2.0 * 8 * load.tokens);
  EXPECT_EQ(here.offloaded(load), Bytes());
  EXPECT_EQ(there.offloaded(load), 3 * input);
  EXPECT_EQ(here(load).activations - there(load).activations, 3 * input);
  EXPECT_EQ(here(load).recomputed, there(load).recomputed);
  // The layer before the last is still on the device while the last one runs.
  EXPECT_EQ((there(load).activations + there(load).forward_workspace) -
                (here(load).activations + here(load).forward_workspace),
            -2 * input);
}

TEST(Offload, TakesAllThatLayersKeep) {
  const DeviceLoad load{10, 100};
  const SlabMemory here = four_layers({}, Recompute::None),
                   there = four_layers(OffloadWhat::All, Recompute::None);
  const Bytes kept = here(load).activations / 4;
  EXPECT_NEAR(there.offloaded(load) / kept, 3, 1e-12);
  EXPECT_NEAR(there(load).activations / kept, 1, 1e-12);
}

TEST(Offload, TakesTheInputsOfModules) {
  const DeviceLoad load{10, 100};
  const Bytes width(2.0 * 8 * load.tokens);
  const auto moved = [&](Offload offload) { return four_layers(offload, Recompute::None).offloaded(load); };
  using enum OffloadModule;
  EXPECT_EQ(moved(modules({AttentionNorm})), 3 * width);
  EXPECT_EQ(moved(modules({MlpNorm})), 3 * width);
  EXPECT_EQ(moved(modules({Qkv})), 3 * width);
  EXPECT_EQ(moved(modules({CoreAttention})), 3 * 3 * width);
  EXPECT_EQ(moved(modules({CoreAttention, AttentionOutput})), 3 * 4 * width);
  EXPECT_EQ(moved(modules({ExpertProduct, ExpertActivation})), Bytes());
}

TEST(Offload, RunsBesideThePass) {
  SlabTimes times;
  times.forward = Seconds(10);
  times.input_gradient = Seconds(20);
  times.host_link = Seconds(15);
  const SlabCommunication none;
  const SlabPasses passes{times, none, kBothGradients, Seconds()};
  const PassTime forward = passes.of(Pass::Forward), backward = passes.of(Pass::Backward);
  EXPECT_EQ(forward.alone(0), Seconds(15));
  EXPECT_EQ(backward.alone(0), Seconds(20));
  PassTime both = forward;
  both += backward;
  EXPECT_EQ(both.overlapped(0), Seconds(30));
  times.host_link = Seconds(40);
  both = SlabPasses{times, none, kBothGradients, Seconds()}.of(Pass::Forward);
  both += SlabPasses{times, none, kBothGradients, Seconds()}.of(Pass::Backward);
  EXPECT_EQ(both.overlapped(0), Seconds(40));
}

TEST(Offload, TakesTheTimeOfItsLink) {
  SmallJob job;
  job.costs.blocks[1].recompute = Recompute::Full;
  job.costs.blocks[1].offload = OffloadWhat::Inputs;
  job.costs.platform.accelerator.host_link = gigabytes_per_second(2e-9);
  const Derived derived = job.derive_as("1f1b", {});
  const AnalyticCostModel there = job.priced(derived);
  // 16 elements of 2 bytes for each of 10 tokens, of all layers but the last.
  const double layers = derived.stages[1].layers.size();
  EXPECT_DOUBLE_EQ(forward_of(there, 1), (layers - 1) * 320 / 2);
  EXPECT_DOUBLE_EQ(backward_of(there, 1), (layers - 1) * 320 / 2);
}

TEST(Offload, IsRefusedByName) {
  SmallJob job;
  BlockCosts& block = job.costs.blocks[1];
  const auto complaint = [&]() -> std::string {
    for (const Violation& found : check_analytic(job.costs, job.model(), job.pipeline))
      if (found.pointer == "/model/blocks/1/offload") return found.expected;
    return "";
  };
  using enum OffloadModule;
  block.offload = modules({CoreAttention});
  EXPECT_EQ(complaint(), "none: " + job.costs.platform.name + " states no host_link_gbps");
  job.costs.platform.accelerator.host_link = gigabytes_per_second(1);
  EXPECT_EQ(complaint(), "");
  block.offload = modules({AttentionOutput});
  EXPECT_EQ(complaint(), "core_attn beside attn_proj, since its backward reads the output, too");
  block.offload = OffloadWhat::Inputs;
  EXPECT_EQ(complaint(), "all, modules, or recompute full, which keeps the inputs of layers");
  block.recompute = Recompute::Full;
  EXPECT_EQ(complaint(), "");
  block.offload = modules({CoreAttention});
  EXPECT_EQ(complaint(), "all or none, since whole layers are recomputed");
}

}  // namespace
}  // namespace spillway
