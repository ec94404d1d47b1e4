// The paper's Table 1 ("Approximate component heterogeneity under one MLLM training configuration") from the
// architectures: each cell under the reading that explains it. The paper states neither layout nor batch, so
// the readings are this project's, chosen among several because they explain the cells. They leave free the
// batch, 2048 sequences, which two cells share, and the size of an image, 1024 patches.
//
// The layout of the backbone is that of the public recipe for DeepSeek-V3 on 512 dies (Ascend/MindSpeed-LLM,
// examples/mcore/deepseek3/pretrain_deepseek3_671b_4k_A3_ptd.sh): TP2 PP8, so 32 replicas; EP16 extended by
// TP, so 32; distributed optimizer. The layout assumed for Experiment A, TP4 PP16 EP32, would make the first
// cell 6.78 GB.
#pragma once

#include <string>
#include <vector>

#include "cost/layers/architecture.h"
#include "cost/layers/conventions.h"
#include "cost/network/parallelism.h"
#include "cost/layers/layer_cost.h"
#include "cost/slabs/slab_footprint.h"
#include "cost/slabs/slab_memory.h"

namespace spillway {

struct Table1Cell {
  std::string name;
  double published;
  double here;
  std::string unit;
  std::string reading;

  double deviation() const { return here / published - 1; }
};

namespace table_1 {

constexpr double kGigabyte = 1e9;
constexpr double kSequence = 8192;          // the table's caption
constexpr double kPatches = 4 * kSequence;  // of one sequence, the same caption
constexpr double kPatchesPerImage = 1024;
constexpr double kSequences = 2048;
constexpr std::uint32_t kReplicas = 32;
constexpr Parallelism kLayout{.tensor = 2, .expert = 32, .data = DataParallel::Zero1};
constexpr Gradients kTrained{true, true};

inline double training_flops(const LayerStack& stack, DeviceLoad load) {
  return 3 * cost_of(stack.layers).forward(load).value();
}

// Returns the bytes that the layer keeps for its backward beyond its input, alone on one device.
inline Bytes recomputed(const LayerStack& stack, std::size_t layer, DeviceLoad load) {
  const SlabUse use{stack.unit, stack.width, kTrained, Recompute::Full};
  return SlabMemory(std::span(stack.layers).subspan(layer, 1), use, Parallelism())(load).recomputed;
}

inline double parameter_bytes(const ModelState& state) {
  return (state.parameters + state.gradients + state.optimizer).value();
}

}  // namespace table_1

// Contract: `backbone` is DeepSeek-V3, `encoder` the Qwen2-VL tower with its merger to it. Layers in the
// middle stand for all.
inline std::vector<Table1Cell> paper_table_1(const Architecture& backbone, const Architecture& encoder) {
  using namespace table_1;
  const LayerStack llm = layer_stack(backbone), vit = layer_stack(encoder);
  const std::size_t sparse = llm.layers.size() / 2, middle = vit.layers.size() / 2;
  const ModelState states = model_state(cost_of(llm.layers[sparse]), llm.unit, true, kLayout, kReplicas);
  const Bytes per_parameter = kElement + kGradient + OptimizerStates().each();
  const double encoder_states =
      per_parameter.value() * static_cast<double>(cost_of(vit.layers[middle]).parameters()) / kReplicas;
  const DeviceLoad patches{kPatches, kPatches * kPatchesPerImage};
  const Bytes sigmoid = kElement * (4.0 * vit.width) * kPatches;
  return {
      {"backbone, parameters", 4.95, parameter_bytes(states) / kGigabyte, "GB",
       "BF16 weights, FP32 gradients and a device's share of Adam's states (ZeRO-1) of a sparse layer, in "
       "the layout of the public recipe: TP2, EP32, 32 replicas"},
      {"backbone, activations", 1.79,
       recomputed(llm, sparse, {kSequence, kSequence * kSequence}).value() / kLayout.tensor / kGigabyte, "GB",
       "what recomputing a sparse layer fills beside the layer's stored input, for one sequence of 8192 over "
       "TP2"},
      {"backbone, FLOPs", 4.76e18, kSequences * training_flops(llm, {kSequence, kSequence * kSequence}),
       "FLOPs", "2048 sequences of 8192, forward and backward, causal attention by half, no recomputation"},
      {"encoder, parameters", 0.01, encoder_states / kGigabyte, "GB",
       "one digit is printed, 5 to 15 MB: 18 bytes per parameter shared by the 32 replicas; BF16 weights on "
       "four devices, 9.8 MB, fit as well"},
      {"encoder, activations", 1.63, (recomputed(vit, middle, patches) + sigmoid).value() / kGigabyte, "GB",
       "the same for one sequence's 32768 patches on one device, with the sigmoid that an unfused quick-GELU "
       "keeps (transformers, QuickGELUActivation); fused it would be 1.26 GB"},
      {"encoder, FLOPs", 2.88e17, kSequences * training_flops(vit, patches), "FLOPs",
       "the same 2048 sequences, 32768 patches each, in images of 1024 patches; trained"},
  };
}

}  // namespace spillway
