// Low-rank adapters beside frozen weights, by hand: trained parameters, gradient sizes and kept activations.
#include "cost/layers/adapters.h"

#include <gtest/gtest.h>

#include "cost/layers/layer_cost.h"
#include "cost/layers/text_model.h"
#include "cost/slabs/slab_collectives.h"
#include "cost/slabs/slab_footprint.h"
#include "cost/slabs/slab_memory.h"
#include "cost/slabs/slab_time.h"
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

std::vector<Layer> adapted() {
  std::vector<Layer> layers = base();
  add_adapters(kRank, layers);
  return layers;
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

// Each tensor-parallel rank holds in full the factor outside the sublayer: [64 x rank] of qkv's adapter and
// [rank x 64] of the output's.
TEST(Adapters, AreSplitAsTheProductBeside) {
  const ModelState state = model_state(cost_of(adapted()), LoadUnit::Token, true, {.tensor = 4}, 1);
  EXPECT_EQ(state.gradients, Bytes(4.0 * (kRank * 64 + kRank * 192 / 4 + kRank * 64 / 4 + kRank * 64)));
}

std::vector<Layer> only_adapters() {
  std::vector<Layer> layers = adapted();
  for (Layer& layer : layers) std::erase_if(layer.operators, [](const Operator& op) { return op.frozen; });
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

// A frozen block keeps no inputs of its products. Adapters keep the inputs of the products beside them and
// the outputs of their own first products.
TEST(Adapters, KeepTheInputsOfWhatTheyStandBeside) {
  const auto activations = [](const std::vector<Layer>& layers, Gradients gradients) {
    return SlabMemory(layers, {LoadUnit::Token, kAdaptedWidth, gradients, {}}, Parallelism())({1, 1})
        .activations;
  };
  EXPECT_EQ(activations(adapted(), kTrainedBlock) - activations(base(), kFrozenBlock),
            Bytes(2.0 * (64 + kRank + 64 + kRank)));
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
