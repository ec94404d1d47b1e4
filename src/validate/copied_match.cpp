// Finds the schedule of a trace with copies of stages, or with frozen stages. It has, input first, the copies
// of transposed regions, then pipelined stages, or DualPipe's two copies of each.
#include "validate/copied_match.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>

#include "base/error.h"
#include "schedule/schedule.h"
#include "validate/copied_stages.h"

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

// `first`: the stage that is the rank's chunk 0, or one of its neighbours.
Slot slot_of(const Event& pass, std::uint32_t first, std::uint32_t ranks) {
  static constexpr std::array kActions = {Action::Forward, Action::Backward, Action::BackwardInput,
                                          Action::BackwardWeight, Action::ForwardBackward};
  const auto chunk = [&](StageId stage) { return (stage.index() - first) / ranks; };
  Slot slot{kActions[static_cast<std::size_t>(pass.kind)], chunk(pass.stage), pass.microbatch};
  if (pass.kind != EventKind::ForwardBackward) return slot;
  slot.backward_chunk = chunk(pass.peer_stage);
  slot.backward_microbatch = pass.peer_microbatch;
  return slot;
}

// The first step's passes of the stages from `first` on, by rank.
std::vector<RankOrder> orders_from(const CopiedSteps& steps, std::uint32_t first) {
  std::vector<RankOrder> orders(steps.ranks);
  for (std::uint32_t rank = 0; rank < steps.ranks; ++rank)
    for (const Event& pass : steps.steps.front().passes[rank])
      if (pass.stage.index() >= first) orders[rank].push_back(slot_of(pass, first, steps.ranks));
  return orders;
}

// Stage s of the second copy has number ranks + s.
bool ends_with_dualpipe(const CopiedSteps& steps) {
  if (steps.stages < 2 * steps.ranks) return false;
  const Skeleton skeleton = SkeletonKind::DualPipe;
  const RunShape shape{steps.ranks, steps.microbatches, chunks_of(skeleton), 0};
  return check_shape(skeleton, shape).empty() &&
         orders_from(steps, steps.stages - 2 * steps.ranks) == rank_orders(skeleton, shape);
}

// The first `frozen` chunks run forwards alone.
RankOrder without_backwards(const RankOrder& order, std::uint32_t frozen) {
  RankOrder left;
  for (Slot slot : order) {
    if (slot.action == Action::ForwardBackward) {
      if (slot.backward_chunk < frozen) slot = {Action::Forward, slot.chunk, slot.microbatch};
    } else if (slot.action != Action::Forward && slot.chunk < frozen) {
      continue;
    }
    left.push_back(slot);
  }
  return left;
}

// Returns true if stage s behind the copies is on rank s mod P.
bool lie_straight(const CopiedSteps& steps, std::uint32_t first) {
  for (std::uint32_t stage = first; stage < steps.stages; ++stage)
    if (steps.stage_rank[stage] != RankId((stage - first) % steps.ranks)) return false;
  return (steps.stages - first) % steps.ranks == 0;
}

std::string repeated(std::uint32_t times, const std::string& word) {
  std::string text;
  for (std::uint32_t i = 0; i < times; ++i) text += (i == 0 ? "" : ",") + word;
  return text;
}

// Adjacent pipelined regions of one skeleton, the first ones frozen.
std::optional<ScheduleMatch> woven_match(const CopiedSteps& steps, std::uint32_t first,
                                         std::uint32_t frozen) {
  if (!lie_straight(steps, first) || frozen % steps.ranks != 0) return {};
  const std::vector<RankOrder> own = orders_from(steps, first);
  RunShape shape{steps.ranks, steps.microbatches, (steps.stages - first) / steps.ranks, 0};
  const std::uint32_t usual = default_group(steps.ranks, steps.microbatches);
  for (const SkeletonKind kind : kEverySkeleton)
    for (shape.group = usual; weaves(kind) && shape.group <= steps.microbatches; ++shape.group) {
      if (!check_shape(kind, shape).empty()) continue;
      std::vector<RankOrder> known = rank_orders(kind, shape);
      for (RankOrder& order : known) order = without_backwards(order, frozen / steps.ranks);
      if (known == own)
        return ScheduleMatch{repeated(shape.chunks, to_string(Skeleton(kind))),
                             shape.group == usual ? 0 : shape.group,
                             "",
                             {}};
    }
  return {};
}

ScheduleMatch pipelined_match(const Trace& trace, const CopiedSteps& steps, std::uint32_t first) {
  const Trace body = body_behind(trace, first);
  if (const std::uint32_t frozen = frozen_stages(body); frozen > 0)
    return woven_match(steps, first, frozen).value_or(ScheduleMatch{"listed", 0, "", {}});
  try {
    return match_schedule(measured_pipeline(body));
  } catch (const InputError&) {
    return {"listed", 0, "", {}};
  }
}

}  // namespace

ScheduleMatch match_copies(const Trace& trace, const CopiedSteps& steps) {
  const std::uint32_t copies = copies_before_the_pipeline(steps);
  const bool dualpipe = copies == steps.stages;
  if (dualpipe && !ends_with_dualpipe(steps)) return {"listed", 0, "dualpipe", {}};
  const std::uint32_t transposed = dualpipe ? copies - 2 * steps.ranks : copies;
  ScheduleMatch match =
      dualpipe ? ScheduleMatch{"dualpipe", 0, "", {}} : pipelined_match(trace, steps, copies);
  if (match.schedule != "listed" && transposed > 0)
    match.schedule = repeated(transposed / steps.ranks, "transpose") + "," + match.schedule;
  return match;
}

}  // namespace spillway
