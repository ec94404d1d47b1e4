// Orders as GOAL: played by its definition, they take as long as the longest path.
#include "report/order/goal.h"

#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "api/derive_order.h"
#include "goal_simulator.h"
#include "input/experiment/experiment.h"
#include "support/pipelines.h"
#include "timing/longest_path.h"

namespace spillway::testing {
namespace {

const std::string kExperiments = std::string(SPILLWAY_SOURCE_DIR) + "/workloads/experiments/";

std::string goal(const Derived& derived, const Prices& prices) {
  std::ostringstream out;
  write_goal(out, derived, prices);
  return out.str();
}

// Durations are whole microseconds, so that ns are exact.
void expect_longest_path(const Derived& derived, const Prices& prices) {
  const Seconds longest = LongestPath(derived.order).timeline(prices.durations).makespan();
  EXPECT_EQ(goal_makespan(parse_goal(goal(derived, prices))),
            static_cast<std::uint64_t>(std::llround(longest.value() * 1e9)));
}

TEST(Goal, EverySkeletonTakesItsLongestPath) {
  for (const char* text : kPipelined) {
    SCOPED_TRACE(text);
    for (const double p2p : {0.0, 0.000601}) {
      const Derived derived = uniform(text, 4, 8);
      expect_longest_path(derived,
                          price(derived, GivenCostModel(uniform_costs(0.007, 0.005, 0.003, p2p), derived)));
    }
  }
}

// The changes add replicas, reductions of transposed and pipelined regions, and transfers that occupy their
// sender.
TEST(Goal, ShippedExperimentsTakeTheirLongestPaths) {
  const std::vector<std::vector<std::string>> changes = {
      {}, {"/network/p2p=blocking"}, {"/pipeline/replicas=3", "/model/blocks/0/trainable=true"}};
  for (const char* schedule : {"mpipe", "baseline"})
    for (const auto& sets : changes) {
      const DeriveArguments arguments{{kExperiments + "small.json", sets}, schedule, "goal"};
      const DeriveAnswer answer = derive_order(arguments);
      std::ostringstream out;
      write_answer(out, answer, arguments);
      const Prices prices = price(answer.derived, *DrawCosts(answer.experiment).of(answer.derived, 0));
      expect_longest_path(answer.derived, prices);
      EXPECT_EQ(out.str(), goal(answer.derived, prices));
    }
}

// The members of a large reduction meet at the first of them, which takes two messages' time.
TEST(Goal, LargeReductionsMeetAtTheFirst) {
  const DeriveArguments arguments{
      {kExperiments + "small.json", {"/pipeline/replicas=40", "/model/blocks/0/trainable=true"}},
      "mpipe",
      "goal"};
  const DeriveAnswer answer = derive_order(arguments);
  std::ostringstream out;
  write_answer(out, answer, arguments);
  const Prices prices = price(answer.derived, *DrawCosts(answer.experiment).of(answer.derived, 0));
  const Seconds longest = LongestPath(answer.derived.order).timeline(prices.durations).makespan();
  const auto extra =
      goal_makespan(parse_goal(out.str())) - static_cast<std::uint64_t>(std::llround(longest.value() * 1e9));
  EXPECT_EQ(extra, 601'000u);  // one message more than the price of a reduction
  EXPECT_LT(out.str().size(), 4'000'000u);
}

TEST(Goal, OfTwoRanksReadsAsWritten) {
  const Derived derived = uniform("1f1b", 2, 1);
  const Prices prices = price(derived, GivenCostModel(uniform_costs(0.001, 0.001, 0.001, 0.0005), derived));
  const std::string text = goal(derived, prices);
  EXPECT_EQ(text.substr(0, text.find('}')), R"(// replica x 2 + rank; durations in ns, messages in bytes
// as Spillway prices messages, at least: LogGOPSim -L 500000 -o 0 -g 0 -G 0 -O 0 -S 4294967295
num_ranks 2
rank 0 {
l0: calc 1000000
s1: send 1b to 1 tag 1
s1 requires l0
r5: recv 1b from 1 tag 5
l7: calc 2000000
l7 requires l0
l7 requires r5
l8: calc 0
l8 requires l7
)");
}

TEST(Goal, ReplicasThatRunAsOneAreRefused) {
  const DeriveArguments arguments{{kExperiments + "experiment-a.json"}, "mpipe", "goal"};
  try {
    derive_order(arguments);
    FAIL() << "nothing was refused";
  } catch (const InputError& bad) {
    ASSERT_EQ(bad.violations().size(), 1u);
    EXPECT_EQ(bad.violations()[0].pointer, "/pipeline/replicas");
    EXPECT_EQ(bad.violations()[0].found, "expert groups that span 8");
  }
}

}  // namespace
}  // namespace spillway::testing
