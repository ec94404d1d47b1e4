#include "sweep/run/handout.h"

#include <gtest/gtest.h>

#include <map>

#include "support/property.h"
#include "tests/sweep/run/outcomes.h"

namespace spillway {
namespace {

using Points = std::vector<std::size_t>;
using testing::some_points;

TEST(Handout, GivesNeighboursInOrderAndFewerTowardsTheEnd) {
  Handout handout(some_points(10), 2);
  EXPECT_EQ(handout.take(0, 8), (Points{0, 1}));
  EXPECT_EQ(handout.take(1, 1), (Points{2}));
  EXPECT_EQ(handout.take(1, 8), (Points{3}));
}

TEST(Handout, GivesWhatALostHolderHeldToOthersAndTakesOneOutcomeOfEach) {
  Handout handout({4, 5}, 2);
  EXPECT_EQ(handout.take(1, 1), (Points{4}));
  handout.lose(1);
  EXPECT_EQ(handout.take(0, 1), (Points{4}));
  EXPECT_TRUE(handout.finish(1, 4));  // it was alive after all
  EXPECT_FALSE(handout.finish(0, 4));
  EXPECT_EQ(handout.take(0, 1), (Points{5}));
  EXPECT_FALSE(handout.finished());
  EXPECT_TRUE(handout.finish(0, 5));
  EXPECT_TRUE(handout.finished());
}

TEST(Handout, DropsOutcomesThatNobodyWasAskedFor) {
  Handout handout({4, 5}, 2);
  handout.take(0, 1);
  EXPECT_FALSE(handout.finish(1, 4));
  EXPECT_FALSE(handout.finish(1, 5));
}

// Holders take, finish, are lost and come back at random; in the end one of them does the rest.
RC_GTEST_PROP(Handout, CountsEveryPointOnceWhateverHappensToItsHolders, ()) {
  const auto points = some_points(*rc::gen::inRange<std::size_t>(0, 40), 3);
  Handout handout(points, 3);
  std::map<std::size_t, int> counted;
  std::vector<Points> remembered(3);
  const auto finish_all_of = [&](std::size_t holder) {
    for (const std::size_t point : remembered[holder]) counted[point] += handout.finish(holder, point);
    remembered[holder].clear();
  };
  for (const auto& [holder, act] : *rc::gen::container<std::vector<std::pair<std::size_t, int>>>(
           rc::gen::pair(rc::gen::inRange<std::size_t>(0, 3), rc::gen::inRange(0, 4)))) {
    if (act < 2)
      for (const std::size_t point : handout.take(holder, 4)) remembered[holder].push_back(point);
    if (act == 2) finish_all_of(holder);
    if (act == 3) handout.lose(holder);
  }
  handout.lose(1), handout.lose(2);
  for (auto more = handout.take(0, 4); !more.empty(); more = handout.take(0, 4))
    remembered[0].insert(remembered[0].end(), more.begin(), more.end());
  for (std::size_t holder = 0; holder < 3; ++holder) finish_all_of(holder);
  RC_ASSERT(handout.finished());
  RC_ASSERT(counted.size() == points.size());
  for (const auto& [point, times] : counted) RC_ASSERT(times == 1);
}

}  // namespace
}  // namespace spillway
