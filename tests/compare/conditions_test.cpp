// --fail-if: the conditions that it takes, and when they hold.
#include "compared_documents.h"

namespace spillway {
namespace {

using testing::block_for_each_rank;
using testing::Document;

Comparison with_links_of(double ms) {
  Document b = block_for_each_rank();
  b["network"]["p2p_ms"] = ms;
  return testing::compared(block_for_each_rank(), b);
}

bool holds(const std::string& condition, const Comparison& comparison) {
  return any_holds(outcomes_of({condition_from(condition)}, comparison));
}

TEST(Conditions, AreReadInTheirForm) {
  const Condition one = condition_from(" makespan_s>2%");
  EXPECT_EQ(one.figure, "makespan_s");
  EXPECT_TRUE(one.above);
  EXPECT_EQ(one.percent, 2);
  EXPECT_EQ(condition_from("mfu < -1.5 %").percent, -1.5);
  EXPECT_FALSE(condition_from("mfu < -1.5 %").above);
}

TEST(Conditions, InAnotherFormAreRefused) {
  for (const std::string text : {"", "makespan_s", "makespan_s > 2", "makespan_s > x %", "> 2 %",
                                 "makespan_s > nan %", "makespan_s >> 2 %", "makespan_s > 2 % %"})
    EXPECT_THROW(condition_from(text), InputError) << text;
  const Lines lines = complaints([] { condition_from("makespan > 2 %"); });
  EXPECT_EQ(
      lines,
      Lines{"command line: --fail-if: expected a figure: did you mean makespan_s?, found \"makespan\""});
}

TEST(Conditions, HoldBeyondTheirPercentAlone) {
  const Comparison slower = with_links_of(3), same = with_links_of(0.5);
  const double percent = 100 * slower.schedules[0].makespan.relative();
  ASSERT_GT(percent, 1);
  EXPECT_TRUE(holds("makespan_s > 1 %", slower));
  EXPECT_FALSE(holds("makespan_s > " + std::to_string(percent + 1) + " %", slower));
  EXPECT_FALSE(holds("makespan_s > 1 %", with_links_of(0.1)));  // faster
  EXPECT_TRUE(holds("makespan_s < -0.1 %", with_links_of(0.1)));
  EXPECT_FALSE(holds("makespan_s > 0 %", same));
  EXPECT_FALSE(holds("makespan_s < 0 %", same));
  EXPECT_TRUE(holds("bubble_fraction > 1 %", slower));
  EXPECT_THROW(holds("mfu < 0 %", slower), InputError);  // given durations have no MFU
}

TEST(Conditions, OfAFigureThatWasNothing) {
  const ComparedFigure risen{"max_spill_s", 0, 1, {}}, still{"max_spill_s", 0, 0, {}};
  EXPECT_EQ(still.relative(), 0);
  EXPECT_GT(risen.relative(), 1e300);
}

}  // namespace
}  // namespace spillway
