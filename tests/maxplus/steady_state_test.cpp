// The eigenvalue against the makespan's growth per microbatch, for every schedule of a list with stages of
// random length, and against the textbook cases.
#include "maxplus/steady_state.h"

#include <gtest/gtest.h>

#include <numeric>
#include <ostream>
#include <random>
#include <string>

#include "support/pipelines.h"
#include "support/tolerance.h"
#include "timing/longest_path.h"

namespace spillway::testing {
namespace {

constexpr int kCases = 25;

// Long steps are slow to derive, so the cases are few and drawn by hand.
using Random = std::mt19937;

std::uint32_t drawn(Random& random, std::uint32_t low, std::uint32_t high) {
  return low + static_cast<std::uint32_t>(random() % (high - low + 1));
}

// A schedule under test. Its ranks are multiples of `ranks`, its microbatches multiples of `microbatches`
// times the ranks (0: any number).
struct Periodic {
  std::string text;
  std::uint32_t microbatches = 0;
  std::uint32_t ranks = 1;

  friend std::ostream& operator<<(std::ostream& out, const Periodic& one) { return out << one.text; }
};

// To test another schedule, add it here.
const std::vector<Periodic> kPeriodic = {
    {"1f1b"},
    {"gpipe"},
    {"1f1b,1f1b", 1},
    {"1f1b,1f1b,1f1b", 1},
    {"zb-h1"},
    {"zb-h2"},
    {"zb-1p"},
    {"zb-2p"},
    {"zb-v"},
    {"v-half"},
    {"v-min"},
    {"wave(1)"},
    {"wave(2)"},
    {"dualpipe", 0, 2},
    {"dualpipev"},
    {"transpose,1f1b"},
    {"transpose,gpipe"},
    {"transpose,1f1b,1f1b", 1},
    {"transpose,zb-h1"},
    {"transpose,zb-v"},
    {"transpose,dualpipe", 0, 2},
    {"transpose,dualpipev"},
    {"1f1b,transpose"},
    {"transpose,1f1b,transpose"},
};

// One pipeline of unequal stages, without its number of microbatches.
struct Steady {
  Schedule schedule;
  std::vector<Block> blocks;
  Cut cut;
  GivenCosts costs;
  DeriveOptions options;

  Derived derived(std::uint32_t microbatches) const {
    DeriveOptions longer = options;
    longer.pipeline.microbatches = microbatches;
    return derive(Model(blocks), schedule, cut, longer);
  }
  // In the last block replica n takes n + 1 times as long as the first on every microbatch.
  Durations durations(const Derived& derived) const {
    GivenCosts longer = costs;
    for (std::uint32_t n = 0; n < options.pipeline.replicas; ++n)
      longer.blocks.back().work.emplace_back(derived.pipeline.microbatches, n + 1.0);
    return price(derived, GivenCostModel(longer, derived)).durations;
  }
  double makespan(std::uint32_t microbatches) const {
    const Derived step = derived(microbatches);
    return LongestPath(step.order).timeline(durations(step)).makespan().value();
  }
};

Seconds random_duration(Random& random) {
  return milliseconds(drawn(random, 1, 99));
}

// Each layer is a block with its own durations, and each stage has one layer.
Steady random_steady(Random& random, const std::string& text, std::uint32_t ranks) {
  const std::uint32_t replicas = drawn(random, 1, 2);
  Steady steady{schedule(text), {}, {}, {}, {.pipeline = {ranks, 1, replicas}}};
  steady.options.point_to_point =
      drawn(random, 0, 1) == 0 ? PointToPoint::Blocking : PointToPoint::Overlapped;
  if (drawn(random, 0, 1) == 0) steady.costs.p2p = random_duration(random);
  for (const Skeleton& skeleton : steady.schedule.skeletons) {
    if (!steady.blocks.empty())
      steady.cut.boundaries.push_back(static_cast<std::uint32_t>(steady.blocks.size()));
    const std::uint32_t layers = layout_of(skeleton) == Layout::Replicated ? 1 : ranks * chunks_of(skeleton);
    const bool frozen = steady.blocks.empty() && layers == 1 && drawn(random, 0, 1) == 0;
    for (std::uint32_t layer = 0; layer < layers; ++layer) {
      steady.blocks.push_back({"llm" + std::to_string(steady.blocks.size()), Role::Backbone, 1, !frozen});
      BlockProfile profile;
      profile.forward = random_duration(random);
      profile.input_gradient = random_duration(random);
      profile.weight_gradient = random_duration(random);
      steady.costs.blocks.push_back(profile);
      steady.options.joined_replicas.push_back(drawn(random, 1, replicas));
    }
  }
  return steady;
}

std::optional<SteadyState> steady_state_of(const Steady& steady, std::uint32_t microbatches) {
  const Derived derived = steady.derived(microbatches);
  return steady_state(derived.order, steady.durations(derived));
}

class Growth : public ::testing::TestWithParam<Periodic> {};

// After the transient, the makespan grows over one cyclicity by the eigenvalue times the microbatches.
TEST_P(Growth, IsTheEigenvalue) {
  Random random(20240607);
  for (int i = 0; i < kCases; ++i) {
    const std::uint32_t ranks = GetParam().ranks * drawn(random, 1, 4 / GetParam().ranks);
    const Steady steady = random_steady(random, GetParam().text, ranks);
    const auto found = steady_state_of(steady, 24 * ranks);
    ASSERT_TRUE(found.has_value()) << GetParam().text << " P=" << ranks;
    const std::uint32_t step = std::lcm(found->cyclicity(), std::max(1U, GetParam().microbatches * ranks));
    const std::uint32_t settled = 100 * ranks;
    const double before = steady.makespan(settled);
    EXPECT_NEAR(steady.makespan(settled + step) - before, step * found->per_microbatch().value(),
                kRelative * before)
        << GetParam().text << " P=" << ranks << " case " << i << ": period " << found->period << ", phases "
        << found->phases.size() << ", cyclicity " << found->cyclicity();
  }
}

// A short step gives the same result as a long one, or none. Each rank has at least two microbatches, which
// dualpipe requires.
TEST_P(Growth, IsNeverGuessedFromAShortStep) {
  Random random(7);
  for (std::uint32_t ranks = 2; ranks <= 6; ranks += 2) {
    const Steady steady = random_steady(random, GetParam().text, ranks);
    const auto known = steady_state_of(steady, 36 * ranks);
    if (!known) continue;  // the period is longer: the test above finds it for fewer ranks
    const std::uint32_t unit = std::max(2U, GetParam().microbatches * ranks);
    for (std::uint32_t m = 2 * ranks; m <= 12 * ranks; m += unit) {
      const auto found = steady_state_of(steady, m);
      if (!found) continue;
      EXPECT_NEAR(found->per_microbatch().value(), known->per_microbatch().value(),
                  kRelative * known->per_microbatch().value())
          << GetParam().text << " P=" << ranks << " M=" << m;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(EverySchedule, Growth, ::testing::ValuesIn(kPeriodic));

SteadyState of_uniform(const std::string& text, std::uint32_t ranks, std::uint32_t microbatches, double p2p) {
  const Derived derived = uniform(text, ranks, microbatches);
  const Prices prices = price(derived, GivenCostModel(uniform_costs(3, 2.5, 1.75, p2p), derived));
  return *steady_state(derived.order, prices.durations);
}

constexpr double kForward = 3, kBackward = 2.5 + 1.75;

// The bottleneck stage of the paper's section 3.3: a cycle of one microbatch on one rank.
TEST(SteadyState, OfOneFOneBIsOneForwardAndOneBackward) {
  const SteadyState steady = of_uniform("1f1b", 4, 64, 0);
  EXPECT_EQ(steady.period, 1u);
  ASSERT_EQ(steady.phases.size(), 1u);
  EXPECT_DOUBLE_EQ(steady.per_microbatch().value(), kForward + kBackward);
}

// facts: transfers add 2(P-1)/P Tc for each microbatch. The critical cycle runs down the ranks and back, once
// in P microbatches.
TEST(SteadyState, OfOneFOneBWithTransfersSpansPMicrobatches) {
  for (std::uint32_t p = 2; p <= 8; ++p) {
    const SteadyState steady = of_uniform("1f1b", p, 16 * p, 0.1);
    EXPECT_EQ(steady.period, 1u);
    EXPECT_NEAR(steady.per_microbatch().value(), kForward + kBackward + 2 * (p - 1) * 0.1 / p, 1e-12);
    EXPECT_EQ(steady.cyclicity(), p);
  }
}

// Interleaving repeats per group, and its latency does not grow.
TEST(SteadyState, OfInterleavingRepeatsPerGroup) {
  const SteadyState steady = of_uniform("1f1b,1f1b", 4, 96, 0.1);
  EXPECT_EQ(steady.period, 4u);
  EXPECT_NEAR(steady.per_microbatch().value(), 2 * (kForward + kBackward), 1e-12);
}

// All forwards run before all backwards: two phases, whose times add up.
TEST(SteadyState, OfGPipeHasTwoPhases) {
  const SteadyState steady = of_uniform("gpipe", 4, 32, 0);
  ASSERT_EQ(steady.phases.size(), 2u);
  EXPECT_DOUBLE_EQ(steady.phases[0].eigenvalue.value(), kForward);
  EXPECT_DOUBLE_EQ(steady.phases[1].eigenvalue.value(), kBackward);
}

// Unequal microbatches have no period.
TEST(SteadyState, AsksForEqualMicrobatches) {
  const Derived derived = uniform("1f1b", 2, 64);
  GivenCosts costs = uniform_costs(3, 2.5, 1.75);
  costs.blocks[0].work = {std::vector<double>(64, 1.0)};
  costs.blocks[0].work[0][30] = 2;
  EXPECT_FALSE(
      steady_state(derived.order, price(derived, GivenCostModel(costs, derived)).durations).has_value());
}

// The slowest replica sets the step, whichever it is. If one replica's microbatches differ, the step has no
// period.
TEST(SteadyState, IsOfAllReplicas) {
  const Derived derived =
      derive(Model({{"llm", Role::Backbone, 2, true}}), schedule("1f1b"), {}, {.pipeline = {2, 64, 2}});
  GivenCosts costs = uniform_costs(3, 2.5, 1.75);
  costs.blocks[0].work = {std::vector<double>(64, 1.0), std::vector<double>(64, 2.0)};
  const auto steady = steady_state(derived.order, price(derived, GivenCostModel(costs, derived)).durations);
  ASSERT_TRUE(steady.has_value());
  EXPECT_NEAR(steady->per_microbatch().value(), 2 * (kForward + kBackward), 1e-12);
  costs.blocks[0].work[1][30] = 3;
  EXPECT_FALSE(
      steady_state(derived.order, price(derived, GivenCostModel(costs, derived)).durations).has_value());
}

// Four microbatches on eight ranks never reach a steady state.
TEST(SteadyState, AsksForALongStep) {
  const Derived derived = uniform("1f1b", 8, 4);
  const Prices prices = price(derived, GivenCostModel(uniform_costs(3, 2.5, 1.75), derived));
  EXPECT_FALSE(steady_state(derived.order, prices.durations).has_value());
}

}  // namespace
}  // namespace spillway::testing
