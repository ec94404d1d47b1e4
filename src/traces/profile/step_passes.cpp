#include <algorithm>
#include <map>
#include <utility>

#include "traces/profile/rank_profile.h"

namespace spillway {
namespace {

struct WorkRun {
  PassPhase phase;
  std::vector<const DeviceWork*> work;

  Seconds busy() const {
    std::vector<Interval> intervals;
    for (const DeviceWork* one : work) intervals.push_back({one->start, one->end});
    return covered(union_of(std::move(intervals)));
  }
};

// Joins neighbours of one phase.
std::vector<WorkRun> joined_runs(std::vector<WorkRun> runs) {
  std::vector<WorkRun> all;
  for (WorkRun& run : runs) {
    if (all.empty() || all.back().phase != run.phase)
      all.push_back(std::move(run));
    else
      all.back().work.insert(all.back().work.end(), run.work.begin(), run.work.end());
  }
  return all;
}

std::vector<WorkRun> runs_of(std::span<const DeviceWork> work) {
  std::vector<WorkRun> runs;
  for (const DeviceWork& one : work)
    if (one.kind == WorkKind::Computing && one.phase != PassPhase::Unknown) {
      if (runs.empty() || runs.back().phase != one.phase) runs.push_back({one.phase, {}});
      runs.back().work.push_back(&one);
    }
  return runs;
}

constexpr double kSmallestPass = 0.1;

std::vector<WorkRun> without_small(std::vector<WorkRun> runs) {
  std::map<PassPhase, Seconds> longest;
  for (const WorkRun& run : runs) longest[run.phase] = std::max(longest[run.phase], run.busy());
  std::erase_if(runs, [&](const WorkRun& run) { return run.busy() < kSmallestPass * longest[run.phase]; });
  return joined_runs(std::move(runs));
}

PassOfWork pass_of(const WorkRun& run, std::uint32_t microbatch) {
  Seconds start = run.work.front()->start, end = run.work.front()->end;
  for (const DeviceWork* one : run.work) start = std::min(start, one->start), end = std::max(end, one->end);
  const std::uint32_t number = run.phase == PassPhase::Optimizer ? 0 : microbatch;
  return {{number, run.phase, start, end - start, run.busy(), run.work.size()}, run.work};
}

}  // namespace

std::vector<PassOfWork> work_passes(std::span<const DeviceWork> work) {
  const std::vector<WorkRun> runs = without_small(runs_of(work));
  const bool backward = std::ranges::find(runs, PassPhase::Backward, &WorkRun::phase) != runs.end();
  std::vector<PassOfWork> passes;
  if (!backward) return passes;
  std::uint32_t forwards = 0;
  for (const WorkRun& run : runs) {
    forwards += run.phase == PassPhase::Forward ? 1 : 0;
    passes.push_back(pass_of(run, forwards == 0 ? 0 : forwards - 1));
  }
  return passes;
}

}  // namespace spillway
