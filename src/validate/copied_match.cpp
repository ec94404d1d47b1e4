#include "validate/copied_match.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>

#include "base/error.h"
#include "schedule/schedule.h"

namespace spillway {
namespace {

// The number of stages from 0 on that do not have every microbatch in the first step, and those of the same
// regions: each has a stage for every rank.
std::uint32_t copies_before_the_pipeline(const CopiedSteps& steps) {
  std::vector<std::set<MicrobatchId>> forwards(steps.stages);
  for (const auto& [microbatch, path] : steps.steps.front().paths)
    for (const auto& [stage, of] : path.forward) forwards[stage.index()].insert(of);
  std::uint32_t copies = steps.stages;
  while (copies > 0 && forwards[copies - 1].size() == steps.microbatches) --copies;
  return (copies + steps.ranks - 1) / steps.ranks * steps.ranks;
}

// The stages behind the first `copies`, counted from 0.
Trace body_behind(const Trace& trace, std::uint32_t copies) {
  Trace body = trace;
  std::erase_if(body.events, [&](const TraceEvent& event) { return event.stage < copies; });
  for (TraceEvent& event : body.events) event.stage = static_cast<std::uint16_t>(event.stage - copies);
  return body;
}

Slot slot_of(const Event& pass, std::uint32_t ranks) {
  static constexpr std::array kActions = {Action::Forward, Action::Backward, Action::BackwardInput,
                                          Action::BackwardWeight, Action::ForwardBackward};
  Slot slot{kActions[static_cast<std::size_t>(pass.kind)], pass.stage.index() / ranks, pass.microbatch};
  if (pass.kind != EventKind::ForwardBackward) return slot;
  slot.backward_chunk = pass.peer_stage.index() / ranks;
  slot.backward_microbatch = pass.peer_microbatch;
  return slot;
}

// Stage s of the second copy has number ranks + s.
bool is_dualpipe(const CopiedSteps& steps) {
  if (steps.stages != 2 * steps.ranks) return false;
  const Skeleton skeleton = SkeletonKind::DualPipe;
  const RunShape shape{steps.ranks, steps.microbatches, chunks_of(skeleton), 0};
  if (!check_shape(skeleton, shape).empty()) return false;
  const std::vector<RankOrder> known = rank_orders(skeleton, shape);
  for (std::uint32_t rank = 0; rank < steps.ranks; ++rank) {
    RankOrder own;
    for (const Event& pass : steps.steps.front().passes[rank]) own.push_back(slot_of(pass, steps.ranks));
    if (own != known[rank]) return false;
  }
  return true;
}

}  // namespace

ScheduleMatch match_copies(const Trace& trace, const CopiedSteps& steps) {
  const std::uint32_t copies = copies_before_the_pipeline(steps);
  if (copies == steps.stages)
    return {is_dualpipe(steps) ? "dualpipe" : "listed", 0, is_dualpipe(steps) ? "" : "dualpipe", {}};
  try {
    ScheduleMatch body = match_schedule(measured_pipeline(body_behind(trace, copies)));
    body.schedule = "transpose," + body.schedule;
    return body;
  } catch (const InputError&) {
    return {"listed", 0, "", {}};
  }
}

}  // namespace spillway
