// Model FLOPs against published totals, throughput against sums by hand.
#include "cost/step_account.h"

#include <gtest/gtest.h>

#include "published_models.h"
#include "small_job.h"

namespace spillway {
namespace {

SmallJob text_job(const Architecture& architecture, std::uint32_t tokens) {
  SmallJob job;
  job.pipeline = {1, 1, 1};
  job.costs.blocks = {{.architecture = architecture}};
  job.draw = {{{{}, 1, 0, tokens, tokens}}};
  return job;
}

StepAccount account_of(const SmallJob& job, const Model& model) {
  return step_account(job.costs, model, job.pipeline, draw_loads(job.costs, job.draw));
}

Model backbone(const Architecture& architecture, bool trainable = true) {
  return Model({{"llm", Role::Backbone, layer_count(architecture), trainable}});
}

// The published training work of one 8K sequence is 1.80e15 linear and 0.50e15 causal attention.
TEST(StepAccount, OfDeepSeekV3IsThePublishedTotal) {
  const StepAccount account = account_of(text_job(deepseek_v3(), 8192), backbone(deepseek_v3()));
  EXPECT_NEAR(account.model_flops.value(), 2.30e15, 0.005e15);
  EXPECT_EQ(account.tokens, 8192);
}

// "Insights into DeepSeek-V3" (Zhao et al. 2025, arXiv 2505.09343, table 4) reports 385 TFLOP/s (causal) per
// device at 272.80e9 tokens a day on 2048 devices, in sequences of 4096 tokens: 249.7 GFLOPs a token.
TEST(StepAccount, OfDeepSeekV3AgreesWithItsOwnReport) {
  const StepAccount account = account_of(text_job(deepseek_v3(), 4096), backbone(deepseek_v3()));
  const double reported = 385e12 / (272.80e9 / 86400 / 2048);
  EXPECT_NEAR(account.model_flops.value() / account.tokens, reported, 0.005 * reported);
}

// A frozen encoder before the backbone runs forwards only; trained, it does three times that work. A frozen
// backbone behind a trained encoder computes input gradients but no weight gradients.
TEST(StepAccount, FollowsTheGates) {
  SmallJob job;
  job.draw.resize(1);
  const auto flops = [&](bool encoder, bool llm) {
    job.encoder_trainable = encoder, job.backbone_trainable = llm;
    return account_of(job, job.model()).model_flops.value();
  };
  const LayerCost vit = whole(small_vit()), llm = whole(small_deepseek());
  const DeviceLoad patches{20, 16 + 256}, tokens{30, 100 + 400};
  const double encode = vit.forward(patches).value(), forward = llm.forward(tokens).value();
  const double weights = llm.weights(tokens).value(), mixing = llm.mixing(tokens).value();
  EXPECT_DOUBLE_EQ(flops(false, false), encode + forward);
  EXPECT_DOUBLE_EQ(flops(false, true), encode + 3 * forward);
  EXPECT_DOUBLE_EQ(flops(true, true), 3 * (encode + forward));
  EXPECT_DOUBLE_EQ(flops(true, false), 3 * encode + forward + weights + 2 * mixing);
}

// Documents of one length n in a packed sequence are as many sequences of n: the sum of squares, not the
// square of the sum. A window leaves the pairs of each document by itself.
TEST(StepAccount, CountsPairsWithinDocuments) {
  TextModel windowed = small_deepseek();
  windowed.attention =
      GroupedQueryAttention{.num_attention_heads = 4, .num_key_value_heads = 2, .head_dim = 4};
  windowed.sliding_window = 6;
  windowed.windowed = {true};
  for (const Architecture& architecture : {Architecture(small_deepseek()), Architecture(windowed)}) {
    const auto flops = [&](std::uint32_t tokens, std::vector<std::uint32_t> documents) {
      SmallJob job = text_job(architecture, tokens);
      job.draw[0][0].documents = std::move(documents);
      return account_of(job, backbone(architecture)).model_flops.value();
    };
    const double one = flops(8, {8});
    EXPECT_DOUBLE_EQ(one, flops(8, {}));
    EXPECT_DOUBLE_EQ(flops(32, {8, 8, 8, 8}), 4 * one);
    EXPECT_DOUBLE_EQ(flops(12, {8, 4}), one + flops(4, {}));
    EXPECT_GT(flops(32, {32}), 4 * one);
  }
}

// Tensor parallelism splits the work and recomputation is not the model's work, so only devices change.
TEST(StepAccount, IsOfTheModelAndNotOfItsLayout) {
  SmallJob job;
  job.draw.resize(2);
  job.pipeline.replicas = 2;
  const StepAccount alone = account_of(job, job.model());
  job.costs.parallelism.tensor = 2;
  for (BlockCosts& block : job.costs.blocks) block.recompute = Recompute::Full;
  const StepAccount split = account_of(job, job.model());
  EXPECT_DOUBLE_EQ(split.model_flops.value(), alone.model_flops.value());
  EXPECT_EQ(alone.tokens, 60);
  EXPECT_EQ(alone.devices, 4U);
  EXPECT_EQ(split.devices, 8U);
}

// Images that every device of a rank encodes again do not count as the model's work.
TEST(StepAccount, CountsRepeatedImagesOnce) {
  SmallJob shared;
  shared.costs.parallelism.tensor = 2;
  SmallJob repeated = shared;
  repeated.costs.parallelism.images = EncoderImages::Repeated;
  EXPECT_EQ(account_of(repeated, repeated.model()).model_flops,
            account_of(shared, shared.model()).model_flops);
}

TEST(StepAccount, GrowsWithTheReplicasThatOneStandsFor) {
  SmallJob job;
  job.draw.resize(1);
  const StepAccount one = account_of(job, job.model());
  job.costs.equal_replicas = 4;
  const StepAccount four = account_of(job, job.model());
  EXPECT_EQ(four.model_flops, 4 * one.model_flops);
  EXPECT_EQ(four.tokens, 4 * one.tokens);
  EXPECT_EQ(four.useful_tokens, 4 * one.useful_tokens);
  EXPECT_EQ(four.devices, 4 * one.devices);
}

// The sequence of 30 has two images of 20 patches together, in five tokens, and 12 tokens of text.
TEST(StepAccount, PaddingIsOfNoUse) {
  SmallJob job;
  job.draw = {{{{8, 12}, 1, 5, 12, 30}}};
  const StepAccount account = account_of(job, job.model());
  EXPECT_EQ(account.tokens, 30);
  EXPECT_EQ(account.useful_tokens, 17);
}

// The same samples lie in sequences of 8192 and of 6144 tokens, whose steps take 12.62 and 9.44 s. The useful
// work is equal, so cost follows time, and padding does not count as throughput.
TEST(Throughput, TheSameUsefulWorkCostsByTheTimeItTakes) {
  SmallJob job;
  const auto of = [&](std::uint32_t sequence, double seconds) {
    job.draw = {{{{8, 12}, 1, 5, 5995, sequence}}};
    StepAccount account = account_of(job, job.model());
    account.price = DollarsPerHour(2);
    return throughput(account, Seconds(seconds));
  };
  const Throughput longer = of(8192, 12.62), shorter = of(6144, 9.44);
  EXPECT_NEAR(longer.tokens_per_second / shorter.tokens_per_second, 1, 0.005);  // the rate with padding
  EXPECT_DOUBLE_EQ(longer.cost->trillion_useful_tokens / shorter.cost->trillion_useful_tokens, 12.62 / 9.44);
  EXPECT_DOUBLE_EQ(shorter.useful_tokens_per_second / longer.useful_tokens_per_second, 12.62 / 9.44);
  EXPECT_DOUBLE_EQ(longer.fill, 6000.0 / 8192);
}

// 1e15 FLOPs take 10 s on 4 devices of 50e12 FLOP/s; 4 x 10 s at 1.80 dollars an hour cost 2 cents.
TEST(Throughput, IsWorkedOutByHand) {
  const StepAccount account{Flops(1e15), 8000, 5000, 4, FlopsPerSecond(50e12), DollarsPerHour(1.8)};
  const Throughput result = throughput(account, Seconds(10));
  EXPECT_DOUBLE_EQ(result.mfu, 0.5);
  EXPECT_DOUBLE_EQ(result.tokens_per_second, 800);
  EXPECT_DOUBLE_EQ(result.tokens_per_second_and_device, 200);
  ASSERT_TRUE(result.cost);
  EXPECT_DOUBLE_EQ(result.cost->step.value(), 0.02);
  EXPECT_DOUBLE_EQ(result.useful_tokens_per_second, 500);
  EXPECT_DOUBLE_EQ(result.fill, 0.625);
  EXPECT_DOUBLE_EQ(result.cost->trillion_useful_tokens.value(), 0.02 / 5000 * 1e12);
}

TEST(Throughput, CostsNothingKnownWithoutAPrice) {
  EXPECT_FALSE(throughput({Flops(1), 1, 1, 1, FlopsPerSecond(1)}, Seconds(1)).cost);
}

}  // namespace
}  // namespace spillway
