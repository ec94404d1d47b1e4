#include "synthesize/listed_start.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "experiment/derive_options.h"
#include "schedule/placed_orders.h"
#include "synthesize/encode_moves.h"

namespace spillway {
namespace {

// Stages of the pipelined regions in the order in which a microbatch passes them.
std::vector<StageId> in_passing(const Outline& outline) {
  std::vector<StageId> stages;
  for (std::uint32_t id = 0; id < outline.stages.size(); ++id)
    if (!outline.is_input(StageId(id))) stages.emplace_back(id);
  std::ranges::stable_sort(stages, {}, [&](StageId id) { return outline.stage(id).layers.first; });
  return stages;
}

// The place of each stage among the stages of its rank, by StageId.
std::vector<std::uint32_t> chunks_by_stage(const Outline& outline, const std::vector<StageId>& in_order) {
  std::vector<std::uint32_t> chunk(outline.stages.size()), of_rank(outline.pipeline.ranks);
  for (const StageId id : in_order) chunk[id.index()] = of_rank[outline.stage(id).rank.index()]++;
  return chunk;
}

Action action_of(EventKind kind) {
  switch (kind) {
    case EventKind::Forward:
      return Action::Forward;
    case EventKind::Backward:
      return Action::Backward;
    case EventKind::BackwardInput:
      return Action::BackwardInput;
    case EventKind::BackwardWeight:
      return Action::BackwardWeight;
    case EventKind::ForwardBackward:
      return Action::ForwardBackward;
    default:
      throw ContractBreach("a pass of a rank");
  }
}

Slot slot_of(const Event& event, const std::vector<std::uint32_t>& chunk) {
  Slot slot{action_of(event.kind), chunk[event.stage.index()], event.microbatch};
  if (event.kind != EventKind::ForwardBackward) return slot;
  slot.backward_chunk = chunk[event.peer_stage.index()];
  slot.backward_microbatch = event.peer_microbatch;
  return slot;
}

// A list has a backward for every forward. Those that Lemma 1 drops stand at the end of the rank, the last
// stage first; the derived order leaves them out again.
void add_dropped(RankOrder& order) {
  using Work = std::pair<std::uint32_t, MicrobatchId>;  // chunk, microbatch
  std::set<Work, std::greater<>> lacking, halves;
  for (const Slot& slot : order)
    if (slot.action == Action::Forward || slot.action == Action::ForwardBackward)
      lacking.emplace(slot.chunk, slot.microbatch);
  for (const Slot& slot : order) {
    if (slot.action == Action::ForwardBackward)
      lacking.erase({slot.backward_chunk, slot.backward_microbatch});
    if (slot.action == Action::Backward || slot.action == Action::BackwardInput)
      lacking.erase({slot.chunk, slot.microbatch});
    if (slot.action == Action::BackwardInput) halves.emplace(slot.chunk, slot.microbatch);
  }
  for (const Slot& slot : order)
    if (slot.action == Action::BackwardWeight) halves.erase({slot.chunk, slot.microbatch});
  for (const auto& [chunk, microbatch] : halves) order.push_back({Action::BackwardWeight, chunk, microbatch});
  for (const auto& [chunk, microbatch] : lacking) order.push_back({Action::Backward, chunk, microbatch});
}

PlacedOrders placed(const Derived& derived, const PassSequences& sequences) {
  const std::vector<StageId> stages = in_passing(derived);
  const std::vector<std::uint32_t> chunk = chunks_by_stage(derived, stages);
  PlacedOrders placed;
  for (const StageId id : stages) placed.stage_rank.push_back(derived.stage(id).rank);
  for (const auto& sequence : sequences) {
    RankOrder& order = placed.orders.emplace_back();
    for (const std::uint32_t pass : sequence)
      if (const Event& event = derived.order.event(EventId(pass)); !derived.is_input(event.stage))
        order.push_back(slot_of(event, chunk));
    add_dropped(order);
  }
  return placed;
}

// The owners and the places of the inputs' passes.
StatedEncodes encodes_in(const Derived& derived, const PassSequences& sequences) {
  StatedEncodes encodes{owners_of(derived), {}};
  for (const auto& sequence : sequences) {
    std::vector<PlacedPass>& placed = encodes.placed.emplace_back();
    std::uint32_t before = 0;
    for (const std::uint32_t pass : sequence) {
      const Event& event = derived.order.event(EventId(pass));
      if (!derived.is_input(event.stage))
        ++before;
      else
        placed.push_back(
            {before, event.microbatch, !event.runs_forward(), derived.stage(event.stage).region.index()});
    }
  }
  return encodes;
}

// Returns why the inputs' passes cannot be listed, or nothing.
std::optional<std::string> input_hindrance(const InputRule& input) {
  if (input.prefetched) return "its encodes are those of the next step";
  if (input.recomputed) return "its encodes are computed twice";
  if (input.by_layer) return "its encoder runs layer by layer, under communication";
  if (input.backwards == InputBackwards::AtEntry) return "one rank runs the backwards of its encodes";
  return std::nullopt;
}

// Returns why the schedule cannot be listed whatever its order, or nothing.
std::optional<std::string> hindrance(const ScheduleSpec& spec) {
  const auto& skeletons = spec.schedule.skeletons;
  const auto behind = skeletons.begin() + static_cast<std::ptrdiff_t>(input_count(spec.schedule));
  const auto any = [&](auto trait) { return std::any_of(behind, skeletons.end(), trait); };
  if (spec.regrouping.rule != Regrouping::Rule::AsDrawn) return "its samples move";
  if (!spec.modules.empty()) return "its modules have dedicated devices";
  if (spec.order != MicrobatchOrder::AsSampled) return "its microbatches are ordered for each draw";
  if (spec.segments.parts > 1) return "its microbatches are encoded in parts";
  if (behind == skeletons.end()) return "nothing of it is pipelined";
  if (any([](const Skeleton& one) { return layout_of(one) == Layout::Replicated; }))
    return "a region behind its pipeline is transposed";
  if (any([](const Skeleton& one) { return fold_of(one) == Fold::Bidirectional; }))
    return "it has two copies of each stage";
  return transposes(spec.schedule) ? input_hindrance(spec.input) : std::nullopt;
}

// The passes of a rank, whatever their order.
RankOrder as_set(RankOrder order) {
  std::ranges::sort(order, {}, [](const Slot& slot) {
    return std::tuple(slot.action, slot.chunk, slot.microbatch, slot.backward_chunk,
                      slot.backward_microbatch);
  });
  return order;
}

}  // namespace

ScheduleSpec in_order(const ScheduleSpec& listed, const Derived& derived, const PassSequences& sequences) {
  ScheduleSpec spec = listed;
  spec.schedule.skeletons.back() = listed_skeleton(placed(derived, sequences));
  if (derived.inputs() > 0) spec.encodes = encodes_in(derived, sequences);
  return spec;
}

std::variant<ScheduleSpec, std::string> as_listed(const Experiment& experiment, const ScheduleSpec& spec,
                                                  const Derived& planned) {
  if (auto reason = hindrance(spec)) return *std::move(reason);
  ScheduleSpec listed{spec.name, planned.schedule, planned.cut};
  const std::size_t inputs = planned.inputs();
  listed.schedule.skeletons.erase(listed.schedule.skeletons.begin() + static_cast<std::ptrdiff_t>(inputs) + 1,
                                  listed.schedule.skeletons.end());
  listed.cut.boundaries.resize(inputs);
  for (const StageId id : in_passing(planned))
    listed.layers_per_rank.push_back(planned.stage(id).layers.size());
  listed = in_order(listed, planned, sequences_of(planned.order));
  if (!check_derive(experiment, listed).empty()) return "its order is no list";
  return listed;
}

bool is_same_placement(const ScheduleSpec& one, const ScheduleSpec& other) {
  if (one.cut != other.cut || one.layers_per_rank != other.layers_per_rank) return false;
  const PlacedOrders &a = **one.schedule.skeletons.back().listed,
                     &b = **other.schedule.skeletons.back().listed;
  return a.stage_rank == b.stage_rank &&
         std::ranges::equal(a.orders, b.orders,
                            [](const RankOrder& x, const RankOrder& y) { return as_set(x) == as_set(y); });
}

}  // namespace spillway
