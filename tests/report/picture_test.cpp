#include "report/step/picture.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "evaluations.h"

namespace spillway::testing {
namespace {

std::string drawn(const ScheduleResult& result, Seconds span, std::size_t columns) {
  return '\n' + picture(result, ReplicaId(0), span, {.columns = columns});
}

// The example is worked by hand in evaluations.h; a second takes four characters.
TEST(Picture, EncoderTransfersAndIdleTime) {
  const ScheduleResult result = result_of("mpipe", two_by_two(), two_by_two_costs());
  EXPECT_EQ(drawn(result, Seconds(12), 59), R"(
           0 s                                      12.00 s
  rank 0   eeeeFFFFFFFF----............BBBBBBBB....BBBBBBBB
  rank 1   eeee----....FFFFBBBBBBBBFFFFBBBBBBBB----........
)");
}

// 1F1B, forward 1 s, backward 2 s: rank 1 runs F1 1-2, B1 2-4, F2 4-5, B2 5-7, rank 0 waits for its
// backwards. The step of 9 s ends after half the width of a picture that spans 18 s.
TEST(Picture, SharesTheScaleOfALongerSchedule) {
  const ScheduleResult result = result_of("1f1b", uniform("1f1b", 2, 2), uniform_costs(1, 1, 1));
  EXPECT_EQ(drawn(result, Seconds(18), 47), R"(
           0 s                          18.00 s
  rank 0   FFFF....BBBB..BBBB
  rank 1   ..FFBBBBFFBBBB....
)");
}

// 29 microbatches on one rank, forward 1 s, backward 2 s, in 29 slices of 3 s: each holds one forward and one
// backward, and a third of the letters are forwards although no slice holds more forward than backward.
TEST(Picture, ShowsShortEventsAsOftenAsTheyTakeTime) {
  const ScheduleResult result = result_of("1f1b", uniform("1f1b", 1, 29), uniform_costs(1, 1, 1));
  const std::string row = drawn(result, Seconds(87), 40);
  EXPECT_EQ(std::count(row.begin(), row.end(), 'B'), 19);
  EXPECT_EQ(std::count(row.begin(), row.end(), 'F'), 10);
}

TEST(Picture, ColoursAreTheSameLettersPainted) {
  const ScheduleResult result = result_of("mpipe", two_by_two(), two_by_two_costs());
  std::string painted = picture(result, ReplicaId(0), Seconds(12), {.columns = 59, .colour = true});
  EXPECT_NE(painted.find("\033[0;32meeee\033[0;34mFFFFFFFF"), std::string::npos);
  for (std::size_t at = painted.find('\033'); at != std::string::npos; at = painted.find('\033'))
    painted.erase(at, painted.find('m', at) + 1 - at);
  EXPECT_EQ('\n' + painted, drawn(result, Seconds(12), 59));
}

// A trained encoder's backwards follow the body of 1F1B on one rank: forwards take 1 s each, backwards 2 s.
TEST(Picture, TellsTheEncodersBackwardsFromTheBackbones) {
  const Model model({{"enc", Role::Encoder, 1, true}, {"llm", Role::Backbone, 1, true}});
  const DeriveOptions one_rank{.pipeline = {1, 2}};
  const ScheduleResult result =
      result_of("mpipe", derive(model, schedule("transpose,1f1b"), Cut{{1}}, one_rank), two_by_two_costs());
  EXPECT_EQ(drawn(result, Seconds(12), 47), R"(
           0 s                          12.00 s
  rank 0   eeeeeeFFFBBBBBBFFFBBBBBBbbbbbbbbbbbb
)");
}

// The halves of a backward and the forwards take 1 s each, on ZB-H1's two ranks: the weight gradients fill
// the drain.
TEST(Picture, TellsWeightGradientsFromTheRest) {
  const ScheduleResult result = result_of("zb-h1", uniform("zb-h1", 2, 3), uniform_costs(1, 1, 1));
  EXPECT_EQ(drawn(result, Seconds(10), 51), R"(
           0 s                              10.00 s
  rank 0   FFFFFFFF....BBBBWWWWFFFFBBBBWWWWBBBBWWWW
  rank 1   ....FFFFBBBBFFFFBBBBWWWWFFFFBBBBWWWWWWWW
)");
}

// DualPipeV on two ranks runs passes together that meet in the middle.
TEST(Picture, TellsOverlappedPasses) {
  const ScheduleResult result = result_of("dualpipev", uniform("dualpipev", 2, 4), uniform_costs(1, 1, 1));
  EXPECT_EQ(drawn(result, Seconds(20), 51), R"(
           0 s                              20.00 s
  rank 0   FFFFFFFFBBWWFFXXXXXX..XXXXXXBBBB..XXXXXXBBBBBBWWBBWW
  rank 1   ..FFFFFFFFFFBBBBXXXXXXXXXXXXXXXXXXBBBBBBBB..BBBBWWWW
)");
}

TEST(ShownRanks, AllOfFewAndAnEvenSpreadOfMany) {
  EXPECT_EQ(shown_ranks(3), (std::vector{RankId(0), RankId(1), RankId(2)}));
  const std::vector<RankId> some = shown_ranks(1000);
  EXPECT_EQ(some.size(), kShownRanks);
  EXPECT_EQ(some.front(), RankId(0));
  EXPECT_EQ(some.back(), RankId(999));
}

}  // namespace
}  // namespace spillway::testing
