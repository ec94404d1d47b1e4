// Random small pipelines for tests of searches, as derived orders and as jobs of the oracle.
#pragma once

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "support/best_order.h"
#include "support/pipelines.h"
#include "synthesize/priced_step.h"

namespace spillway::testing {

// The step of one draw with given costs.
inline std::shared_ptr<const PricedStep> priced_step(Derived derived, const GivenCosts& costs) {
  return std::make_shared<const PricedStep>(std::move(derived), [&](const Derived& of) {
    CostModels models;
    models.push_back(std::make_unique<GivenCostModel>(costs, of));
    return models;
  });
}

inline OwnedOrder own_order(std::shared_ptr<const PricedStep> step) {
  PassSequences sequences = sequences_of(step->derived().order);
  return {std::move(step), std::move(sequences)};
}

inline Seconds mean_step(const OwnedOrder& order) {
  SequencedStep step;
  EXPECT_TRUE(order.step->graph().run(order.sequences, order.step->durations(), step));
  return step.mean(order.step->replicas());
}

struct SmallPipeline {
  OraclePipeline oracle;

  OwnedOrder order() const {
    std::vector<Block> blocks;
    GivenCosts costs{{}, Seconds(oracle.transfer)};
    for (std::size_t stage = 0; stage < oracle.forward.size(); ++stage) {
      blocks.push_back({"llm" + std::to_string(stage), Role::Backbone, 1, true});
      BlockProfile& block = costs.blocks.emplace_back();
      block.forward = Seconds(oracle.forward[stage]);
      block.input_gradient = Seconds(oracle.backward[stage]);
      block.work = {oracle.work};
    }
    return own_order(priced_step(derive(Model(blocks), schedule("1f1b"), {},
                                        {.pipeline = {static_cast<std::uint32_t>(blocks.size()),
                                                      static_cast<std::uint32_t>(oracle.work.size())}}),
                                 costs));
  }
};

// Times differ by stage and microbatch, from the first test on.
inline SmallPipeline any_pipeline(std::uint32_t most_ranks, std::uint32_t most_microbatches) {
  const auto number = [](int low, int high) {
    return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(low, high));
  };
  SmallPipeline any;
  const int ranks = number(1, static_cast<int>(most_ranks) + 1);
  const int microbatches = number(1, static_cast<int>(most_microbatches) + 1);
  for (int rank = 0; rank < ranks; ++rank) {
    any.oracle.forward.push_back(0.1 * number(1, 30));
    any.oracle.backward.push_back(0.1 * number(1, 60));
  }
  const bool alike = microbatches <= 3 && number(0, 3) == 0;  // trying all orders of equal ones takes long
  for (int m = 0; m < microbatches; ++m) any.oracle.work.push_back(alike ? 1 : 0.1 * number(1, 30));
  any.oracle.transfer = 0.1 * number(0, 10);
  return any;
}

}  // namespace spillway::testing
