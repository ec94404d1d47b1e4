// Layers whose products take their operands in FP8 or FP4, as Transformer Engine runs them. Norms, sums, the
// router and the embedding stay in BF16, and so do tensors between layers
// (transformer_engine/pytorch/module/linear.py, grouped_linear.py; Micikevicius et al. 2022, arXiv
// 2209.05433). All three products of a weight run so: forward, input gradient and weight gradient.
//
// A separate kernel casts the operands before a product: a forward's input, a backward's gradient of the
// output. Each becomes a copy as rows for one product and one as columns for another. Per element the cast
// reads 2 bytes, writes both copies, and in addition
//   Delayed     nothing: it scales by the largest element of earlier steps
//   Tensorwise  reads all elements before, for the largest (current scaling)
//   Blockwise   writes a 4-byte scale for 128 elements of either copy (DeepSeek-V3, arXiv 2412.19437, 3.3)
//   Mxfp8       writes a byte for 32 elements of either copy
//   nvfp4       reads all before, and writes a byte for 16 elements of either copy beside one scale of the
//               tensor (arXiv 2509.25149). The random Hadamard transform of the columns and stochastic
//               rounding run inside these two kernels (nvte_hadamard_transform_amax and
//               nvte_quantize_with_hadamard_transform in Transformer Engine)
// A device whose FP8 products take operands of any layout (Blackwell) needs one copy where one scale serves
// both: with delayed and tensorwise (is_non_tn_fp8_gemm_supported in transformer_engine/pytorch/utils.py).
//
// With sequence parallelism, inputs and gradients are cast before they are gathered, and travel in that
// format; sums are scattered in BF16.
//
// An input is kept for the backward only as columns. Attention then keeps its output in BF16 for itself.
// Weights are cast once a step, which is left out here. They are kept as the copies above, beside BF16 or, as
// primary weights, instead of it.
//
// The head stays in BF16 unless `output_projection`, with which all heads run in MXFP8, those of predictions,
// too, and also where the last layers stay in BF16 (TELMHeadColumnParallelLinear in NVIDIA/Megatron-LM
// @d98e8a64, megatron/core/extensions/transformer_engine.py).
//
// A frozen product has no weight gradient, so a cast writes one copy. Its weight never changes and lies in
// the narrow format alone, once (NVIDIA's MLPerf LoRA, conf/megatron_gpt_peft_tuning_config.yaml in
// mlcommons/training_results_v4.0 @62f111b7: fp8_params, disable_parameter_transpose_cache). Where a device
// needs columns for the input gradient, a kernel makes them again: it reads and writes the weight. Mxfp8 and
// nvfp4 scale rows and columns apart, so a weight whose product has an input gradient lies twice. The
// products of adapters stay in BF16, as their frameworks run them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
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

enum class Fp4Scaling : std::uint8_t { Nvfp4 };
inline constexpr std::array<std::pair<std::string_view, Fp4Scaling>, 1> kFp4Scalings{
    {{"nvfp4", Fp4Scaling::Nvfp4}}};

// The precision of a block. Contract: at most one of fp8 and fp4.
struct Precision {
  std::optional<Fp8Scaling> fp8 = {};
  std::optional<Fp4Scaling> fp4 = {};
  bool primary_weights = false;       // no BF16 copy of multiplied weights (fp8_param, fp4_param)
  bool fp8_attention = false;         // fp8_dot_product_attention
  bool fp8_activation_input = false;  // activation_func_fp8_input_store
  bool output_projection = false;     // fp8_output_proj, with mxfp8
  std::uint32_t start_in_bf16 = 0;    // the block's first so many layers (num_layers_at_start_in_bf16)
  std::uint32_t end_in_bf16 = 0;      // its last ones

  bool narrow_products() const { return fp8 || fp4; }
  friend bool operator==(const Precision&, const Precision&) = default;
};

// An element with its part of the scales.
Bytes fp8_element(Fp8Scaling scaling);
Bytes fp4_element(Fp4Scaling scaling);

// Bytes of a weight's copies that stay on the device, per parameter. `any_layout`: see above.
Bytes weight_copies(const Precision& precision, bool any_layout);

// An updated weight as it is gathered, of those that primary copies replace: Megatron-LM gathers the rows of
// FP8 and FP4, but BF16 for mxfp8, whose columns have scales of their own
// (megatron/core/distributed/distributed_data_parallel_config.py, reuse_grad_buf_for_mxfp8_param_ag).
Bytes gathered_weight(const Precision& precision);

// Changes the layers of a block. FP8 attention keeps Q, K and V in a byte and its output as its kernel writes
// it: a byte with delayed scaling, BF16 otherwise (NVTE_DPA_FP8CS_O_in_F16,
// transformer_engine/pytorch/attention/dot_product_attention/backends.py). With FP4 products its scaling is
// tensorwise. Its casts are counted as a product's.
// `gradients`: of the block; without a weight gradient all of its weights are frozen.
void run_in(const Precision& precision, bool any_layout, Gradients gradients, std::span<Layer> layers);

// Returns true if any activation could keep its input in FP8.
bool has_stored_activations(std::span<const Layer> layers);

}  // namespace spillway
