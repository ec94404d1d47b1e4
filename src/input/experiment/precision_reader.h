// The precision of a block, and of the optimizer's states.
#pragma once

#include <array>
#include <string_view>

#include "cost/layers/precision.h"
#include "cost/network/parallelism.h"
#include "json/place.h"

namespace spillway {

// The keys of a block that say its precision.
inline constexpr std::array<std::string_view, 9> kPrecisionKeys = {"fp8",
                                                                   "fp4",
                                                                   "fp8_param",
                                                                   "fp4_param",
                                                                   "fp8_dot_product_attention",
                                                                   "activation_func_fp8_input_store",
                                                                   "fp8_output_proj",
                                                                   "num_layers_at_start_in_bf16",
                                                                   "num_layers_at_end_in_bf16"};
Precision read_precision(const Fields& block);

// The keys of "parallel" that say what the optimizer keeps, and where.
inline constexpr std::array<std::string_view, 5> kOptimizerStateKeys = {
    "main_params_dtype", "exp_avg_dtype", "exp_avg_sq_dtype", "optimizer_offload_fraction",
    "muon_num_ns_steps"};
void read_optimizer_states(const Fields& parallel, Parallelism& parallelism);

}  // namespace spillway
