// The step of sequences against derived orders.
#include "synthesize/pass_graph.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/property.h"
#include "support/random_derivation.h"

namespace spillway::testing {
namespace {

RC_GTEST_PROP(PassGraph, RunsADerivedOrderAsItsLongestPath, ()) {
  const RandomDerivation random = *random_derivation({.every_skeleton = true});
  const Derived derived = random.derived();
  const Durations durations = random.priced(derived).durations;
  const PassGraph graph(derived);
  SequencedStep step;
  RC_ASSERT(graph.run(sequences_of(derived.order), durations, step));
  const Timeline timeline = LongestPath(derived.order).timeline(durations);
  RC_ASSERT(std::ranges::equal(step.ends.flat(), timeline.end.flat()));
  RC_ASSERT(step.mean(derived.pipeline.replicas) == timeline.makespan());
}

// GPipe's order of the passes of 1F1B is the step of GPipe.
TEST(PassGraph, RunsAnotherOrderAsThatOrderDerived) {
  const GivenCosts costs = uniform_costs(3, 2.5, 1.75, 0.3);
  const Derived one = uniform("1f1b", 4, 6), other = uniform("gpipe", 4, 6);
  const Durations durations = price(one, GivenCostModel(costs, one)).durations;
  PassSequences sequences(4);
  const PassSequences own = sequences_of(one.order), wanted_order = sequences_of(other.order);
  for (std::uint32_t rank = 0; rank < 4; ++rank)
    for (const std::uint32_t wanted : wanted_order[rank])
      for (const std::uint32_t pass : own[rank])
        if (one.order.event(EventId(pass)) == other.order.event(EventId(wanted)))
          sequences[rank].push_back(pass);
  SequencedStep step;
  ASSERT_TRUE(PassGraph(one).run(sequences, durations, step));
  EXPECT_DOUBLE_EQ(step.mean(1).value(), makespan(other, costs));
}

TEST(PassGraph, RefusesPassesThatWaitForEachOther) {
  const Derived derived = uniform("1f1b", 2, 2);
  PassSequences sequences = sequences_of(derived.order);
  std::ranges::reverse(sequences[0]);
  SequencedStep step;
  EXPECT_FALSE(PassGraph(derived).run(
      sequences, price(derived, GivenCostModel(uniform_costs(1, 1, 1), derived)).durations, step));
}

}  // namespace
}  // namespace spillway::testing
