// Layers with a state instead of all tokens before: parameters, work, traffic and kept memory by hand, and
// the work of a chunked scan against a loop over its products.
#include "cost/layers/linear_attention.h"

#include <gtest/gtest.h>

#include "cost/layers/layer_cost.h"
#include "cost/layers/text_model.h"
#include "support/property.h"

namespace spillway {
namespace {

constexpr std::uint64_t kHidden = 8;

// Four heads of two values; two groups of three states.
constexpr Mamba2 kMamba{.mamba_num_heads = 4,
                        .mamba_head_dim = 2,
                        .ssm_state_size = 3,
                        .n_groups = 2,
                        .conv_kernel = 4,
                        .chunk_size = 16};

const Operator& mixing_in(const Layer& layer, std::string_view name) {
  for (const Operator& op : layer.operators)
    if (op.name == name) return op;
  throw ContractBreach("no such operator");
}

// One product makes gates and values of 8 each, B and C of 6 each, and 4 steps: 32. The convolution covers 20
// channels with 4 weights and a bias; heads have a decay, a bias of the step and a skip; the norm covers 8.
TEST(LinearAttention, ParametersOfMamba2) {
  EXPECT_EQ(cost_of(attention_of(kMamba, kHidden)).parameters(), 8U * 32 + 20U * 5 + 3U * 4 + 8 + 8U * 8);
  Mamba2 other = kMamba;
  other.projection_bias = true;
  other.convolution_bias = other.norm = false;
  EXPECT_EQ(cost_of(attention_of(other, kHidden)).parameters(), 8U * 32 + 32 + 20U * 4 + 3U * 4 + 8U * 8 + 8);
}

// A head: scores of its group 2 x 16 x 3 for two heads, values 2 x 16 x 2, state 2 x 2 x 3 x 2.
TEST(LinearAttention, WorkOfMamba2) {
  const Layer layer = attention_of(kMamba, kHidden);
  EXPECT_EQ(mixing_in(layer, "state space").scan_per_token, Flops(4.0 * (48 + 64 + 24)));
  // Beside it the two products, and the convolution's 4 weights for each of 20 channels.
  EXPECT_EQ(cost_of(layer).weights_per_token, Flops(2.0 * (8 * 32 + 8 * 8 + 4 * 20)));
}

// The input of the product 8, of the convolution 20, the steps 4, what is gated and the gate 16, the input of
// the last product 8. The convolution's outputs are made again: its gradient reads and writes 20 more.
TEST(LinearAttention, Mamba2KeepsWhatItsKernelsKeep) {
  const Layer layer = attention_of(kMamba, kHidden);
  EXPECT_EQ(cost_of(layer).kept.for_backward, Bytes(2.0 * (8 + 20 + 4 + 16 + 8)));
  EXPECT_EQ(mixing_in(layer, "convolution").more_in_gradient, Bytes(2.0 * 40));
  EXPECT_EQ(mixing_in(layer, "state space").traffic_per_token, Bytes(2.0 * (20 + 4 + 8)));
}

// Products of an algorithm in chunks, one multiplication at a time. `delta`: also keys with keys.
double multiplications(std::uint32_t tokens, std::uint32_t chunk, std::uint32_t groups, std::uint32_t heads,
                       std::uint32_t k, std::uint32_t v) {
  double count = 0;
  for (std::uint32_t begin = 0; begin < tokens; begin += chunk) {
    for (std::uint32_t group = 0; group < groups; ++group)  // queries with keys
      for (std::uint32_t i = 0; i < chunk; ++i)
        for (std::uint32_t j = 0; j < chunk; ++j) count += k;
    for (std::uint32_t head = 0; head < heads; ++head)
      for (std::uint32_t i = 0; i < chunk; ++i) {
        for (std::uint32_t j = 0; j < chunk; ++j) count += v;  // scores with values
        for (std::uint32_t e = 0; e < k; ++e) count += 2 * v;  // into the state, and out of it
      }
  }
  return count;
}

RC_GTEST_PROP(LinearAttention, CountsEveryProductOfAChunk, ()) {
  const auto below = [](std::uint32_t most) { return *rc::gen::inRange<std::uint32_t>(1, most); };
  Mamba2 m = kMamba;
  m.n_groups = below(4);
  m.mamba_num_heads = m.n_groups * below(4);
  m.mamba_head_dim = below(6);
  m.ssm_state_size = below(6);
  m.chunk_size = below(9);
  const std::uint32_t tokens = m.chunk_size * below(5);
  const Operator scan = mixing_in(attention_of(m, kHidden), "state space");
  const double counted = multiplications(tokens, m.chunk_size, m.n_groups, m.mamba_num_heads,
                                         m.ssm_state_size, m.mamba_head_dim);
  RC_ASSERT(std::abs(scan.scan_per_token.value() * tokens - 2 * counted) <= 1e-9 * counted);
}

// Products: queries, keys and values 24; decays and gates through 4; a step for each of two heads. Weights of
// the convolution, a decay for each head, a bias for each of 8 channels, a norm of 4.
TEST(LinearAttention, ParametersOfKimiDeltaAttention) {
  const KimiDeltaAttention kda{.short_conv_kernel_size = 4, .num_heads = 2, .head_dim = 4};
  const Layer layer = attention_of(kda, kHidden);
  EXPECT_EQ(cost_of(layer).parameters(),
            8U * 24 + 2U * (8 * 4 + 4 * 8) + 8U * 2 + 24U * 4 + (2 + 8) + 4 + 8U * 8);
  // q, k, v and a decay for each channel, a step, and two rows of the chunk for each head.
  EXPECT_EQ(mixing_in(layer, "channel delta rule").kept.for_backward, Bytes(2.0 * (4 * 8 + 2 + 2 * 2 * 64)));
  EXPECT_EQ(mixing_in(layer, "channel delta rule").scan_per_token, scan_flops(4, 4) * 2.0);
}

TEST(LinearAttention, ParametersOfLightningAttention) {
  LightningAttention lightning{.num_attention_heads = 2, .head_dim = 4};
  EXPECT_EQ(cost_of(attention_of(lightning, kHidden)).parameters(), 8U * 24 + 8U * 8 + 8 + 8U * 8);
  lightning.head_norms = lightning.biases = true;
  EXPECT_EQ(cost_of(attention_of(lightning, kHidden)).parameters(),
            8U * 24 + 24 + 8U * 8 + 2U * 4 + 8 + 8U * 8);
  EXPECT_EQ(mixing_in(attention_of(lightning, kHidden), "lightning attention").scan_per_token,
            Flops(2.0 * (2 * 64 * 4 + 2 * 64 * 4 + 4 * 4 * 4)));
}

TEST(LinearAttention, ParametersOfAShortConvolution) {
  EXPECT_EQ(cost_of(attention_of(ShortConvolution{3}, kHidden)).parameters(), 8U * 24 + 8U * 3 + 8U * 8);
  EXPECT_EQ(cost_of(attention_of(ShortConvolution{3, true}, kHidden)).parameters(),
            8U * 24 + 24 + 8U * 4 + 8U * 8 + 8);
}

TextModel of_forms(std::vector<LayerForm> forms, std::vector<std::uint8_t> order) {
  TextModel model;
  model.vocab_size = 10;
  model.hidden_size = kHidden;
  model.num_hidden_layers = 4;
  model.attention = GroupedQueryAttention{2, 1, 4};
  model.forms = std::move(forms);
  model.order = std::move(order);
  return model;
}

// A layer with a mixer alone has one norm, and no feed-forward; the order repeats.
TEST(LayerForms, FollowTheirOrder) {
  const TextModel model =
      of_forms({{{kMamba}, 0, AfterMixers::Nothing, 0}, {{}, 0, AfterMixers::Dense, 16}}, {0, 1});
  EXPECT_TRUE(check_architecture(model).empty());
  const std::vector<Layer> layers = layers_of(model);
  const std::uint64_t mamba = cost_of(attention_of(kMamba, kHidden)).parameters();
  EXPECT_EQ(cost_of(layers[2]).parameters(), mamba + kHidden);
  EXPECT_EQ(cost_of(layers[1]).parameters(), 3 * kHidden * 16 + kHidden);
  EXPECT_EQ(layers[2].all_gathers, 1U);
  EXPECT_EQ(cost_of(layers[2]), cost_of(layers_of(of_forms(model.forms, {1, 0}))[1]));
}

// Side by side, mixers read one normed input, which only the first keeps, and their outputs are added.
TEST(LayerForms, SideBySideShareTheirInput) {
  const GroupedQueryAttention attention{2, 1, 4};
  const auto form = [](std::vector<TokenMixer> mixers) {
    return LayerForm{std::move(mixers), 0, AfterMixers::Nothing, 0};
  };
  const auto kept = [&](const LayerForm& one) {
    return cost_of(layers_of(of_forms({one}, {0}))[1]).kept.for_backward;
  };
  const Bytes norm(2.0 * kHidden), input(2.0 * kHidden);
  EXPECT_EQ(kept(form({attention, kMamba})), kept(form({attention})) + kept(form({kMamba})) - norm - input);
}

// A feed-forward beside attention reads what attention reads.
TEST(LayerForms, ParallelBlocksHaveOneNorm) {
  TextModel model = of_forms({}, {});
  model.intermediate_size = 16;
  const std::uint64_t apart = cost_of(layers_of(model)[1]).parameters();
  model.parallel = true;
  EXPECT_EQ(cost_of(layers_of(model)[1]).parameters(), apart - kHidden);
  EXPECT_EQ(layers_of(model)[1].all_gathers, 1U);
  model.second_norm = true;
  EXPECT_EQ(cost_of(layers_of(model)[1]).parameters(), apart);
}

// Three experts of two products on a latent of 4; the router sees two more that compute nothing.
TEST(LayerForms, ExpertsOnALatent) {
  TextModel model = of_forms({{{}, 0, AfterMixers::Sparse, 0}}, {0});
  model.experts = Experts{.n_routed_experts = 3,
                          .num_experts_per_tok = 2,
                          .moe_intermediate_size = 5,
                          .n_shared_experts = 1,
                          .shared_expert_intermediate_size = 6,
                          .routing_bias = true,
                          .gated = false,
                          .moe_latent_size = 4,
                          .zero_experts = 2};
  const LayerCost cost = cost_of(layers_of(model)[1]);
  EXPECT_EQ(cost.expert_parameters, 3U * 2 * 4 * 5);
  EXPECT_EQ(cost.dense_parameters, kHidden + 8U * 5 + 5 + 2U * 8 * 4 + 2U * 8 * 6);
}

}  // namespace
}  // namespace spillway
