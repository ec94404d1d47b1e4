// The bound of one order for several draws against all orders.
#include "synthesize/static_bound.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "small_pipelines.h"
#include "workload/random_stream.h"

namespace spillway::testing {
namespace {

// A pipeline of one layer a rank whose first layer has other work in each draw.
struct DrawnPipeline {
  std::uint32_t microbatches;
  std::vector<GivenCosts> draws;

  Derived derived() const {
    const std::vector<Block> blocks = {{"enc", Role::Encoder, 1, true}, {"llm", Role::Backbone, 1, true}};
    return derive(Model(blocks), schedule("1f1b"), {}, {.pipeline = {2, microbatches}});
  }

  CostModels models(const Derived& of) const {
    CostModels all;
    for (const GivenCosts& costs : draws) all.push_back(std::make_unique<GivenCostModel>(costs, of));
    return all;
  }
};

DrawnPipeline drawn_pipeline(std::uint32_t seed, std::uint32_t microbatches) {
  RandomStream random({seed});
  const auto any = [&] { return Seconds(0.1 + 3 * random.uniform()); };
  DrawnPipeline one{microbatches, {}};
  GivenCosts costs{{}, Seconds(0.2)};
  for (std::size_t block = 0; block < 2; ++block) {
    costs.blocks.emplace_back();
    costs.blocks.back().forward = any();
    costs.blocks.back().input_gradient = any();
  }
  for (std::uint32_t draw = 0; draw < 3; ++draw) {
    std::vector<double> work;
    for (std::uint32_t m = 0; m < microbatches; ++m) work.push_back(any().value());
    costs.blocks.front().work = {work};
    one.draws.push_back(costs);
  }
  return one;
}

// The least mean step of all orders of both ranks' passes.
Seconds least_mean(const DrawnPipeline& one) {
  const PricedStep step(one.derived(), [&](const Derived& of) { return one.models(of); });
  PassSequences sequences = sequences_of(step.derived().order);
  for (auto& sequence : sequences) std::ranges::sort(sequence);
  Seconds least(std::numeric_limits<double>::infinity());
  SequencedStep run;
  do {
    do {
      if (step.graph().run(sequences, step.durations(), run)) least = std::min(least, run.mean(1));
    } while (std::ranges::next_permutation(sequences[1]).found);
  } while (std::ranges::next_permutation(sequences[0]).found);
  return least;
}

TEST(StaticBound, IsNeverAboveTheBestOrderAndSharperThanTheMeanOfBounds) {
  double above = 0, sharper = 0;
  constexpr std::uint32_t kJobs = 60;
  for (std::uint32_t seed = 0; seed < kJobs; ++seed) {
    const DrawnPipeline one = drawn_pipeline(seed, seed == 0 ? 3 : 2);
    const Derived derived = one.derived();
    const CostModels models = one.models(derived);
    const double bound = static_bound(derived, models, std::nullopt).value();
    const double of_draws = limited_bound(derived, models, std::nullopt).value();
    const double least = least_mean(one).value();
    EXPECT_LE(bound, least * (1 + 1e-12)) << seed;
    EXPECT_GE(bound, of_draws * (1 - 1e-12)) << seed;
    above += least / bound - 1;
    sharper += bound / of_draws - 1;
  }
  EXPECT_LE(above / kJobs, 0.03);
  EXPECT_GE(sharper / kJobs, 0.01);
}

// With one draw there is nothing that an order does not know.
TEST(StaticBound, OfOneDrawIsItsBound) {
  DrawnPipeline one = drawn_pipeline(1, 3);
  one.draws.resize(1);
  const Derived derived = one.derived();
  const CostModels models = one.models(derived);
  EXPECT_DOUBLE_EQ(static_bound(derived, models, std::nullopt).value(),
                   limited_bound(derived, models, std::nullopt).value());
}

}  // namespace
}  // namespace spillway::testing
