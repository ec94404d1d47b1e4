// Figures, owner maps and steps follow regions. Block names, their roles and the boundary between two equal
// blocks change nothing, to the last bit. Durations are multiples of a power of two, so that sums do not
// round.
#include <gtest/gtest.h>

#include <cmath>

#include "evaluate/evaluate.h"
#include "input/experiment/experiment.h"
#include "support/engines.h"
#include "support/property.h"
#include "support/random_derivation.h"

namespace spillway {
namespace {

using testing::kLongestPath;
using testing::number;
using testing::random_derivation;
using testing::RandomDerivation;

Seconds fraction() {
  return Seconds(number(0, 40) / 64.0);
}

BlockProfile exact(BlockProfile profile) {
  profile.forward = fraction();
  profile.input_gradient = fraction();
  profile.weight_gradient = fraction();
  profile.activation = Bytes(2.0 * number(0, 9));
  const Seconds backward = profile.input_gradient + profile.weight_gradient;
  if (profile.fused_forward_backward)  // hides all or half of the shorter
    profile.fused_forward_backward =
        profile.forward + backward - std::min(profile.forward, backward) / number(1, 2);
  for (auto& row : profile.work)
    for (double& factor : row) factor = std::round(4 * factor) / 4;
  return profile;
}

Experiment random_exact_experiment() {
  const RandomDerivation random = *random_derivation(
      {.regions = 3, .ranks = 4, .microbatches = 6, .replicas = 3, .every_skeleton = true});
  GivenCosts costs = random.costs;
  costs.p2p = fraction();
  for (BlockProfile& block : costs.blocks) block = exact(block);
  Experiment experiment{.name = "x",
                        .assumptions = {},
                        .pipeline = random.options.pipeline,
                        .model = Model(random.blocks),
                        .point_to_point = random.options.point_to_point,
                        .costs = std::move(costs),
                        .schedules = {}};
  for (std::uint32_t i = number(1, 2); i > 0; --i) {
    ScheduleSpec schedule{"s" + std::to_string(i), random.schedule, random.cut};
    schedule.owner = kOwnerPolicies[number(0, kOwnerPolicies.size() - 1)].second;
    schedule.layers_per_rank = random.options.layers_per_rank;
    schedule.microbatch_group = random.options.microbatch_group;
    schedule.order = kMicrobatchOrders[std::min<std::size_t>(number(0, 6), 3)].second;
    experiment.schedules.push_back(std::move(schedule));
  }
  return experiment;
}

Experiment renamed(Experiment experiment) {
  std::vector<Block> blocks = experiment.model.blocks();
  for (Block& block : blocks) {
    block.name = *rc::gen::element<std::string>("enc", "vit", "llm", "gen") + block.name;
    block.role = *rc::gen::element(Role::Encoder, Role::Backbone, Role::Generator);
  }
  experiment.model = Model(std::move(blocks));
  return experiment;
}

bool is_beside_another(const Model& model, std::size_t block) {
  return model.blocks()[block].beside_next || (block > 0 && model.blocks()[block - 1].beside_next);
}

// Divides each block of several layers into two equal ones, at any layer. A tower beside another ends where
// the other begins, so it stays whole.
Experiment divided(Experiment experiment) {
  std::vector<Block> blocks;
  GivenCosts& costs = std::get<GivenCosts>(experiment.costs);
  std::vector<BlockProfile> profiles;
  for (std::size_t i = 0; i < costs.blocks.size(); ++i) {
    const Block& block = experiment.model.blocks()[i];
    const std::uint32_t first =
        is_beside_another(experiment.model, i) ? block.layers : number(1, block.layers);
    for (const std::uint32_t layers : {first, block.layers - first}) {
      if (layers == 0) continue;
      blocks.push_back(block);
      blocks.back().layers = layers;
      profiles.push_back(costs.blocks[i]);
    }
  }
  costs.blocks = std::move(profiles);
  experiment.model = Model(std::move(blocks));
  return experiment;
}

std::vector<OwnerMap> owners_of(const Derived& derived) {
  std::vector<OwnerMap> owners;
  for (const RegionPlacement& region : derived.placement)
    if (const auto* map = std::get_if<ByMicrobatch>(&region.owner)) owners.push_back(map->owner);
  return owners;
}

void expect_same(const RankFigures& a, const RankFigures& b) {
  RC_ASSERT(a.busy == b.busy);
  RC_ASSERT(a.communication == b.communication);
  RC_ASSERT(a.idle == b.idle);
  RC_ASSERT(a.first_start == b.first_start);
  RC_ASSERT(a.last_end == b.last_end);
  RC_ASSERT(a.spill.has_value() == b.spill.has_value());
  if (!a.spill) return;
  RC_ASSERT(a.spill->warm_up_slack == b.spill->warm_up_slack);
  RC_ASSERT(a.spill->encoder == b.spill->encoder);
  RC_ASSERT(a.spill->spill == b.spill->spill);
}

void expect_same(const ScheduleResult& a, const ScheduleResult& b) {
  RC_ASSERT(owners_of(*a.derived) == owners_of(*b.derived));
  RC_ASSERT(a.first.sampled_as == b.first.sampled_as);
  RC_ASSERT(a.peak_activations == b.peak_activations);
  const DrawResult &of_a = a.draws.front(), &of_b = b.draws.front();
  RC_ASSERT(of_a.step == of_b.step);
  RC_ASSERT(of_a.ranks.size() == of_b.ranks.size());
  for (std::size_t i = 0; i < of_a.ranks.size(); ++i) expect_same(of_a.ranks[i], of_b.ranks[i]);
  RC_ASSERT(of_a.memory.size() == of_b.memory.size());
  for (std::size_t i = 0; i < of_a.memory.size(); ++i)
    RC_ASSERT(of_a.memory[i].parts.total() == of_b.memory[i].parts.total());
}

void expect_same_figures(const Experiment& a, const Experiment& b) {
  const Evaluation of_a = evaluate(a, kLongestPath), of_b = evaluate(b, kLongestPath);
  for (std::size_t i = 0; i < of_a.schedules.size(); ++i) expect_same(of_a.schedules[i], of_b.schedules[i]);
}

RC_GTEST_PROP(RegionFigures, DoNotDependOnWhatBlocksAreCalled, ()) {
  const Experiment experiment = random_exact_experiment();
  expect_same_figures(experiment, renamed(experiment));
}

RC_GTEST_PROP(RegionFigures, DoNotDependOnWhereOneOfTwoEqualBlocksEnds, ()) {
  const Experiment experiment = random_exact_experiment();
  expect_same_figures(experiment, divided(experiment));
}

RC_GTEST_PROP(RegionFigures, IdleIsNeverNegativeNorMoreThanTheBubble, ()) {
  const Evaluation evaluation = evaluate(random_exact_experiment(), kLongestPath);
  for (const ScheduleResult& schedule : evaluation.schedules)
    for (const RankFigures& rank : schedule.draws.front().ranks) {
      RC_ASSERT(rank.idle >= Seconds());
      RC_ASSERT(rank.idle <= rank.bubble + Seconds(1e-9));
    }
}

// The first case of issue 13 has four frozen layers of 1 ms with work 1, 2, 3, 4, 1, 2, 3, 4 and eight
// trained layers of 5/5/5 ms. `blocks` gives the name and number of layers of each block.
Experiment issue_13(const std::vector<std::pair<std::string, std::uint32_t>>& blocks, std::uint32_t cut,
                    const std::string& owner) {
  std::string text;
  std::uint32_t layers = 0;
  for (const auto& [name, count] : blocks) {
    const bool frozen = layers < 4;
    text +=
        (text.empty() ? "" : ", ") + std::string("{ \"name\": \"") + name +
        "\", \"layers\": " + std::to_string(count) + ", \"trainable\": " + (frozen ? "false" : "true") +
        (frozen ? R"(, "work_per_microbatch": [1, 2, 3, 4, 1, 2, 3, 4], "profile":
                        { "forward_ms": 1, "input_gradient_ms": 1, "weight_gradient_ms": 1 } })"
                : R"(, "profile": { "forward_ms": 5, "input_gradient_ms": 5, "weight_gradient_ms": 5 } })");
    layers += count;
  }
  return parse_experiment(R"({ "schema": "spillway/experiment/1", "name": "issue 13",
    "pipeline": { "ranks": 4, "microbatches": 8 }, "model": { "blocks": [ )" +
                              text + R"( ] },
    "schedules": [ { "name": "mpipe", "schedule": "transpose,1f1b", "cut": [)" +
                              std::to_string(cut) + R"(], "owner": ")" + owner + R"(" },
                   { "name": "baseline", "schedule": "1f1b" } ] })",
                          "issue-13.json", {});
}

using Blocks = std::vector<std::pair<std::string, std::uint32_t>>;

void expect_slack(const DrawResult& draw, double encoder_of_all) {
  double encoder = 0;
  for (std::uint32_t rank = 0; rank < 4; ++rank) {
    EXPECT_NEAR(draw.ranks[rank].spill->warm_up_slack.value(), 10e-3 * rank, 1e-12);
    encoder += draw.ranks[rank].spill->encoder.value();
  }
  EXPECT_NEAR(encoder, encoder_of_all, 1e-12);
}

TEST(RegionFigures, OfTheFirstIssueAreTheSameUnderEveryName) {
  for (const Blocks& blocks : {Blocks{{"enc", 4}, {"llm", 6}, {"gen", 2}}, Blocks{{"enc", 4}, {"llm", 8}},
                               Blocks{{"vit", 4}, {"gen", 8}}, Blocks{{"gen", 4}, {"enc", 1}, {"llm", 7}}}) {
    const Evaluation evaluation = evaluate(issue_13(blocks, 4, "min-max"), kLongestPath);
    const DrawResult& draw = evaluation.schedules[0].draws[0];
    expect_slack(draw, 80e-3);
    EXPECT_NEAR(draw.step.spill->max_spill.value(), 6e-3, 1e-12);
    EXPECT_NEAR(draw.step.makespan.value(), 336e-3, 1e-12);
    EXPECT_EQ(evaluation.schedules[0].owner_gap, Seconds());
    EXPECT_FALSE(evaluation.schedules[1].draws[0].step.spill) << "nothing is transposed in the baseline";
  }
}

// The transposed region has a fifth layer of 5 ms: E of a microbatch of work w is 4 w + 5.
TEST(RegionFigures, OfACutInsideABlockAreTheRegions) {
  const Evaluation evaluation = evaluate(issue_13({{"enc", 4}, {"llm", 8}}, 5, "round-robin"), kLongestPath);
  expect_slack(evaluation.schedules[0].draws[0], 80e-3 + 8 * 5e-3);
  EXPECT_NEAR(evaluation.schedules[0].draws[0].ranks[0].spill->encoder.value(), 2 * 9e-3, 1e-12);
}

// The cut is inside the frozen block. The block's pipelined half does not count as encoder.
TEST(RegionFigures, OfACutInsideTheEncoderLeaveItsPipelinedPartOut) {
  const Evaluation evaluation = evaluate(issue_13({{"enc", 4}, {"llm", 8}}, 2, "round-robin"), kLongestPath);
  EXPECT_NEAR(evaluation.schedules[0].draws[0].ranks[0].spill->encoder.value(), 2 * 2e-3, 1e-12);
}

TEST(RegionFigures, AWarningSaysOnceThatWhatIsTransposedIsNoEncoder) {
  EXPECT_TRUE(issue_13({{"enc", 4}, {"llm", 8}}, 4, "greedy").warnings.empty());
  const Experiment vit = issue_13({{"vit", 4}, {"llm", 8}}, 5, "greedy");
  ASSERT_EQ(vit.warnings.size(), 1U);
  EXPECT_EQ(vit.warnings[0].code, "transposed-is-no-encoder");
  EXPECT_NE(vit.warnings[0].text.find("vit, llm in mpipe"), std::string::npos) << vit.warnings[0].text;
}

}  // namespace
}  // namespace spillway
