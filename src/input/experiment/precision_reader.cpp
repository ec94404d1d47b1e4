#include "input/experiment/precision_reader.h"

#include <utility>

namespace spillway {
namespace {

constexpr std::uint32_t kMostLayersInBf16 = 100'000;
constexpr std::uint32_t kMostSteps = 100;  // of Muon, which takes 5 to 10

struct MainParams {
  Bytes each;
  bool remainders;  // only the 16 bits that BF16 parameters lack
};
using MainParamsWord = std::pair<std::string_view, MainParams>;
constexpr std::array<MainParamsWord, 4> kMainParams = {{{"fp32", {Bytes(4), false}},
                                                        {"fp16", {Bytes(2), false}},
                                                        {"remainder", {Bytes(2), true}},
                                                        {"none", {Bytes(), false}}}};

using MomentWord = std::pair<std::string_view, Bytes>;
constexpr std::array<MomentWord, 4> kMoments = {
    {{"fp32", Bytes(4)}, {"bf16", Bytes(2)}, {"fp16", Bytes(2)}, {"fp8", Bytes(1)}}};

bool is_true(const Fields& fields, const char* key) {
  return fields.get(key, read_boolean).value_or(false);
}

std::uint32_t layers_in_bf16(const Fields& block, const char* key) {
  return block.get(key, [](const Place& p) { return read_count(p, 0, kMostLayersInBf16); }).value_or(0);
}

// Refuses keys of a narrow precision that the block does not have.
void refuse_without(const Fields& block, const Precision& precision) {
  if (!precision.fp8) block.forbid("fp8_param", "no such key without fp8");
  if (!precision.fp4) block.forbid("fp4_param", "no such key without fp4");
  if (precision.fp8) block.forbid("fp4", "no such key beside fp8");
  if (precision.fp8 != Fp8Scaling::Mxfp8) block.forbid("fp8_output_proj", "no such key without fp8 mxfp8");
  const bool delayed = precision.fp8 == Fp8Scaling::Delayed;
  for (const char* key : {"num_layers_at_start_in_bf16", "num_layers_at_end_in_bf16"}) {
    if (!precision.narrow_products()) block.forbid(key, "no such key without fp8 or fp4");
    if (delayed) block.forbid(key, "no such key with fp8 delayed, whose scales all layers share");
  }
  if (!precision.narrow_products())
    block.forbid("fp8_dot_product_attention", "no such key without fp8 or fp4");
}

}  // namespace

Precision read_precision(const Fields& block) {
  Precision precision;
  precision.fp8 = block.get("fp8", [](const Place& p) { return read_choice<Fp8Scaling>(p, kFp8Scalings); });
  precision.fp4 = block.get("fp4", [](const Place& p) { return read_choice<Fp4Scaling>(p, kFp4Scalings); });
  precision.primary_weights = is_true(block, "fp8_param") || is_true(block, "fp4_param");
  precision.fp8_attention = is_true(block, "fp8_dot_product_attention");
  precision.fp8_activation_input = is_true(block, "activation_func_fp8_input_store");
  precision.output_projection = is_true(block, "fp8_output_proj");
  precision.start_in_bf16 = layers_in_bf16(block, "num_layers_at_start_in_bf16");
  precision.end_in_bf16 = layers_in_bf16(block, "num_layers_at_end_in_bf16");
  refuse_without(block, precision);
  return precision;
}

void read_optimizer_states(const Fields& parallel, Parallelism& parallelism) {
  OptimizerStates& states = parallelism.states;
  const auto moment = [](const Place& p) { return read_choice<Bytes>(p, kMoments); };
  const auto main =
      parallel
          .get("main_params_dtype", [](const Place& p) { return read_choice<MainParams>(p, kMainParams); })
          .value_or(MainParams{states.main_params, false});
  states.main_params = main.each;
  parallelism.main_remainders = main.remainders;
  states.exp_avg = parallel.get("exp_avg_dtype", moment).value_or(states.exp_avg);
  states.exp_avg_sq = parallel.get("exp_avg_sq_dtype", moment).value_or(states.exp_avg_sq);
  states.offloaded =
      parallel.get("optimizer_offload_fraction", [](const Place& p) { return read_number(p, kShare); })
          .value_or(states.offloaded);
  states.newton_schulz_steps =
      parallel.get("muon_num_ns_steps", [](const Place& p) { return read_count(p, 1, kMostSteps); })
          .value_or(states.newton_schulz_steps);
}

}  // namespace spillway
