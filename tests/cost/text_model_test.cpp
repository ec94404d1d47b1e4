// Random language models against explicit sums that count every matrix once.
#include "cost/layers/text_model.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "cost/layers/architecture.h"
#include "cost/layers/layer_cost.h"
#include "support/property.h"

namespace spillway {
namespace {

std::uint32_t below(std::uint32_t most) {
  return *rc::gen::inRange<std::uint32_t>(1, most);
}

TextModel random_model() {
  GroupedQueryAttention attention;
  attention.num_key_value_heads = below(5);
  attention.num_attention_heads = attention.num_key_value_heads * below(5);
  attention.head_dim = below(9);
  attention.head_norms = *rc::gen::arbitrary<bool>();
  attention.output_gate = *rc::gen::arbitrary<bool>();
  TextModel model;
  model.vocab_size = below(50);
  model.hidden_size = below(20);
  model.num_hidden_layers = below(6);
  model.intermediate_size = below(30);
  model.attention = attention;
  model.tie_word_embeddings = *rc::gen::arbitrary<bool>();
  model.separate_vocabulary = *rc::gen::arbitrary<bool>();
  return model;
}

Experts random_experts(const TextModel& model) {
  Experts experts;
  experts.n_routed_experts = below(9);
  experts.num_experts_per_tok = 1 + *rc::gen::inRange<std::uint32_t>(0, experts.n_routed_experts);
  experts.moe_intermediate_size = below(9);
  experts.n_shared_experts = *rc::gen::inRange<std::uint32_t>(0, 3);
  experts.shared_expert_intermediate_size = below(9);
  experts.first_k_dense_replace = *rc::gen::inRange<std::uint32_t>(0, model.num_hidden_layers + 1);
  return experts;
}

struct Counted {
  std::uint64_t matrices = 0;  // of the layers and the head, all experts
  std::uint64_t chosen = 0;    // those that a token is multiplied with
  std::uint64_t rest = 0;      // norms and tables
};

Counted attention_of(const GroupedQueryAttention& a, std::uint64_t width) {
  const std::uint64_t heads = a.num_attention_heads * (a.output_gate ? 3U : 2U) + 2U * a.num_key_value_heads;
  const std::uint64_t matrices = width * a.head_dim * heads;
  return {matrices, matrices, 2 * width + (a.head_norms ? 2 * std::uint64_t{a.head_dim} : 0)};
}

Counted counted(const TextModel& m) {
  const std::uint64_t h = m.hidden_size, table = h * m.vocab_size;
  Counted sum{m.tie_word_embeddings ? 0 : table, table, table + h};
  for (std::uint32_t i = 0; i < m.num_hidden_layers; ++i) {
    const Counted attention = attention_of(std::get<GroupedQueryAttention>(m.attention), h);
    sum.rest += attention.rest;
    const bool sparse = m.experts && i >= m.experts->first_k_dense_replace;
    const std::uint64_t expert = sparse ? 3 * h * m.experts->moe_intermediate_size : 0;
    const std::uint64_t dense =
        sparse ? h * m.experts->n_routed_experts +
                     3 * h * m.experts->n_shared_experts * m.experts->shared_expert_intermediate_size
               : 3 * h * m.intermediate_size;
    sum.matrices += attention.matrices + dense + expert * (sparse ? m.experts->n_routed_experts : 0);
    sum.chosen += attention.chosen + dense + expert * (sparse ? m.experts->num_experts_per_tok : 0);
  }
  return sum;
}

RC_GTEST_PROP(TextModel, CountsEveryMatrixOnce, (bool with_experts)) {
  TextModel model = random_model();
  if (with_experts) model.experts = random_experts(model);
  RC_ASSERT(check_architecture(model).empty());
  const Counted expected = counted(model);
  const LayerCost cost = cost_of(layers_of(model));
  RC_ASSERT(cost.parameters() == expected.matrices + expected.rest);
  RC_ASSERT(cost.weights_per_token == Flops(2.0 * static_cast<double>(expected.chosen)));
}

// Active parameters are those a token is multiplied with and the rest; a tied table counts once.
RC_GTEST_PROP(TextModel, CountsChosenExpertsAsActive, ()) {
  TextModel model = random_model();
  model.experts = random_experts(model);
  const Counted expected = counted(model);
  const std::uint64_t again =
      model.tie_word_embeddings ? std::uint64_t{model.hidden_size} * model.vocab_size : 0;
  RC_ASSERT(active_parameters(layer_stack(model)) == expected.chosen + expected.rest - again);
}

std::size_t operators_named(const Layer& layer, std::string_view name) {
  return static_cast<std::size_t>(std::ranges::count(layer.operators, name, &Operator::name));
}

std::uint64_t parameters_of(const std::vector<Layer>& layers) {
  std::uint64_t sum = 0;
  for (const Layer& layer : layers) sum += cost_of(layer).parameters();
  return sum;
}

// All prediction layers form one layer before the head; the head holds their logits and loss beside the
// model's. Each adds the parameters of a layer, a product of 2h x h and three norms.
RC_GTEST_PROP(TextModel, PredictsBeforeTheHead, (bool with_experts, bool separate)) {
  TextModel model = random_model();
  if (with_experts) model.experts = random_experts(model);
  model.separate_vocabulary = separate;
  const std::vector<Layer> before = layers_of(model);
  model.num_nextn_predict_layers = below(4);
  const std::size_t predicted = model.num_nextn_predict_layers;
  const std::vector<Layer> after = layers_of(model);
  RC_ASSERT(after.size() == before.size() + 1);
  for (std::size_t i = 0; i + 1 < before.size(); ++i) RC_ASSERT(cost_of(after[i]) == cost_of(before[i]));
  RC_ASSERT(operators_named(after[after.size() - (separate ? 2 : 1)], "prediction") == predicted);
  RC_ASSERT(operators_named(after.back(), "logits") == 1 + predicted);
  RC_ASSERT(operators_named(after.back(), kLossName) == 1 + predicted);
  RC_ASSERT(operators_named(after[after.size() - 2], kLossName) == 0);
  TextModel one_more = model;
  one_more.num_nextn_predict_layers += 1;
  if (with_experts) model.experts->first_k_dense_replace = 0;
  model.num_hidden_layers = 3;
  model.separate_vocabulary = false;
  model.num_nextn_predict_layers = 0;
  const std::uint64_t h = model.hidden_size, layer = cost_of(layers_of(model)[1]).parameters();
  RC_ASSERT(parameters_of(layers_of(one_more)) - parameters_of(after) == layer + 2 * h * h + 3 * h);
}

// A sparse feed-forward without shared experts has no tensor-parallel collectives: its tokens stay scattered.
TEST(TextModel, ScattersNoTokensAroundRoutedExpertsAlone) {
  TextModel model;
  model.vocab_size = model.hidden_size = 8;
  model.num_hidden_layers = 3;
  model.attention = GroupedQueryAttention{.num_attention_heads = 2, .num_key_value_heads = 1, .head_dim = 4};
  model.experts = Experts{.n_routed_experts = 4, .num_experts_per_tok = 2, .moe_intermediate_size = 4};
  EXPECT_EQ(layers_of(model)[1].all_gathers, 1U);
  model.experts->n_shared_experts = 1;
  model.experts->shared_expert_intermediate_size = 4;
  EXPECT_EQ(layers_of(model)[1].all_gathers, 2U);
  EXPECT_EQ(layers_of(model)[1].all_to_alls, 2U);
}

TEST(TextModel, MayHaveItsVocabularyInLayersOfItsOwn) {
  TextModel model;
  model.vocab_size = 100;
  model.hidden_size = 8;
  model.num_hidden_layers = 3;
  model.intermediate_size = 16;
  model.attention = GroupedQueryAttention{2, 1, 4};
  const LayerStack together = layer_stack(model);
  model.separate_vocabulary = true;
  const LayerStack apart = layer_stack(model);
  ASSERT_EQ(apart.layers.size(), 5U);
  EXPECT_EQ(cost_of(apart.layers).parameters(), cost_of(together.layers).parameters());
  EXPECT_EQ(apart.layers[1].operators, together.layers[1].operators);  // middle layers
  EXPECT_EQ(cost_of(apart.layers[0]).parameters(), 800U);
  EXPECT_EQ(cost_of(apart.layers[4]).parameters(), 800U + 8U);
}

}  // namespace
}  // namespace spillway
