#include "evaluate/host_memory.h"

#include <algorithm>
#include <string>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "draws/fold.h"
#include "evaluate/balanced_reference.h"
#include "evaluate/streamed_draws.h"
#include "experiment/split_rule.h"

namespace spillway {
namespace {

// Bytes. A slot is a microbatch on a rank and has about four events. A lane is a replica that is timed by
// itself.
constexpr double kPerSlot = 360, kPerSlotAndLane = 420;

// Returns the experiment with the schedules that are held at the same time: its own, and one of those that
// are run besides them, since these run one at a time.
Experiment held_at_once(Experiment experiment, const Engines& engines) {
  const auto streams = [whole = experiment, &engines](const ScheduleSpec& schedule) {
    return is_streamed(whole, schedule, engines);
  };
  std::vector<ScheduleSpec> beside;
  if (engines.references) {
    beside = missing_references(experiment);
    for (const ScheduleSpec& schedule : experiment.schedules)
      if (split_rule(schedule) == SplitRule::ByCount)
        beside.push_back(split_by_cost(schedule, SplitRule::Jointly));
  }
  std::erase_if(experiment.schedules, streams);
  const auto held = std::find_if_not(beside.begin(), beside.end(), streams);
  if (held != beside.end()) experiment.schedules.push_back(*held);
  return experiment;
}

}  // namespace

double evaluation_bytes(const Experiment& folded, const Engines& engines) {
  const auto [ranks, microbatches, replicas] = folded.pipeline;
  const double slots = static_cast<double>(ranks) * microbatches, lanes = replicas;
  const double held =
      static_cast<double>(folded.schedules.size()) * slots * (kPerSlot + kPerSlotAndLane * lanes);
  double bytes = held;
  for (const EngineEntry& entry : engine_list())
    if (engines.run.has(entry.engine)) bytes += entry.bytes(folded);
  return bytes;
}

void require_host_memory(const Experiment& folded, const Engines& engines) {
  std::string by;
  for (const EngineEntry& entry : engine_list())
    if (entry.replays && engines.run.has(entry.engine)) by += std::string(", by ") + entry.called + " too,";
  const auto [ranks, microbatches, replicas] = folded.pipeline;
  require_memory("the timelines of " + counted(folded.schedules.size(), "schedule") + " over " +
                     counted(ranks, "rank") + ", " + counted(microbatches, "microbatch") + " and " +
                     counted(replicas, "replica") + by,
                 evaluation_bytes(folded, engines));
}

Experiment held_whole(const Experiment& experiment, const Engines& engines) {
  Experiment whole = folded(experiment, replays(engines.run) ? Links::Shared : Links::Own);
  const Experiment held = held_at_once(whole, engines);
  if (held.schedules.empty()) return whole;
  if (auto violations = check_whole_timelines(held); !violations.empty())
    throw InputError(std::move(violations));
  require_host_memory(held, engines);
  return whole;
}

void require_order_memory(const Pipeline& folded) {
  const double slots = static_cast<double>(folded.ranks) * folded.microbatches;
  require_memory(
      "orders of " + counted(folded.ranks, "rank") + " and " + counted(folded.microbatches, "microbatch"),
      slots * (kPerSlot + kPerSlotAndLane));
}

}  // namespace spillway
