#include "traces/events/union_of_intervals.h"

#include <algorithm>

namespace spillway {

std::vector<Interval> union_of(std::vector<Interval> intervals) {
  std::sort(intervals.begin(), intervals.end(),
            [](const Interval& a, const Interval& b) { return a.start < b.start; });
  std::vector<Interval> united;
  for (const Interval& next : intervals) {
    if (united.empty() || next.start > united.back().end) {
      united.push_back(next);
    } else {
      united.back().end = std::max(united.back().end, next.end);
    }
  }
  return united;
}

Seconds covered(const std::vector<Interval>& united) {
  Seconds total;
  for (const Interval& interval : united) total += interval.length();
  return total;
}

Seconds covered(const std::vector<Interval>& united, const Interval& window) {
  auto next = std::partition_point(united.begin(), united.end(),
                                   [&](const Interval& known) { return known.end <= window.start; });
  Seconds total;
  for (; next != united.end() && next->start < window.end; ++next)
    total += std::min(next->end, window.end) - std::max(next->start, window.start);
  return total;
}

}  // namespace spillway
