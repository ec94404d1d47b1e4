#include "timing/idle.h"

#include <algorithm>

namespace spillway {

Seconds idle_time(std::vector<TimeSpan> spans, Seconds until) {
  std::sort(spans.begin(), spans.end(),
            [](const TimeSpan& a, const TimeSpan& b) { return a.start < b.start; });
  Seconds idle, covered;  // the latter: up to where
  for (const TimeSpan& span : spans) {
    const Seconds start = std::min(span.start, until);
    if (start > covered) idle += start - covered;
    covered = std::max(covered, span.end);
  }
  return until > covered ? idle + (until - covered) : idle;
}

}  // namespace spillway
