// Without the transposed regions the order is acyclic. It stays acyclic with them, because each transposed
// pass lies on an edge of that order, between two pipelined passes.
//
// Running ahead: take the order of M + d microbatches, put the backward of microbatch m in the place of that
// of m + d, and leave out passes beyond M. Example: d = 2, one rank of 1F1B with M = 4:
//
//   F1 B1 F2 B2 F3 B3 F4 B4 F5 B5 F6 B6      becomes      F1 F2 F3 B1 F4 B2 B3 B4
#include "derive/kept_body.h"

#include <algorithm>
#include <optional>

#include "derive/stages.h"

namespace spillway {
namespace {

// Only the shape matters to skeletons that interleave regions, so regions need not be adjacent.
ShardedRun as_one_run(const std::vector<std::size_t>& regions, const Skeleton& skeleton) {
  return {regions.front(), regions.front() + regions.size(), skeleton};
}

// The shape without expectations, in groups of P. The user's groups are for a plain interleaved schedule, not
// for one with transposed regions.
RunShape bare_shape(const std::vector<std::size_t>& regions, const Skeleton& skeleton,
                    const DeriveOptions& options) {
  RunShape shape = run_shape(as_one_run(regions, skeleton), options);
  shape.group = shape.ranks;
  return shape;
}

// A transposed region that runs in place adds to the last stage's time and memory.
void add_in_place(StageExpectation& last, const StageExpectation& transposed) {
  last.forward += transposed.forward;
  last.input_gradient += transposed.input_gradient;
  last.weight_gradient += transposed.weight_gradient;
  last.activations += transposed.activations;
  last.weight_gradient_activations += transposed.weight_gradient_activations;
}

RunShape shape_of(const std::vector<std::size_t>& regions, const Skeleton& skeleton,
                  const std::vector<Stage>& stages, const DeriveOptions& options) {
  if (weaves(skeleton)) return bare_shape(regions, skeleton, options);
  RunShape shape = run_shape(as_one_run(regions, skeleton), stages, options);
  const auto behind = std::find_if(stages.begin(), stages.end(), [&](const Stage& stage) {
    return stage.region.index() == regions.front() + 1;
  });
  if (shape.expected.stages.empty() || options.inner != InnerOrder::InPlace || behind == stages.end())
    return shape;
  add_in_place(shape.expected.stages.back(),
               options.expected.stages[static_cast<std::size_t>(behind - stages.begin())]);
  return shape;
}

// Returns true if all pipelined regions can be one run.
bool can_keep_body(const Schedule& schedule, const DeriveOptions& options) {
  const std::vector<std::size_t> regions = sharded_regions(schedule);
  if (regions.empty()) return false;
  const Skeleton skeleton = schedule.skeletons[regions.front()];
  const bool alike = std::all_of(regions.begin(), regions.end(),
                                 [&](std::size_t region) { return schedule.skeletons[region] == skeleton; });
  return alike && (regions.size() == 1 || weaves(skeleton)) &&
         check_shape(skeleton, bare_shape(regions, skeleton, options)).empty();
}

// The number of microbatches by which forwards run ahead in Turns: P - 1, or the next number that the
// skeleton accepts; none if it accepts none.
std::optional<std::uint32_t> microbatches_ahead(const Skeleton& skeleton, RunShape shape) {
  const std::uint32_t least = shape.ranks - 1, microbatches = shape.microbatches;
  for (std::uint32_t ahead = least; ahead <= least + shape.group; ++ahead) {
    shape.microbatches = microbatches + ahead;
    if (check_shape(skeleton, shape).empty()) return ahead;
  }
  return std::nullopt;
}

// True if only the last region is transposed (besides the input), and microbatches reach it in order.
bool can_take_turns(const Schedule& schedule, const DeriveOptions& options) {
  const std::vector<std::size_t> regions = sharded_regions(schedule);
  const Skeleton skeleton = schedule.skeletons[regions.front()];
  const bool one_run = regions.back() - regions.front() + 1 == regions.size();
  return one_run && fold_of(skeleton) != Fold::Bidirectional &&
         microbatches_ahead(skeleton, bare_shape(regions, skeleton, options)).has_value();
}

// The slot with its backward `ahead` microbatches earlier. A half outside of the `microbatches` is left out.
std::optional<Slot> moved(Slot slot, std::uint32_t ahead, std::uint32_t microbatches) {
  const auto there = [&](MicrobatchId m) { return m.index() < microbatches; };
  const auto earlier = [&](MicrobatchId m) {
    return MicrobatchId(m.index() - ahead);
  };  // wraps around if negative
  if (slot.action == Action::Forward) return there(slot.microbatch) ? std::optional(slot) : std::nullopt;
  if (slot.action != Action::ForwardBackward) {
    slot.microbatch = earlier(slot.microbatch);
    return there(slot.microbatch) ? std::optional(slot) : std::nullopt;
  }
  slot.backward_microbatch = earlier(slot.backward_microbatch);
  if (!there(slot.backward_microbatch))
    return moved({Action::Forward, slot.chunk, slot.microbatch}, ahead, microbatches);
  if (!there(slot.microbatch)) return Slot{Action::Backward, slot.backward_chunk, slot.backward_microbatch};
  return slot;
}

std::vector<RankOrder> running_ahead(const Skeleton& skeleton, RunShape shape) {
  const std::uint32_t ahead = microbatches_ahead(skeleton, shape).value(), microbatches = shape.microbatches;
  shape.microbatches += ahead;
  std::vector<RankOrder> orders = rank_orders(skeleton, shape);
  for (RankOrder& order : orders) {
    RankOrder kept;
    for (const Slot& slot : order)
      if (const auto own = moved(slot, ahead, microbatches)) kept.push_back(*own);
    order = std::move(kept);
  }
  return orders;
}

}  // namespace

Body kept_body(const Schedule& schedule, const std::vector<Stage>& stages, const DeriveOptions& options) {
  ensure(can_keep_body(schedule, options), "what is kept can be one run");
  const std::vector<std::size_t> regions = sharded_regions(schedule);
  const Skeleton skeleton = schedule.skeletons[regions.front()];
  const RunShape shape = shape_of(regions, skeleton, stages, options);
  if (options.inner != InnerOrder::Turns) return {skeleton, regions, rank_orders(skeleton, shape)};
  ensure(can_take_turns(schedule, options), "what runs in turns is the last region alone");
  return {skeleton, regions, running_ahead(skeleton, shape)};
}

std::vector<InnerOrder> inner_orders(const Model& model, const Schedule& schedule, const Cut& cut,
                                     const DeriveOptions& options) {
  const Schedule normal = normal_form(model, schedule, cut).schedule;
  if (formula_suffices(normal)) return {};
  if (!can_keep_body(normal, options)) return {InnerOrder::Listed};
  std::vector<InnerOrder> orders = {InnerOrder::Kept, InnerOrder::InPlace};
  if (can_take_turns(normal, options)) orders.push_back(InnerOrder::Turns);
  orders.push_back(InnerOrder::Listed);
  return orders;
}

}  // namespace spillway
