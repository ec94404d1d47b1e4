#include "measured/trace_summary.h"

#include <algorithm>
#include <limits>
#include <unordered_set>

namespace spillway {
namespace {

struct Extent {
  Seconds start{std::numeric_limits<double>::infinity()};
  Seconds end{-std::numeric_limits<double>::infinity()};

  void add(Seconds from, Seconds to) {
    start = std::min(start, from);
    end = std::max(end, to);
  }
  Seconds length() const { return end < start ? Seconds(0) : end - start; }
};

void count(TraceSummary& summary, const TraceEvent& event) {
  auto& kind = summary.kinds[static_cast<std::size_t>(event.kind)];
  ++kind.events;
  kind.time += event.duration;
  summary.replicas = std::max(summary.replicas, event.replica + 1u);
  summary.ranks = std::max(summary.ranks, event.rank + 1u);
  summary.stages = std::max(summary.stages, event.stage + 1u);
  if (is_compute(event.kind) && event.microbatch != kUnknown)
    summary.microbatches = std::max(summary.microbatches, event.microbatch + 1);
}

void find_silent(const Trace& trace, TraceSummary& summary) {
  constexpr std::size_t kMost = 8;
  const auto place = [](std::uint32_t replica, std::uint32_t rank) { return replica << 16 | rank; };
  std::unordered_set<std::uint32_t> heard;
  for (const TraceEvent& event : trace.events) heard.insert(place(event.replica, event.rank));
  summary.silent = std::uint64_t{summary.replicas} * summary.ranks - heard.size();
  const std::size_t shown = std::min<std::uint64_t>(summary.silent, kMost);
  for (std::uint32_t replica = 0; summary.silent_first.size() < shown; ++replica)
    for (std::uint32_t rank = 0; rank < summary.ranks && summary.silent_first.size() < shown; ++rank)
      if (!heard.contains(place(replica, rank))) summary.silent_first.emplace_back(replica, rank);
}

}  // namespace

TraceSummary summary(const Trace& trace) {
  TraceSummary summary;
  Extent whole;
  std::vector<Extent> steps(trace.steps.size());
  for (const TraceEvent& event : trace.events) {
    count(summary, event);
    whole.add(event.start, event.end());
    steps[event.step].add(event.start, event.end());
  }
  summary.span = whole.length();
  for (const Extent& step : steps) summary.step_spans.push_back(step.length());
  find_silent(trace, summary);
  return summary;
}

}  // namespace spillway
