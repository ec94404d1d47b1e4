#include "traces/events/trace_summary.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <unordered_set>

#include "base/error.h"
#include "base/statistics.h"

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

PassDurations durations_of(std::uint32_t stage, TraceKind kind, std::vector<Seconds>& all) {
  std::sort(all.begin(), all.end());
  const auto n = static_cast<double>(all.size());
  PassDurations durations{stage, kind, all.size(), {}, 0, {}, all.back()};
  for (const Seconds one : all) durations.mean += one / n;
  double variance = 0;
  for (const Seconds one : all) variance += std::pow((one - durations.mean).value(), 2) / n;
  if (durations.mean > Seconds()) durations.cv = std::sqrt(variance) / durations.mean.value();
  for (std::size_t i = 0; i < kPercentiles.size(); ++i)
    durations.percentiles[i] = percentile(all, kPercentiles[i]);
  return durations;
}

std::vector<PassDurations> passes_of(const Trace& trace) {
  std::map<std::pair<std::uint32_t, TraceKind>, std::vector<Seconds>> by_stage;
  for (const TraceEvent& event : trace.events)
    if (is_compute(event.kind)) by_stage[{event.stage, event.kind}].push_back(event.duration);
  std::vector<PassDurations> passes;
  for (auto& [key, all] : by_stage) passes.push_back(durations_of(key.first, key.second, all));
  return passes;
}

}  // namespace

Seconds PassDurations::percentile(std::uint32_t percent) const {
  const auto known = std::find(kPercentiles.begin(), kPercentiles.end(), percent);
  ensure(known != kPercentiles.end(), "a percentile that is kept");
  return percentiles[static_cast<std::size_t>(known - kPercentiles.begin())];
}

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
  summary.passes = passes_of(trace);
  find_silent(trace, summary);
  return summary;
}

}  // namespace spillway
