// Checks that each job that cannot be priced is reported at its place in the experiment.
#include <gtest/gtest.h>

#include <limits>

#include "small_job.h"

namespace spillway {
namespace {

std::vector<Violation> check(const SmallJob& job) {
  return check_analytic(job.costs, job.model(), job.pipeline);
}

Violation only_violation(const SmallJob& job) {
  const std::vector<Violation> violations = check(job);
  EXPECT_EQ(violations.size(), 1U);
  return violations.empty() ? Violation{} : violations.front();
}

TEST(CheckAnalytic, AcceptsASoundJob) {
  EXPECT_TRUE(check(SmallJob()).empty());
}

TEST(CheckAnalytic, WantsAsManyDevicesAsTheJobTakes) {
  SmallJob job;
  job.pipeline = {8, 2, 9};
  EXPECT_EQ(only_violation(job),
            (Violation{"", "/pipeline", "at most the 64 devices of small", "72 devices"}));
  job.pipeline = {1'000'000'000, 2, 1'000'000'000};  // no overflow
  EXPECT_EQ(only_violation(job).found, "1000000000000000000 devices");
}

TEST(CheckAnalytic, WantsEfficienciesAboveZeroAndAtMostOne) {
  SmallJob job;
  job.costs.blocks[1].efficiency.compute = 0;
  EXPECT_EQ(only_violation(job).pointer, "/model/blocks/1/efficiency/compute");
  job.costs.blocks[1].efficiency.compute = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(only_violation(job).pointer, "/model/blocks/1/efficiency/compute");
  job.costs.blocks[1].efficiency = {1, 1.5};
  EXPECT_EQ(only_violation(job).pointer, "/model/blocks/1/efficiency/memory");
}

TEST(CheckAnalytic, WantsAFixedTimeOfAtLeastZero) {
  SmallJob job;
  job.costs.blocks[0].fixed_per_microbatch = Seconds(-1);
  EXPECT_EQ(only_violation(job).pointer, "/model/blocks/0/fixed_ms");
}

TEST(CheckAnalytic, WantsTheArchitecturesLayers) {
  SmallJob job;
  TextModel deeper = small_deepseek();
  deeper.num_hidden_layers = 5;
  job.costs.blocks[1].architecture = deeper;
  EXPECT_EQ(only_violation(job), (Violation{"", "/model/blocks/1/layers", "5", "4"}));
}

TEST(CheckAnalytic, WantsTheEncoderAsWideAsTheBackbone) {
  SmallJob job;
  VisionTower wide = small_vit();
  wide.out_hidden_size = 32;
  job.costs.blocks[0].architecture = wide;
  EXPECT_EQ(only_violation(job),
            (Violation{"", "/model/blocks/0", "an output as wide as the next block, 16", "32"}));
}

TEST(CheckAnalytic, WantsHeadsAndExpertsThatDivide) {
  SmallJob job;
  job.costs.parallelism.tensor = 8;
  EXPECT_EQ(only_violation(job).pointer, "/parallel/tensor");
  job.costs.parallelism = {};
  job.pipeline.replicas = 16;
  job.costs.parallelism.expert = 16;
  EXPECT_EQ(only_violation(job),
            (Violation{"", "/parallel/expert", "a divisor of 8 experts of block \"llm\"", "16"}));
}

// Like Megatron-LM, the check lets members share a key/value head but never splits one unevenly.
TEST(CheckAnalytic, WantsKeyValueHeadsThatShareOut) {
  SmallJob job;
  TextModel grouped = small_deepseek();
  grouped.attention =
      GroupedQueryAttention{.num_attention_heads = 24, .num_key_value_heads = 8, .head_dim = 4};
  job.costs.blocks[1].architecture = grouped;
  job.costs.parallelism.tensor = 6;
  EXPECT_EQ(only_violation(job),
            (Violation{"", "/parallel/tensor",
                       "a divisor or a multiple of 8 key/value heads of block \"llm\"", "6"}));
  for (const std::uint32_t tensor : {1U, 4U, 8U}) {
    job.costs.parallelism.tensor = tensor;
    EXPECT_TRUE(check(job).empty()) << tensor;
  }
}

TEST(CheckAnalytic, WantsExpertsForAnExpertGroup) {
  SmallJob job;
  TextModel dense = small_deepseek();
  dense.experts.reset();
  job.costs.blocks[1].architecture = dense;
  EXPECT_TRUE(check(job).empty());
  job.costs.parallelism.expert = 2;
  job.pipeline.replicas = 2;
  EXPECT_EQ(only_violation(job),
            (Violation{"", "/parallel/expert", "1, since no block of the model has experts", "2"}));
}

std::string needs(const SmallJob& job, const char* schedule) {
  std::string all;
  for (const Violation& one : check_needs(job.costs, std::get<Schedule>(parse_schedule(schedule))))
    all += to_string(one) + '\n';
  return all;
}

// Megatron-LM's assertions for overlap_moe_expert_parallel_comm.
TEST(CheckNeeds, OverlapWantsAllToAllsOfExperts) {
  constexpr const char* kOverlap = "transpose,1f1b-overlap,1f1b-overlap";
  SmallJob job;
  job.pipeline.replicas = 2;
  EXPECT_EQ(needs(job, kOverlap),
            ": /schedule: expected \"parallel/expert\" above 1, so that there are all-to-alls to hide, for "
            "1f1b-overlap, found 1\n");
  EXPECT_EQ(needs(job, "transpose,1f1b,1f1b"), "");
  job.costs.parallelism.expert = 2;
  EXPECT_EQ(needs(job, kOverlap), "");
  job.costs.parallelism.dispatch = ExpertDispatch::AllGather;
  job.costs.blocks[0].recompute = Recompute::Full;  // the encoder has no experts
  EXPECT_EQ(needs(job, kOverlap),
            ": /schedule: expected \"parallel/dispatch\" per-expert or per-node, as in Megatron-LM, for "
            "1f1b-overlap, found all-gather\n");
  job.costs.parallelism.dispatch = ExpertDispatch::PerNode;
  const std::string again =
      ": /schedule: expected \"recompute\" of modules other than moe, as in Megatron-LM, for 1f1b-overlap, "
      "found full or moe in a block with experts\n";
  job.costs.blocks[1].recompute = Recompute::Full;
  EXPECT_EQ(needs(job, kOverlap), again);
  job.costs.blocks[1].recompute = Recompute::None;
  job.costs.blocks[1].recompute.modules = Module::ExpertActivation;
  EXPECT_EQ(needs(job, kOverlap), "");
  job.costs.blocks[1].recompute.modules = Module::Experts;
  EXPECT_EQ(needs(job, kOverlap), again);
  TextModel dense = small_deepseek();
  dense.experts.reset();
  job.costs.blocks[1] = {dense};
  EXPECT_EQ(needs(job, kOverlap),
            ": /schedule: expected a block with experts, whose all-to-alls can hide, for 1f1b-overlap, found "
            "none\n");
}

TEST(CheckAnalytic, PassesOnWhatIsWrongWithTheParallelism) {
  SmallJob job;
  job.costs.parallelism.context = 0;
  EXPECT_EQ(only_violation(job).pointer, "/parallel/context");
}

TEST(CheckAnalytic, UlyssesWantsWholeHeadsOnEachDevice) {
  SmallJob job;
  job.costs.parallelism.context_by = ContextBy::Ulysses;
  job.costs.parallelism.context = 4;
  EXPECT_TRUE(check(job).empty());
  job.costs.parallelism.context = 8;
  EXPECT_EQ(only_violation(job),
            (Violation{"", "/parallel/context_by",
                       "with tensor x context a divisor of 4 attention heads of block \"llm\"",
                       "ulysses among 8"}));
}

TEST(CheckAnalytic, SplitExpertsDivideTheirInnerWidth) {
  SmallJob job;
  job.pipeline.replicas = 3;
  job.costs.parallelism.expert_tensor = 3;
  EXPECT_EQ(only_violation(job), (Violation{"", "/parallel/expert_tensor",
                                            "a divisor of the experts' inner width of block \"llm\"", "3"}));
  job.pipeline.replicas = 8;
  job.costs.parallelism.expert_tensor = 2;
  job.costs.parallelism.expert = 4;
  EXPECT_TRUE(check(job).empty());
  std::get<TextModel>(job.costs.blocks[1].architecture).experts.reset();
  EXPECT_EQ(check(job).size(), 2U);
}

// The host cannot wait inside a graph, and images differ in size.
TEST(CheckAnalytic, WantsNoGraphsOverWhatCannotBeCaptured) {
  SmallJob job;
  Framework& framework = job.costs.framework;
  framework.launch = chosen(microseconds(1));
  framework.operators["expert up"].waits = chosen(1.0);
  const auto cover = [&](GraphCover covers) {
    framework.graphs = Sourced<GraphCover>{covers, Evidence::Measured, "a test"};
  };
  cover(GraphCover().with(GraphPart::Attention).with(GraphPart::Router).with(GraphPart::Preprocess));
  EXPECT_TRUE(check(job).empty());
  cover(GraphCover::layer());
  EXPECT_EQ(only_violation(job).pointer, "/model/blocks/1");
  EXPECT_EQ(only_violation(job).found, "layer");
  framework.operators.clear();
  EXPECT_TRUE(check(job).empty());
  cover(GraphCover::step());
  EXPECT_EQ(only_violation(job).pointer, "/model/blocks/0");
}

}  // namespace
}  // namespace spillway
