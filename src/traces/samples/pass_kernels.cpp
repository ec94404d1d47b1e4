#include "traces/samples/pass_kernels.h"

#include <algorithm>
#include <map>
#include <span>
#include <tuple>
#include <utility>

#include "traces/events/union_of_intervals.h"

namespace spillway {
namespace {

using Events = std::span<const TraceEvent>;

auto device(const TraceEvent& event) {
  return std::make_tuple(event.step, event.replica, event.rank);
}

// Returns the intervals of `kind`, by start.
std::vector<Interval> intervals(Events events, TraceKind kind) {
  std::vector<Interval> found;
  for (const TraceEvent& event : events)
    if (event.kind == kind) found.push_back({event.start, event.end()});
  return found;
}

// Returns those that begin in [start, end).
std::span<const Interval> within(const std::vector<Interval>& all, Seconds start, Seconds end) {
  const auto before = [](const Interval& interval, Seconds time) { return interval.start < time; };
  const auto first = std::lower_bound(all.begin(), all.end(), start, before);
  return {first, std::lower_bound(first, all.end(), end, before)};
}

void add_device(Events events, std::vector<PassKernels>& passes) {
  const std::vector<Interval> kernels = intervals(events, TraceKind::Kernel);
  if (kernels.empty()) return;
  const std::vector<Interval> collectives = intervals(events, TraceKind::Collective);
  for (const TraceEvent& pass : events) {
    if (!is_compute(pass.kind)) continue;
    const auto ours = within(kernels, pass.start, pass.end());
    const auto joined = within(collectives, pass.start, pass.end());
    std::vector<Interval> all(ours.begin(), ours.end());
    const Interval span{pass.start, pass.end()};
    const Seconds busy = covered(union_of(all), span);
    all.insert(all.end(), joined.begin(), joined.end());
    const Seconds either = covered(union_of(std::move(all)), span);
    passes.push_back({pass.step, pass.replica, pass.rank, pass.stage, pass.kind, pass.microbatch, ours.size(),
                      pass.duration, busy, either - busy, pass.duration - either});
  }
}

}  // namespace

std::vector<PassKernels> pass_kernels(const Trace& trace) {
  std::vector<PassKernels> passes;
  const Events events(trace.events);
  for (std::size_t begin = 0, end; begin < events.size(); begin = end) {
    end = begin + 1;
    while (end < events.size() && device(events[end]) == device(events[begin])) ++end;
    add_device(events.subspan(begin, end - begin), passes);
  }
  return passes;
}

std::vector<MeanPass> mean_passes(const std::vector<PassKernels>& passes) {
  std::map<std::tuple<std::uint16_t, std::uint16_t, TraceKind>, MeanPass> sums;
  for (const PassKernels& pass : passes) {
    MeanPass& sum = sums.try_emplace({pass.rank, pass.stage, pass.kind},
                                     MeanPass{pass.rank, pass.stage, pass.kind, 0, 0, {}, {}, {}, {}})
                        .first->second;
    ++sum.passes;
    sum.kernels += static_cast<double>(pass.kernels);
    sum.span += pass.span;
    sum.kernel_busy += pass.kernel_busy;
    sum.collective += pass.collective;
    sum.host_gap += pass.host_gap;
  }
  std::vector<MeanPass> means;
  for (auto& [key, mean] : sums) {
    const auto n = static_cast<double>(mean.passes);
    mean.kernels = mean.kernels / n;
    for (Seconds* part : {&mean.span, &mean.kernel_busy, &mean.collective, &mean.host_gap}) *part = *part / n;
    means.push_back(mean);
  }
  return means;
}

}  // namespace spillway
