#include "traces/events/union_of_intervals.h"

#include <gtest/gtest.h>

#include "support/property.h"

namespace spillway {
namespace {

// The slow version counts second by second.
RC_GTEST_PROP(UnionOfIntervals, CoversTheSecondsThatAnyOfThemCovers, ()) {
  std::vector<Interval> intervals;
  std::vector<bool> second(60);
  for (int i = *rc::gen::inRange(0, 8); i > 0; --i) {
    const int from = *rc::gen::inRange(0, 50), length = *rc::gen::inRange(0, 10);
    intervals.push_back({Seconds(from), Seconds(from + length)});
    for (int s = from; s < from + length; ++s) second[s] = true;
  }
  const int from = *rc::gen::inRange(0, 60), to = *rc::gen::inRange(from, 61);
  const std::vector<Interval> united = union_of(intervals);
  RC_ASSERT(covered(united).value() == std::count(second.begin(), second.end(), true));
  RC_ASSERT(covered(united, {Seconds(from), Seconds(to)}).value() ==
            std::count(second.begin() + from, second.begin() + to, true));
  for (std::size_t i = 1; i < united.size(); ++i) RC_ASSERT(united[i - 1].end < united[i].start);
}

}  // namespace
}  // namespace spillway
