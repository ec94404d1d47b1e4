// Forwards that a backward recomputes and the activations this saves, layer by layer and module by module.
// Elements are two bytes; one sequence of one token.
#include "cost/slabs/recomputation.h"

#include <gtest/gtest.h>

#include "cost/layers/architecture.h"
#include "cost/layers/execution.h"
#include "cost/slabs/slab_collectives.h"
#include "cost/slabs/slab_memory.h"
#include "cost/slabs/slab_time.h"
#include "small_platform.h"

namespace spillway {
namespace {

constexpr Gradients kAllGradients{.weight = true, .input = true};
constexpr std::uint32_t kModelWidth = 64, kDenseWidth = 128;

// All layers use latent attention. The first `dense` are dense; the others have 4 experts, 2 per token, and a
// shared one.
TextModel model_with(std::uint32_t dense) {
  TextModel model;
  model.vocab_size = 512;
  model.hidden_size = kModelWidth;
  model.num_hidden_layers = 4;
  model.intermediate_size = kDenseWidth;
  model.attention = LatentAttention{4, 32, 16, 8, 8, 16};
  Experts experts;
  experts.n_routed_experts = 4;
  experts.num_experts_per_tok = 2;
  experts.moe_intermediate_size = 32;
  experts.n_shared_experts = 1;
  experts.shared_expert_intermediate_size = 48;
  experts.first_k_dense_replace = dense;
  model.experts = experts;
  model.separate_vocabulary = true;
  return model;
}

std::vector<Layer> layers_with(std::uint32_t dense) {
  std::vector<Layer> layers = layer_stack(Architecture(model_with(dense))).layers;
  return {layers.begin() + 1, layers.end() - 1};
}

Recomputation of(Modules modules) {
  Recomputation recomputation;
  recomputation.modules = modules;
  return recomputation;
}

Held held(const std::vector<Layer>& layers, const Recomputation& recomputation) {
  return SlabMemory(layers, {LoadUnit::Token, kModelWidth, kAllGradients, recomputation},
                    Parallelism())({1, 1});
}

Bytes saved(const std::vector<Layer>& layers, const Recomputation& recomputation) {
  return held(layers, {}).activations - held(layers, recomputation).activations;
}

// Returns how many forwards of this operator are repeated.
double repeats(const std::vector<Layer>& layers, const Recomputation& recomputation, std::string_view name) {
  double total = 0;
  for (const CountedOperator& one : slab_operators(layers, recomputation).counted)
    if (one.op.name == name) total += one.repeated;
  return total;
}

double all_repeats(const std::vector<Layer>& layers, const Recomputation& recomputation) {
  double total = 0;
  for (const CountedOperator& one : slab_operators(layers, recomputation).counted) total += one.repeated;
  return total;
}

// Returns the share of the forward's collectives of this operation that a backward repeats.
double again(const std::vector<Layer>& layers, const Recomputation& recomputation,
             CollectiveOperation operation, const Parallelism& parallelism = {.tensor = 2, .expert = 2}) {
  static const Platform platform = small_platform();
  static const Framework framework;
  const DeviceGrid grid{1, 1, parallelism.members()};
  for (const SlabCollectiveUse& use :
       slab_collectives(layers, kModelWidth, kAllGradients,
                        {&platform, &framework, grid, RankId(0), parallelism}, recomputation))
    if (use.pass == Pass::Forward && use.operation == operation) return use.repeated;
  return -1;
}

TEST(Recomputation, OfTheFirstLayersOrEverySoMany) {
  const std::vector<Layer> layers = layers_with(4);
  const double all = all_repeats(layers, Recompute::Full);
  Recomputation first = Recompute::Full, second = Recompute::Full;
  first.first = 1;
  second.every = 2;
  EXPECT_EQ(all_repeats(layers, first), all / 4);
  EXPECT_EQ(all_repeats(layers, second), all / 2);
  const Bytes one = held({layers[0]}, {}).activations, input(2 * kModelWidth);
  EXPECT_EQ(held(layers, first).activations, 3 * one + input);
  EXPECT_EQ(held(layers, second).activations, 2 * one + 2 * input);
  EXPECT_EQ(held(layers, first).recomputed, one - input);
}

// The model has four layers, an embedding and a head; only the layers are recomputed.
TEST(Recomputation, LeavesTheEndsOfAModelAlone) {
  TextModel model = model_with(4);
  model.separate_vocabulary = false;
  const std::vector<Layer> layers = layer_stack(Architecture(model)).layers;
  for (const Recompute what : {Recompute::Full, Recompute::Alternate}) {
    EXPECT_EQ(all_repeats(layers, what), all_repeats(layers_with(4), what));
    for (const std::string_view name : {"embedding", "logits", "loss"})
      EXPECT_EQ(repeats(layers, what, name), 0) << name;
  }
  const Bytes head = held(layers, {}).activations - held(layers_with(4), {}).activations;
  EXPECT_EQ(held(layers, Recompute::Full).activations,
            held(layers_with(4), Recompute::Full).activations + head);
  EXPECT_EQ(held(layers, Recompute::Full).recomputed, held(layers_with(4), Recompute::Full).recomputed);
  EXPECT_EQ(again(layers, Recompute::Full, CollectiveOperation::AllGather), 8.0 / 9);
  EXPECT_EQ(again(layers, Recompute::Full, CollectiveOperation::ReduceScatter), 8.0 / 9);
}

// Only the residual sum reads the last product's output, and the sum keeps nothing; the product's input is
// kept.
TEST(Recomputation, StopsBeforeTheLastProductWhereTheFrameworkDoes) {
  std::vector<Layer> layers = layers_with(4);
  Framework framework;
  framework.recompute_stops_early = true;
  run_by(framework, layers);
  EXPECT_EQ(repeats(layers, Recompute::Full, "mlp down"), 0);
  EXPECT_EQ(repeats(layers, Recompute::Full, "residual"), 4);
  EXPECT_EQ(all_repeats(layers, Recompute::Full), all_repeats(layers_with(4), Recompute::Full) - 2 * 4);
  EXPECT_EQ(repeats(layers, of(Module::Mlp), "mlp down"),
            repeats(layers_with(4), of(Module::Mlp), "mlp down"));
  EXPECT_EQ(held(layers, Recompute::Full), held(layers_with(4), Recompute::Full));
  EXPECT_EQ(again(layers, Recompute::Full, CollectiveOperation::ReduceScatter), 0.5);
  EXPECT_EQ(again(layers, Recompute::Full, CollectiveOperation::AllGather), 1);
}

// Four layers keep two inputs, and the backward recomputes two layers at once.
TEST(Recomputation, TogetherKeepsOneInput) {
  const std::vector<Layer> layers = layers_with(4);
  Recomputation pairs = Recompute::Full;
  pairs.together = 2;
  const Bytes one = held({layers[0]}, {}).activations, input(2 * kModelWidth);
  EXPECT_EQ(held(layers, pairs).activations, 2 * input);
  EXPECT_EQ(held(layers, pairs).recomputed, 2 * one - input);
  EXPECT_EQ(all_repeats(layers, pairs), all_repeats(layers, Recompute::Full));
}

TEST(Recomputation, OfADenseFeedForwardKeepsItsInputAlone) {
  const std::vector<Layer> layers = layers_with(4);
  const Recomputation mlp = of(Module::Mlp);
  for (const char* name : {"mlp up", "swiglu", "mlp down"}) EXPECT_EQ(repeats(layers, mlp, name), 4);
  EXPECT_EQ(all_repeats(layers, mlp), 4 * 3);
  const Bytes each(2 * (2 * kDenseWidth + kDenseWidth));  // gate and up, and their product
  EXPECT_EQ(saved(layers, mlp), 4 * each);
  EXPECT_EQ(held(layers, mlp).recomputed, each);
}

// The products behind a norm keep its output: once for attention, once for the feed-forward.
TEST(Recomputation, OfNormsSparesTheirOutputs) {
  const std::vector<Layer> layers = layers_with(2);
  const Recomputation norms = of(Module::Norms);
  EXPECT_EQ(all_repeats(layers, norms), 4 * 2);
  EXPECT_EQ(repeats(layers, norms, "norm"), 4 * 2);
  EXPECT_DOUBLE_EQ(saved(layers, norms).value(), 4 * 2 * 2 * kModelWidth);
}

TEST(Recomputation, OfExpertsActivationSparesWhatTheSecondProductReads) {
  const std::vector<Layer> layers = layers_with(0);
  const Recomputation activation = of(Module::ExpertActivation);
  EXPECT_EQ(all_repeats(layers, activation), 4);
  EXPECT_EQ(repeats(layers, activation, "expert swiglu"), 4);
  EXPECT_DOUBLE_EQ(saved(layers, activation).value(), 4 * 2 * 2 * 32);
}

// The module saves queries, keys and values of 4 heads of 16 numbers.
TEST(Recomputation, OfUpProjectionsSparesQueriesKeysAndValues) {
  const std::vector<Layer> layers = layers_with(4);
  const Recomputation up = of(Module::UpProjection);
  for (const char* name : {"q up", "kv up", "rotary and join"}) EXPECT_EQ(repeats(layers, up, name), 4);
  EXPECT_EQ(all_repeats(layers, up), 4 * 3);
  EXPECT_DOUBLE_EQ(saved(layers, up).value(), 4 * 2 * 4 * 3 * 16);
}

TEST(Recomputation, OfAttentionIsSelective) {
  const std::vector<Layer> layers = layers_with(4);
  const Recomputation attention = of(Module::CoreAttention);
  EXPECT_EQ(all_repeats(layers, attention), all_repeats(layers, Recompute::Selective));
  EXPECT_EQ(saved(layers, attention), Bytes());
  const std::vector<Layer> scores = {unfused_attention({2, 2, 8, 8})};
  EXPECT_EQ(held(scores, attention).activations, held(scores, Recompute::Selective).activations);
  EXPECT_EQ(held(scores, attention).recomputed, held(scores, Recompute::Selective).recomputed);
}

// A recomputed mixture of experts keeps its router's input and scores.
TEST(Recomputation, OfAMixtureKeepsTheRoutersInput) {
  const std::vector<Layer> layers = layers_with(0);
  Bytes kept;
  for (const Operator& op : layers[0].operators)
    if (op.inside.meets(Module::Experts)) kept += op.kept.for_backward;
  EXPECT_DOUBLE_EQ(saved(layers, of(Module::Experts)).value(), 4 * (kept.value() - 2 * (kModelWidth + 4)));
  EXPECT_EQ(repeats(layers, of(Module::Experts), "combine"), 4);
  EXPECT_EQ(repeats(layers, of(Module::SharedExperts), "shared up"), 4);
  EXPECT_EQ(repeats(layers, of(Module::SharedExperts), "combine"), 0);
}

TEST(Recomputation, OfUnpairedModulesSavesTheirSum) {
  const std::vector<Layer> layers = layers_with(2);
  Modules both = Module::ExpertActivation;
  both |= Module::UpProjection;
  EXPECT_DOUBLE_EQ(
      saved(layers, of(both)).value(),
      (saved(layers, of(Module::ExpertActivation)) + saved(layers, of(Module::UpProjection))).value());
}

TEST(Recomputation, RepeatsTheCollectivesOfWhatItRepeats) {
  const std::vector<Layer> dense = layers_with(4), sparse = layers_with(0);
  EXPECT_EQ(again(dense, Recompute::Full, CollectiveOperation::AllGather), 1);
  EXPECT_EQ(again(dense, of(Module::Mlp), CollectiveOperation::AllGather), 0.5);
  EXPECT_EQ(again(dense, of(Module::CoreAttention), CollectiveOperation::AllGather), 0);
  EXPECT_EQ(again(sparse, of(Module::Experts), CollectiveOperation::AllToAll), 1);
  EXPECT_EQ(again(sparse, of(Module::Experts), CollectiveOperation::ReduceScatter), 0.5);
  EXPECT_EQ(again(sparse, of(Module::SharedExperts), CollectiveOperation::AllToAll), 0);
  Recomputation half = Recompute::Full;
  half.every = 2;
  EXPECT_EQ(again(dense, half, CollectiveOperation::AllGather), 0.5);
}

// Ulysses exchanges and expert all-gathers are repeated too.
TEST(Recomputation, RepeatsEveryKindOfExchange) {
  const Parallelism heads{.context = 2, .context_by = ContextBy::Ulysses};
  EXPECT_EQ(again(layers_with(4), Recompute::Full, CollectiveOperation::AllToAll, heads), 1);
  EXPECT_EQ(again(layers_with(4), of(Module::Mlp), CollectiveOperation::AllToAll, heads), 0);
  const Parallelism gathered{.expert = 2, .dispatch = ExpertDispatch::AllGather};
  EXPECT_EQ(again(layers_with(0), Recompute::Full, CollectiveOperation::AllGather, gathered), 1);
  EXPECT_EQ(again(layers_with(0), Recompute::None, CollectiveOperation::AllGather, gathered), 0);
}

}  // namespace
}  // namespace spillway
