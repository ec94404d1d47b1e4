// Low-rank adapters beside frozen weights, by hand: trained parameters, gradient sizes and kept activations.
#include "cost/layers/adapters.h"

#include <gtest/gtest.h>

#include <map>

#include "cost/layers/conventions.h"
#include "cost/layers/layer_cost.h"
#include "cost/layers/precision.h"
#include "cost/layers/text_model.h"
#include "cost/layers/vision.h"
#include "cost/slabs/slab_collectives.h"
#include "cost/slabs/slab_footprint.h"
#include "cost/slabs/slab_memory.h"
#include "cost/slabs/slab_time.h"
#include "published_models.h"
#include "small_platform.h"

namespace spillway {
namespace {

constexpr std::uint64_t kAdaptedWidth = 64;
constexpr std::uint32_t kRank = 4;
constexpr Gradients kTrainedBlock{.weight = true, .input = true},
    kFrozenBlock{.weight = false, .input = true};

std::vector<Layer> base() {
  return {rms_norm(kAdaptedWidth) + linear("qkv", kAdaptedWidth, 192, Share::Columns) +
          attention(AttentionHeads{4, 4, 16, 16}, true) +
          linear("attention out", 64, kAdaptedWidth, Share::Rows) + residual(kAdaptedWidth) +
          head(kAdaptedWidth, 1000, rms_norm(kAdaptedWidth))};
}

std::vector<Layer> with(std::vector<Layer> layers, std::vector<AdapterTarget> targets, bool dropout = false) {
  Adapters adapters{.rank = kRank, .dropout = dropout};
  for (const AdapterTarget target : targets) adapters.targets |= target;
  add_adapters(adapters, layers);
  return layers;
}

std::vector<Layer> adapted() {
  return with(base(), {});
}

// Parameters of the adapters of qkv and of attention's output: rank x (in + out) each.
constexpr std::uint64_t kOfAdapters = kRank * (64 + 192) + kRank * (64 + 64);

TEST(Adapters, AreAllThatIsTrained) {
  const LayerCost before = cost_of(base()), cost = cost_of(adapted());
  EXPECT_EQ(cost.parameters(), before.parameters() + kOfAdapters);
  EXPECT_EQ(cost.trained().parameters(), kOfAdapters);
  EXPECT_EQ(before.trained().parameters(), before.parameters());
  const ModelState state = model_state(cost, LoadUnit::Token, true, {}, 1);
  EXPECT_EQ(state.parameters, 2 * Bytes(static_cast<double>(before.parameters() + kOfAdapters)));
  EXPECT_EQ(state.gradients, Bytes(4.0 * kOfAdapters));
  EXPECT_EQ(state.optimizer, Bytes(12.0 * kOfAdapters));
}

// Both factors of either adapter are split: qkv's by rank and by outputs, the output's by inputs and outputs.
TEST(Adapters, AreSplitOverTheTensorParallelGroup) {
  const ModelState state = model_state(cost_of(adapted()), LoadUnit::Token, true, {.tensor = 4}, 1);
  EXPECT_EQ(state.gradients, Bytes(4.0 * kOfAdapters / 4));
}

std::vector<Layer> only_adapters() {
  std::vector<Layer> layers = adapted();
  const auto is_base = [](const Operator& op) { return op.frozen || op.kind == OperatorKind::Attention; };
  for (Layer& layer : layers) std::erase_if(layer.operators, is_base);
  return layers;
}

SlabTimes times_of(const std::vector<Layer>& layers, Gradients gradients) {
  static const OperatorTimes times(small_platform().accelerator);
  const std::array<Sequences, 1> sequence = {{{1, 64}}};
  return slab_times(slab_operators(layers), Split(), {64, sequence}, times, gradients, {});
}

TEST(Adapters, HaveTheOnlyWeightGradients) {
  const SlabTimes all = times_of(adapted(), kTrainedBlock);
  const SlabTimes alone = times_of(only_adapters(), kTrainedBlock), frozen = times_of(base(), kFrozenBlock);
  EXPECT_EQ(all.weight_gradient, alone.weight_gradient);
  EXPECT_NEAR(all.forward.value(), (alone.forward + frozen.forward).value(), 1e-15);
  EXPECT_NEAR(all.input_gradient.value(), (alone.input_gradient + frozen.input_gradient).value(), 1e-15);
}

// Per token, in elements of BF16.
double kept_more(const std::vector<Layer>& layers, const std::vector<Layer>& frozen) {
  const auto activations = [](const std::vector<Layer>& of, Gradients gradients) {
    return SlabMemory(of, {LoadUnit::Token, kAdaptedWidth, gradients, {}}, Parallelism())({1, 1}).activations;
  };
  return (activations(layers, kTrainedBlock) - activations(frozen, kFrozenBlock)) / Bytes(2);
}

// A frozen block keeps no inputs of its products. Adapters keep the inputs of the products beside them and
// the outputs of their own first products. Attention's output is kept once, by attention or by its reader.
TEST(Adapters, KeepTheInputsOfWhatTheyStandBeside) {
  EXPECT_EQ(kept_more(adapted(), base()), 64 + kRank + kRank);
  EXPECT_EQ(kept_more(with(base(), {AdapterTarget::Qkv}), base()), 64 + kRank);
  EXPECT_EQ(kept_more(with(base(), {AdapterTarget::AttentionOut}), base()), kRank);
}

// Queries, keys and values read one tensor, which one of their adapters keeps. A dropped input is each one's
// own, with a mask of a byte per element, beside the attention's output.
TEST(Adapters, KeepASharedInputOnceUnlessItIsDropped) {
  const std::vector<AdapterTarget> three = {AdapterTarget::Query, AdapterTarget::Key, AdapterTarget::Value};
  EXPECT_EQ(kept_more(with(base(), three), base()), 64 + 3 * kRank);
  EXPECT_EQ(kept_more(with(base(), three, true), base()), 3 * (64 + 32 + kRank));
  EXPECT_EQ(kept_more(with(base(), {AdapterTarget::AttentionOut}, true), base()), 64 + 32 + kRank);
}

// A shared expert reads what the router reads, whose input nobody keeps beside it.
TEST(Adapters, KeepAnInputThatNobodyKeepsBefore) {
  const std::vector<Layer> shared = {rms_norm(64) + linear("router", 64, 8, Share::Tokens) +
                                     shared_swiglu(64, 32)};
  EXPECT_EQ(kept_more(with(shared, {AdapterTarget::Fc1}), shared), 64 + kRank);
}

std::vector<Layer> narrowed(std::vector<Layer> layers, Fp8Scaling scaling, Gradients gradients) {
  run_in({.fp8 = scaling}, false, gradients, layers);
  return layers;
}

Bytes weights_of(const std::vector<Layer>& layers, bool trained) {
  return model_state(cost_of(layers), LoadUnit::Token, trained, {.tensor = 2}, 1).parameters;
}

// Products of 64 x 192 and 64 x 64, one norm of 64 on both devices, and an end that is always in BF16.
TEST(FrozenWeights, LieOnceInFp8) {
  constexpr double products = (64 * 192 + 64 * 64) / 2.0;
  const Bytes bf16 = weights_of(base(), false), rest = bf16 - Bytes(2 * products);
  const auto frozen = [](Fp8Scaling scaling, bool input_gradient) {
    return weights_of(narrowed(base(), scaling, {.weight = false, .input = input_gradient}), false);
  };
  EXPECT_EQ(frozen(Fp8Scaling::Delayed, true), rest + Bytes(products));
  EXPECT_EQ(frozen(Fp8Scaling::Blockwise, true), rest + products * kFp8Element);
  EXPECT_EQ(frozen(Fp8Scaling::Mxfp8, false), rest + Bytes(products * (1 + 1.0 / 32)));
  EXPECT_EQ(frozen(Fp8Scaling::Mxfp8, true), rest + Bytes(2 * products * (1 + 1.0 / 32)));
  const Bytes adapters = weights_of(adapted(), true) - bf16;
  EXPECT_EQ(weights_of(narrowed(adapted(), Fp8Scaling::Delayed, kTrainedBlock), true),
            rest + Bytes(products) + adapters);
  EXPECT_EQ(weights_of(narrowed(base(), Fp8Scaling::Delayed, kTrainedBlock), true),
            bf16 + Bytes(2 * products));
}

// A cast of an element reads two bytes and writes one copy of it: no product needs the other.
TEST(FrozenWeights, AreMultipliedByOneCopy) {
  const auto casts = [](const std::vector<Layer>& of) {
    std::map<std::string_view, Bytes> found;
    const std::vector<Layer> layers = narrowed(of, Fp8Scaling::Delayed, kTrainedBlock);
    for (const Operator& op : layers[0].operators)
      if (op.cast > Bytes()) found[op.name] = op.cast;
    return found;
  };
  using Casts = std::map<std::string_view, Bytes>;
  EXPECT_EQ(casts(adapted()), (Casts{{"qkv", Bytes(3)}, {"attention out", Bytes(3)}}));
  EXPECT_EQ(casts(base()), (Casts{{"qkv", Bytes(4)}, {"attention out", Bytes(4)}}));
}

// A device that multiplies from one layout alone reads a frozen weight and writes it anew for each input
// gradient.
TEST(FrozenWeights, AreLaidOutAgainForTheInputGradient) {
  const auto moved = [](Fp8Scaling scaling, bool any_layout, Gradients gradients) {
    std::vector<Layer> layers = adapted();
    run_in({.fp8 = scaling}, any_layout, gradients, layers);
    return std::ranges::find(layers[0].operators, "qkv", &Operator::name)->laid_out_again;
  };
  EXPECT_EQ(moved(Fp8Scaling::Delayed, false, kTrainedBlock), Bytes(2));
  EXPECT_EQ(moved(Fp8Scaling::Delayed, true, kTrainedBlock), Bytes(0));
  EXPECT_EQ(moved(Fp8Scaling::Blockwise, true, kTrainedBlock), 2 * kFp8Element);
  EXPECT_EQ(moved(Fp8Scaling::Mxfp8, false, kTrainedBlock), Bytes(0));
  EXPECT_EQ(moved(Fp8Scaling::Delayed, false, {.weight = false, .input = false}), Bytes(0));
}

// Attention's output is BF16 for the adapter that reads it, and is kept once.
TEST(FrozenWeights, LeaveAttentionsOutputToItsAdapter) {
  const std::vector<Layer> bf16 = adapted(), fp8 = narrowed(bf16, Fp8Scaling::Delayed, kTrainedBlock);
  EXPECT_EQ(kept_more(fp8, base()), kept_more(bf16, base()));
}

std::map<std::string_view, std::uint64_t> trained_parameters(const std::vector<Layer>& layers) {
  std::map<std::string_view, std::uint64_t> trained;
  for (const Layer& layer : layers)
    for (const Operator& op : layer.operators)
      if (!op.frozen && op.parameters > 0) trained[op.name] += op.parameters;
  return trained;
}

using Trained = std::map<std::string_view, std::uint64_t>;

// Llama 2 70B with rank 16 beside linear_qkv and linear_proj, as MLPerf trains it: 80 layers, width 8192, 64
// heads of 128, 8 of keys and values; 80 x 16 x (8192 + 10240 + 8192 + 8192).
TEST(Adapters, OfAttentionAreThoseOfLlama2) {
  const GroupedQueryAttention heads{.num_attention_heads = 64, .num_key_value_heads = 8, .head_dim = 128};
  std::vector<Layer> layers(80, attention_of(heads, 8192, true));
  Adapters adapters{.rank = 16};
  adapters.targets |= AdapterTarget::Qkv;
  adapters.targets |= AdapterTarget::AttentionOut;
  add_adapters(adapters, layers);
  EXPECT_EQ(cost_of(layers).trained().parameters(), 44'564'480u);
}

TEST(Adapters, StandBesideTheirTargetsAlone) {
  const std::vector<Layer> text = {base()[0] + swiglu(64, 32)};
  using enum AdapterTarget;
  const auto trained = [&](std::vector<AdapterTarget> targets) {
    return trained_parameters(with(text, targets));
  };
  EXPECT_EQ(trained({Qkv}), (Trained{{kAdapterDown, kRank * 64}, {kAdapterUp, kRank * 192}}));
  EXPECT_EQ(trained({Query, Value}), (Trained{{kAdapterDown, 2 * kRank * 64}, {kAdapterUp, 2 * kRank * 64}}));
  EXPECT_EQ(trained({Fc1}), (Trained{{kAdapterDown, kRank * 64}, {kAdapterUp, kRank * 64}}));
  EXPECT_EQ(trained({Gate, Up}), (Trained{{kAdapterDown, 2 * kRank * 64}, {kAdapterUp, 2 * kRank * 32}}));
  EXPECT_EQ(trained({Fc2}), (Trained{{kAdapterDown, kRank * 32}, {kAdapterUp, kRank * 64}}));
  EXPECT_EQ(trained({All}), trained({}));
}

// Each expert has its own adapters, and the router has none.
TEST(Adapters, OfExpertsAreEachExperts) {
  const std::vector<Layer> layers = {routed_experts(64, 32, 8, 2)};
  EXPECT_EQ(trained_parameters(with(layers, {})), Trained());
  EXPECT_EQ(trained_parameters(with(layers, {AdapterTarget::Experts})),
            (Trained{{kAdapterDown, 8 * kRank * (64 + 32)}, {kAdapterUp, 8 * kRank * (64 + 64)}}));
}

std::string known_targets(const std::vector<Layer>& layers) {
  return names_of(adapter_targets_of(layers));
}

TEST(Adapters, KnowTheTargetsOfAModel) {
  EXPECT_EQ(known_targets(base()), "linear_qkv, q_proj, k_proj, v_proj, linear_proj, o_proj, all");
  EXPECT_EQ(known_targets({mlp(64, 32)}), "linear_fc1, linear_fc2, down_proj, all");
  EXPECT_EQ(known_targets(layers_of(deepseek_v3())),
            "linear_proj, o_proj, linear_q_down_proj, q_a_proj, linear_q_up_proj, q_b_proj, "
            "linear_kv_down_proj, kv_a_proj_with_mqa, linear_kv_up_proj, kv_b_proj, linear_fc1, gate_proj, "
            "up_proj, linear_fc2, down_proj, experts, all");
  EXPECT_EQ(known_targets({attention_of(GatedDeltaNet{4, 16, 16, 4, 8}, 64)}), "in_proj, out_proj, all");
}

TEST(Adapters, AdaptNoWeightTwice) {
  AdapterTargets set;
  set |= AdapterTarget::Qkv;
  EXPECT_EQ(adapted_already(set, AdapterTarget::Value), AdapterTarget::Qkv);
  EXPECT_EQ(adapted_already(set, AdapterTarget::Qkv), AdapterTarget::Qkv);
  EXPECT_EQ(adapted_already(set, AdapterTarget::All), AdapterTarget::Qkv);
  EXPECT_EQ(adapted_already(set, AdapterTarget::AttentionOut), std::nullopt);
}

// By hand for 64 tokens, k = 64 inputs and n = 192 outputs of two bytes: the forward adds two outputs, the
// backward two gradients of the input.
TEST(Adapters, AddOutputsForwardAndGradientsOfTheInputBackward) {
  static const OperatorTimes times(small_platform().accelerator);
  const std::array<Sequences, 1> sequence = {{{1, 64}}};
  const Layer layer = with(base(), {AdapterTarget::Qkv}, true)[0];
  const auto passes = [&](std::string_view name) {
    const auto op = std::ranges::find(layer.operators, name, &Operator::name);
    return operator_passes(*op, Split(), {64, sequence}, times);
  };
  const auto moving = [](double elements) { return times.memory(Bytes(2 * 64 * elements)).time.value(); };
  EXPECT_NEAR(passes("adapter sum").forward.time.value(), moving(3 * 192), 1e-15);
  EXPECT_NEAR(passes("adapter sum").input_gradient.time.value(), moving(3 * 64), 1e-15);
  EXPECT_NEAR(passes("adapter scale").forward.time.value(), moving(2 * 192), 1e-15);
  EXPECT_NEAR(passes("adapter scale").input_gradient.time.value(), moving(2 * 192), 1e-15);
  EXPECT_NEAR(passes("adapter dropout").forward.time.value(), moving(2.5 * 64), 1e-15);
  EXPECT_NEAR(passes("adapter dropout").input_gradient.time.value(), moving(2.5 * 64), 1e-15);
}

// ZeRO-3 gathers all weights but scatters only the adapters' gradients.
TEST(Adapters, AloneAreReduced) {
  static const Platform platform = small_platform();
  static const Framework framework;
  const std::vector<Layer> layers = adapted();
  const Parallelism parallelism{.data = DataParallel::Zero3};
  for (const SlabCollectiveUse& use :
       slab_collectives(layers, kAdaptedWidth, kTrainedBlock,
                        {&platform, &framework, {1, 2, 1}, RankId(0), parallelism})) {
    const bool reduced = use.pass == Pass::WeightGradient;
    const auto parameters = static_cast<double>(reduced ? kOfAdapters : cost_of(layers).parameters());
    EXPECT_EQ(use.bytes(0), (reduced ? 4 : 2) * Bytes(parameters));
  }
}

}  // namespace
}  // namespace spillway
