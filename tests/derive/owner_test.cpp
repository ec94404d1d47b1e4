// Checks owner maps by hand and against brute force over every map of small problems.
#include "derive/owner.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "support/property.h"

namespace spillway::testing {
namespace {

using Ranks = std::vector<std::uint32_t>;

OwnerProblem problem(const std::vector<double>& encode, const std::vector<double>& slack) {
  OwnerProblem problem;
  for (double seconds : encode) problem.encode.emplace_back(seconds);
  for (double seconds : slack) problem.slack.emplace_back(seconds);
  return problem;
}

OwnerChoice choose(OwnerPolicy policy, const OwnerProblem& problem) {
  return choose_owner(policy, problem, {}, 0);
}

Ranks ranks(const OwnerChoice& choice) {
  Ranks ranks;
  for (RankId rank : choice.owner) ranks.push_back(rank.index());
  return ranks;
}

TEST(OwnerPolicy, PrintsItsName) {
  for (const auto& [name, policy] : kOwnerPolicies) EXPECT_EQ(to_string(policy), name);
}

TEST(RoundRobin, GoesRound) {
  EXPECT_EQ(ranks(choose(OwnerPolicy::RoundRobin, problem({1, 1, 1, 1, 1, 1, 1}, {0, 1, 2}))),
            (Ranks{0, 1, 2, 0, 1, 2, 0}));
  EXPECT_EQ(ranks(choose(OwnerPolicy::RoundRobin, problem({1, 1}, {0, 1, 2}))), (Ranks{0, 1}));
}

TEST(Blocked, FillsRankByRank) {
  EXPECT_EQ(ranks(choose(OwnerPolicy::Blocked, problem({1, 1, 1, 1, 1, 1}, {0, 1, 2}))),
            (Ranks{0, 0, 1, 1, 2, 2}));
  EXPECT_EQ(ranks(choose(OwnerPolicy::Blocked, problem({1, 1, 1, 1, 1}, {0, 1}))), (Ranks{0, 0, 0, 1, 1}));
  EXPECT_EQ(ranks(choose(OwnerPolicy::Blocked, problem({1, 1}, {0, 1, 2, 3}))), (Ranks{0, 2}));
}

OwnerProblem of_inputs(std::size_t inputs, OwnerProblem problem) {
  problem.inputs = inputs;
  return problem;
}

// Two inputs of three microbatches.
TEST(SeveralInputs, GoRoundAndInBlocksByThemselves) {
  const OwnerProblem two = of_inputs(2, problem({1, 1, 1, 5, 5, 5}, {0, 1}));
  EXPECT_EQ(ranks(choose(OwnerPolicy::RoundRobin, two)), (Ranks{0, 1, 0, 0, 1, 0}));
  EXPECT_EQ(ranks(choose(OwnerPolicy::Blocked, two)), (Ranks{0, 0, 1, 0, 0, 1}));
  const std::vector<OwnerMap> maps = by_input(choose(OwnerPolicy::Blocked, two).owner, 3);
  EXPECT_EQ(maps,
            (std::vector<OwnerMap>{{RankId(0), RankId(0), RankId(1)}, {RankId(0), RankId(0), RankId(1)}}));
}

// Slacks 0 and 6. The second input's encodes of 4 are dealt first: rank 1 takes one (2 left) and the other
// (-2). Rank 0 takes the first input's encodes of 1 until it, too, is 2 behind. By themselves, the encodes of
// the first input would fit into rank 1's slack and so spill there on top of the second input's.
TEST(SeveralInputs, ShareTheSlack) {
  const OwnerProblem two = of_inputs(2, problem({1, 1, 4, 4}, {0, 6}));
  const OwnerChoice joint = choose(OwnerPolicy::Greedy, two);
  EXPECT_EQ(ranks(joint), (Ranks{0, 0, 1, 1}));
  EXPECT_EQ(joint.spill, Seconds(2));
  EXPECT_EQ(ranks(choose(OwnerPolicy::Greedy, problem({1, 1}, {0, 6}))), (Ranks{1, 1}));
  EXPECT_EQ(max_spill(two, {RankId(1), RankId(1), RankId(1), RankId(1)}), Seconds(4));
}

// Slacks 0 1 2 3, encodes 1 0.5 3: rank 3 takes the 3 (0 left), rank 2 takes the 1 (1 left). The 0.5 goes to
// rank 1, the lower of the two ranks with 1 left.
TEST(Greedy, HeaviestEncodeToTheLongestSlackLeft) {
  const OwnerChoice choice = choose(OwnerPolicy::Greedy, problem({1, 0.5, 3}, {0, 1, 2, 3}));
  EXPECT_EQ(ranks(choice), (Ranks{2, 1, 3}));
  EXPECT_EQ(choice.spill, Seconds(0));
  EXPECT_EQ(choice.spill_gap, Seconds(0));
}

// Slacks 0 and 3, encodes 2 2 2: rank 1 takes the first (1 left) and the second (-1), rank 0 the third. They
// spill 1 and 2. Work of 6 in slack of 3 spills at least 1.5 on the worse of the two ranks.
TEST(Greedy, SpillsWhereSlackIsShort) {
  const OwnerChoice choice = choose(OwnerPolicy::Greedy, problem({2, 2, 2}, {0, 3}));
  EXPECT_EQ(choice.spill, Seconds(2));
  EXPECT_EQ(choice.spill_gap, Seconds(0.5));
}

// Two ranks have slack for two of the four equal encodes each. Neither gets its second before the other has
// one.
TEST(Greedy, DealsEqualEncodesInRounds) {
  EXPECT_EQ(ranks(choose(OwnerPolicy::Greedy, problem({1, 1, 1, 1}, {0, 2, 3}))), (Ranks{2, 1, 2, 1}));
}

// Greedy puts 3 and 3 on different ranks and then adds 2 2 2: 3+2+2 = 7. The best map is 3+3 against 2+2+2.
TEST(MinMax, FindsWhatGreedyMisses) {
  const OwnerProblem tight = problem({3, 3, 2, 2, 2}, {0, 0});
  EXPECT_EQ(choose(OwnerPolicy::Greedy, tight).spill, Seconds(7));
  const OwnerChoice best = choose(OwnerPolicy::MinMax, tight);
  EXPECT_EQ(best.spill, Seconds(6));
  EXPECT_EQ(best.spill_gap, Seconds(0));
}

TEST(MinMax, StopsAtItsBudgetAndSaysWhatMayBeMissing) {
  std::vector<double> encode;
  for (int m = 0; m < 64; ++m) encode.push_back(1 + 0.37 * (m * 29 % 64) / 64);
  const OwnerProblem large = problem(encode, {0, 1, 2, 3, 4, 5, 6, 7});
  const OwnerChoice best = choose(OwnerPolicy::MinMax, large);
  EXPECT_LE(best.spill, choose(OwnerPolicy::Greedy, large).spill);
  EXPECT_NEAR((best.spill - best.spill_gap).value(), spill_lower_bound(large).value(), 1e-12);
}

// A million microbatches exceed the limit of the search, which recurses once per microbatch.
TEST(MinMax, LeavesHugeProblemsToGreedy) {
  std::vector<double> encode;
  for (int m = 0; m < 1'000'000; ++m) encode.push_back(1 + 0.001 * (m % 7));
  const OwnerProblem huge = problem(encode, {0, 1});
  const OwnerChoice choice = choose(OwnerPolicy::MinMax, huge);
  EXPECT_EQ(choice.owner, choose(OwnerPolicy::Greedy, huge).owner);
  EXPECT_EQ(choice.spill_gap, choose(OwnerPolicy::Greedy, huge).spill_gap);
}

// Water filling by hand: work of 10 exceeds slacks 5 3 0 by 2, 2/3 for each rank. Work of 9 exceeds slacks 5
// 3 by 1, 0.5 for each.
TEST(LowerBound, PoursWorkOverTheSlacks) {
  EXPECT_NEAR(spill_lower_bound(problem({4, 4, 2}, {5, 3, 0})).value(), 2.0 / 3, 1e-15);
  EXPECT_EQ(spill_lower_bound(problem({3, 3, 3}, {5, 3})), Seconds(0.5));
  EXPECT_EQ(spill_lower_bound(problem({1, 1}, {5, 3})), Seconds(0));
  EXPECT_EQ(spill_lower_bound(problem({7, 0}, {5, 3})), Seconds(2)) << "one encode fits nowhere";
}

std::uint32_t between(std::uint32_t low, std::uint32_t high) {
  return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange<std::uint32_t>(low, high + 1));
}

// Multiples of 1/8 add up exactly; multiples of 0.1 do not.
std::vector<double> seconds(std::uint32_t count, bool exact) {
  std::vector<double> seconds;
  for (std::uint32_t i = 0; i < count; ++i) seconds.push_back(between(0, 40) * (exact ? 0.125 : 0.1));
  return seconds;
}

OwnerProblem small_problem(bool exact) {
  return problem(seconds(between(1, 6), exact), seconds(between(1, 3), exact));
}

// Visits all P^M maps.
template <class Visit>
void for_every_map(const OwnerProblem& problem, const Visit& visit) {
  const auto p = static_cast<std::uint32_t>(problem.slack.size());
  OwnerMap owner(problem.encode.size(), RankId(0));
  while (true) {
    visit(owner);
    std::size_t m = 0;
    while (m < owner.size() && owner[m].index() + 1 == p) owner[m++] = RankId(0);
    if (m == owner.size()) return;
    owner[m] = RankId(owner[m].index() + 1);
  }
}

Seconds least_spill(const OwnerProblem& problem) {
  Seconds least(1e9);
  for_every_map(problem, [&](const OwnerMap& owner) { least = std::min(least, max_spill(problem, owner)); });
  return least;
}

RC_GTEST_PROP(MinMax, EqualsBruteForce, ()) {
  const OwnerProblem problem = small_problem(true);
  const OwnerChoice choice = choose(OwnerPolicy::MinMax, problem);
  RC_ASSERT(choice.spill == least_spill(problem));
  RC_ASSERT(choice.spill_gap == Seconds());
}

RC_GTEST_PROP(LowerBound, IsBelowTheBest, ()) {
  const OwnerProblem problem = small_problem(false);
  RC_ASSERT(spill_lower_bound(problem) <= least_spill(problem) + Seconds(1e-12));
}

RC_GTEST_PROP(OwnerChoice, SaysWhatItsMapSpillsAndMayMiss, ()) {
  const OwnerProblem problem = small_problem(false);
  for (OwnerPolicy policy :
       {OwnerPolicy::RoundRobin, OwnerPolicy::Blocked, OwnerPolicy::Greedy, OwnerPolicy::MinMax}) {
    const OwnerChoice choice = choose(policy, problem);
    RC_ASSERT(choice.owner.size() == problem.encode.size());
    RC_ASSERT(choice.spill == max_spill(problem, choice.owner));
    RC_ASSERT(choice.spill_gap >= Seconds());
    RC_ASSERT(choice.spill - choice.spill_gap <= least_spill(problem) + Seconds(1e-12));
  }
}

RC_GTEST_PROP(OwnerChoice, IsTheSameEveryTime, ()) {
  const OwnerProblem problem = small_problem(false);
  for (OwnerPolicy policy :
       {OwnerPolicy::RoundRobin, OwnerPolicy::Blocked, OwnerPolicy::Greedy, OwnerPolicy::MinMax}) {
    RC_ASSERT(choose(policy, problem).owner == choose(policy, problem).owner);
  }
}

// Returns pseudo-random makespans, which have nothing to do with spill.
Seconds arbitrary_makespan(const OwnerMap& owner, std::uint32_t salt) {
  std::uint64_t hash = salt;
  for (RankId rank : owner) hash = (hash * 1'000'003 + rank.index() + 1) % 1'000'000'007;
  return Seconds(static_cast<double>(hash % 1000));
}

RC_GTEST_PROP(Makespan, IsNoWorseThanTheOthersAndKeepsItsBudget, ()) {
  const OwnerProblem problem = small_problem(false);
  const std::uint32_t salt = between(0, 1'000'000), budget = between(1, 40);
  std::uint32_t calls = 0;
  const MakespanOf makespan = [&](const OwnerMap& owner) {
    ++calls;
    return arbitrary_makespan(owner, salt);
  };
  const OwnerChoice choice = choose_owner(OwnerPolicy::Makespan, problem, makespan, budget);
  RC_ASSERT(calls <= budget);
  RC_ASSERT(choice.owner == choose_owner(OwnerPolicy::Makespan, problem, makespan, budget).owner);
  RC_ASSERT(arbitrary_makespan(choice.owner, salt) <=
            arbitrary_makespan(choose(OwnerPolicy::Greedy, problem).owner, salt));
  if (budget < 4) return;
  for (OwnerPolicy policy : {OwnerPolicy::RoundRobin, OwnerPolicy::Blocked, OwnerPolicy::MinMax}) {
    RC_ASSERT(arbitrary_makespan(choice.owner, salt) <=
              arbitrary_makespan(choose(policy, problem).owner, salt));
  }
}

// With enough evaluations the search ends where no move to another rank helps.
RC_GTEST_PROP(Makespan, EndsInALocalOptimum, ()) {
  const OwnerProblem problem = small_problem(false);
  const std::uint32_t salt = between(0, 1'000'000);
  const MakespanOf makespan = [&](const OwnerMap& owner) { return arbitrary_makespan(owner, salt); };
  const OwnerMap best = choose_owner(OwnerPolicy::Makespan, problem, makespan, 1'000'000).owner;
  for (std::size_t m = 0; m < best.size(); ++m) {
    for (std::uint32_t rank = 0; rank < problem.slack.size(); ++rank) {
      OwnerMap moved = best;
      moved[m] = RankId(rank);
      RC_ASSERT(makespan(best) <= makespan(moved));
    }
  }
}

TEST(ChooseOwner, HoldsItsContract) {
  EXPECT_THROW(choose(OwnerPolicy::Greedy, problem({}, {1})), ContractBreach);
  EXPECT_THROW(choose(OwnerPolicy::Greedy, problem({1}, {})), ContractBreach);
  EXPECT_THROW(choose(OwnerPolicy::Makespan, problem({1}, {1})), ContractBreach);
}

}  // namespace
}  // namespace spillway::testing
