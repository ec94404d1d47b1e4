// Layers whose products take their operands in FP8, as Transformer Engine runs them. Attention, norms, sums,
// the router, the embedding and the head stay in BF16, and so do master weights and tensors between layers
// (transformer_engine/pytorch/module/linear.py, grouped_linear.py; Micikevicius et al. 2022, arXiv
// 2209.05433).
//
// A separate kernel casts the operands before a product: a forward's input, a backward's gradient of the
// output. Each becomes two copies, as rows for one product and as columns for another (FP8 on Hopper
// multiplies in only one layout). Per element the cast reads 2 bytes and writes 1 twice, and in addition
//   Delayed     nothing: it scales by the largest element of earlier steps
//   Tensorwise  reads all elements before, for the largest (current scaling)
//   Blockwise   a 4-byte scale for 128 elements of either copy (DeepSeek-V3, arXiv 2412.19437, section 3.3)
//   Mxfp8       a byte for 32 elements of either copy
// Weights are cast once a step, which is left out here, and kept as both copies. An input is kept for the
// backward only as columns.
//
// A frozen product has no weight gradient, so nothing of it is cast as columns: a cast writes one copy. Its
// weight never changes and lies in FP8 alone, once: without a BF16 copy, and without a second layout
// (NVIDIA's MLPerf LoRA, conf/megatron_gpt_peft_tuning_config.yaml in mlcommons/training_results_v4.0
// @62f111b7: fp8_params, disable_parameter_transpose_cache). Mxfp8 scales rows and columns apart, so a weight
// whose product has an input gradient lies twice. The products of adapters stay in BF16, as their frameworks
// run them.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

#include "cost/layers/layer.h"
#include "cost/layers/wanted_gradients.h"

namespace spillway {

enum class Fp8Scaling : std::uint8_t { Delayed, Tensorwise, Blockwise, Mxfp8 };
inline constexpr std::array<std::pair<std::string_view, Fp8Scaling>, 4> kFp8Scalings{
    {{"delayed", Fp8Scaling::Delayed},
     {"tensorwise", Fp8Scaling::Tensorwise},
     {"blockwise", Fp8Scaling::Blockwise},
     {"mxfp8", Fp8Scaling::Mxfp8}}};

// An element with its part of a scale.
Bytes fp8_element(Fp8Scaling scaling);

// `gradients`: of the block; without a weight gradient all of its weights are frozen.
void run_in_fp8(Fp8Scaling scaling, Gradients gradients, std::span<Layer> layers);

}  // namespace spillway
