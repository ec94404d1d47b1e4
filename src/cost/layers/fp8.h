// Layers whose products take their operands in FP8, as Transformer Engine runs them: attention, norms, sums,
// the router, the embedding and the head stay in BF16, and so do master weights and what passes between
// layers (transformer_engine/pytorch/module/linear.py, grouped_linear.py; Micikevicius et al. 2022, arXiv
// 2209.05433).
//
// What is multiplied is cast before, in a kernel of its own: a forward's input, a backward's gradient of the
// output, each to two copies, as rows for one product and as columns for another (FP8 on Hopper multiplies in
// one layout alone). Of an element that reads 2 bytes and writes 1 twice, and
//   Delayed     scales by the largest of earlier steps: nothing more
//   Tensorwise  reads all before, for the largest (current scaling)
//   Blockwise   a 4-byte scale for 128 elements of either copy (DeepSeek-V3, arXiv 2412.19437, section 3.3)
//   Mxfp8       a byte for 32 of either
// Weights are cast once a step, which is left out here, and kept as both copies; an input is kept for the
// backward as columns alone.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

#include "cost/layers/layer.h"

namespace spillway {

enum class Fp8Scaling : std::uint8_t { Delayed, Tensorwise, Blockwise, Mxfp8 };
inline constexpr std::array<std::pair<std::string_view, Fp8Scaling>, 4> kFp8Scalings{
    {{"delayed", Fp8Scaling::Delayed},
     {"tensorwise", Fp8Scaling::Tensorwise},
     {"blockwise", Fp8Scaling::Blockwise},
     {"mxfp8", Fp8Scaling::Mxfp8}}};

// An element with its part of a scale.
Bytes fp8_element(Fp8Scaling scaling);

void run_in_fp8(Fp8Scaling scaling, std::span<Layer> layers);

}  // namespace spillway
