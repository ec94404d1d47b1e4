#include "search/bounds.h"

#include <algorithm>
#include <utility>

namespace spillway {
namespace {

// Returns the skeleton of the pipelined regions, or of the first region if none is pipelined.
const Skeleton& skeleton_of_body(const Schedule& schedule) {
  const auto body = std::ranges::find_if(
      schedule.skeletons, [](const Skeleton& one) { return layout_of(one) == Layout::Sharded; });
  return body != schedule.skeletons.end() ? *body : schedule.skeletons.front();
}

Backward backward_of(const Schedule& schedule) {
  return traits_of(skeleton_of_body(schedule)).backward;
}

// Sums passes of a rank, however they overlap. Alone or beside another pass, a pass takes its computation,
// its communication, and the rest that hides under neither.
struct Overlap {
  Seconds computing, communicating, alone;

  void add(const StagePass& part) {
    computing += part.computing;
    communicating += part.communicating;
    alone += part.alone;
  }
  Seconds least() const { return std::max(computing, communicating) + alone; }
};

// Groups by rank; the stages of a rank are input first.
std::vector<std::vector<Held>> held_by_chunk(const StagePasses& passes, std::uint32_t ranks) {
  std::vector<std::vector<Held>> by_rank(ranks);
  for (const StagePass& pass : passes) by_rank[pass.rank].push_back(pass.held);
  return by_rank;
}

// The memory when a backward begins: see lifetime.h.
Bytes held_at(const HeldCounts& counts, const std::vector<Held>& chunks) {
  const Held& runs = chunks[counts.chunk];
  Bytes total = runs.recomputed + runs.backward_workspace;
  for (std::size_t chunk = 0; chunk < chunks.size(); ++chunk)
    total += chunks[chunk].activations * counts.activations[chunk] +
             chunks[chunk].for_weight_gradient * counts.for_weight_gradient[chunk];
  return total;
}

}  // namespace

LayoutBounds::LayoutBounds(const PlanJob& job, StageLayers& layers) : job_(job), layers_(layers) {
  for (const ScheduleChoice& choice : job.search.schedules) bodies_.push_back(body_of(choice));
}

// Gives no run if regions are transposed behind pipelined ones, or if there are several pipelines: these
// orders depend on times.
LayoutBounds::Body LayoutBounds::body_of(const ScheduleChoice& choice) {
  const Schedule& schedule = choice.schedule;
  const std::vector<ShardedRun> runs = sharded_runs(schedule);
  const std::size_t inputs = input_count(schedule);
  const auto transposed = std::ranges::count(schedule.skeletons, Layout::Replicated,
                                             [](const Skeleton& one) { return layout_of(one); });
  if (runs.size() != 1 || static_cast<std::size_t>(transposed) > inputs) return {std::nullopt, false};
  const bool kept = choice.input.passes == InputPasses::Enclosing && !choice.input.recomputed &&
                    !choice.input.prefetched && !choice.moves_samples;
  return {runs.front(), inputs > 0 && kept};
}

// Schedules with equal stages share a key, the index of the first such schedule of the search plus 1.
std::size_t LayoutBounds::key_of_stages(std::size_t schedule) const {
  // Compares all options except the body, whose shape is compared below.
  const auto options = [](const ScheduleChoice& choice) {
    SystemOptions all = choice.system ? choice.system->options : SystemOptions();
    all.body = {};
    return all;
  };
  const auto lie_alike = [&](const ScheduleChoice& a, const ScheduleChoice& b) {
    return a.given == b.given && a.split == b.split && a.cut == b.cut && options(a) == options(b) &&
           a.input == b.input &&
           std::ranges::equal(a.schedule.skeletons, b.schedule.skeletons, {}, layout_of, layout_of) &&
           fold_of(skeleton_of_body(a.schedule)) == fold_of(skeleton_of_body(b.schedule)) &&
           chunks_of(skeleton_of_body(a.schedule)) == chunks_of(skeleton_of_body(b.schedule));
  };
  const std::vector<ScheduleChoice>& all = job_.search.schedules;
  std::size_t first = 0;
  while (!lie_alike(all[first], all[schedule])) ++first;
  return first + 1;
}

bool LayoutBounds::knows_stages(const PlanLayout& layout) const {
  return fold_of(skeleton_of_body(job_.search.schedules[layout.schedule].schedule)) != Fold::Bidirectional;
}

// For the model's blocks, neither ranks nor schedule matter.
PlanLayout LayoutBounds::key_of(PlanLayout layout, bool stages) const {
  layout.microbatches = 0;
  layout.schedule = stages ? key_of_stages(layout.schedule) : 0;
  if (!stages) layout.ranks = 0;
  return layout;
}

const StagePasses& LayoutBounds::passes(PlanLayout layout, bool stages) {
  // Prices blocks with plain data parallelism. A block gathers its parameters in pieces of its layers' mean
  // size, so its time is not the sum over its stages.
  if (!stages || layout.data == DataParallel::Zero1) layout.data = DataParallel::Plain;
  PlanLayout key = key_of(layout, stages);
  key.replicas = 0;
  return passes_.of(key, [&] {
    return stages ? stage_passes(layers_.experiment_of(layout), PricedBy::Stages)
                  : stage_passes(experiment_of(job_, layout), PricedBy::Blocks);
  });
}

const std::vector<Bytes>& LayoutBounds::states(const PlanLayout& layout, bool stages) {
  PlanLayout key = key_of(layout, stages);
  if (!stages) {
    // These matter only for the balanced split of layers into stages.
    key.microbatch = 0;
    key.recompute = Recompute::None;
  }
  return states_.of(key, [&] {
    return stages ? resting_bytes(layers_.experiment_of(layout), PricedBy::Stages)
                  : resting_bytes(experiment_of(job_, layout), PricedBy::Blocks);
  });
}

const LayoutBounds::CountsByRank& LayoutBounds::counts(const PlanLayout& layout) {
  return counts_.of({layout.schedule, layout.ranks, layout.microbatches}, [&]() -> CountsByRank {
    const std::optional<ShardedRun>& run = bodies_[layout.schedule].run;
    if (!run) return {};
    const auto regions = static_cast<std::uint32_t>(run->end - run->first);
    const std::uint32_t chunks = weaves(run->skeleton) ? regions : chunks_of(run->skeleton);
    return held_counts(run->skeleton, {layout.ranks, layout.microbatches, chunks,
                                       default_group(layout.ranks, layout.microbatches)});
  });
}

// The sum over all ranks. It depends on how images are spread over the members of a group, and on what is
// recomputed.
Bytes LayoutBounds::held_transposed(const PlanLayout& layout) {
  PlanLayout key = key_of(layout, true);
  key.tensor *= std::exchange(key.context, 0);
  key.devices = key.ranks = key.expert = key.replicas = 0;
  key.data = DataParallel::Plain;
  return transposed_.of(key, [&] {
    return transposed_bytes(layers_.experiment_of(layout), job_.batch / layout.microbatch);
  })[layout.microbatches];
}

Seconds LayoutBounds::rough_step(const PlanLayout& layout) {
  const bool overlaps = fuses(backward_of(job_.search.schedules[layout.schedule].schedule));
  Seconds work;
  Overlap overlap;
  for (const StagePass& part : passes(layout, false)) {
    work += part.forward + std::min(part.backward, part.input_gradient + part.weight_gradient);
    overlap.add(part);
  }
  if (overlaps) work = overlap.least();
  return work * (1.0 * layout.microbatches / layout.ranks);
}

Bytes LayoutBounds::rough_memory(const PlanLayout& layout) {
  return states(layout, false).front() * (1.0 / layout.ranks);
}

Seconds LayoutBounds::step(const PlanLayout& layout) {
  const Seconds rough = rough_step(layout);
  if (!knows_stages(layout)) return rough;
  const Backward backward = backward_of(job_.search.schedules[layout.schedule].schedule);
  const StagePasses& stages = passes(layout, true);
  Seconds bound = rough;
  std::vector<bool> begun(layout.ranks, false);
  Seconds in, out;  // time through the stages before this one, and back
  for (std::size_t first = 0; first < stages.size(); ++first) {
    const StagePass& here = stages[first];
    if (!begun[here.rank]) {
      begun[here.rank] = true;
      Seconds forwards, gradients, weights;
      Overlap overlap;
      for (std::size_t own = first; own < stages.size(); ++own) {
        const StagePass& part = stages[own];
        if (part.rank != here.rank) continue;
        forwards += part.forward;
        gradients += backward == Backward::Split ? part.input_gradient : part.backward;
        weights += backward == Backward::Split ? part.weight_gradient : Seconds();
        overlap.add(part);
      }
      const double times = layout.microbatches;
      if (fuses(backward))
        bound = std::max(bound, in + overlap.least() * times);
      else
        bound = std::max({bound, in + (forwards + gradients) * times + out,
                          in + (forwards + gradients + weights) * times});
    }
    in += here.forward;
    out += backward == Backward::Whole ? here.backward : here.input_gradient;
  }
  return bound;
}

Bytes LayoutBounds::memory(const PlanLayout& layout) {
  const Bytes rough = rough_memory(layout);
  if (!knows_stages(layout)) return rough;
  const auto chunks = held_by_chunk(passes(layout, true), layout.ranks);
  const std::vector<Bytes>& resting = states(layout, true);
  const CountsByRank& by_order = counts(layout);
  Bytes most = rough, together;
  for (std::uint32_t rank = 0; rank < layout.ranks; ++rank) {
    Bytes held;
    for (const HeldCounts& one :
         by_order.empty() ? least_held(static_cast<std::uint32_t>(chunks[rank].size())) : by_order[rank])
      held = std::max(held, held_at(one, chunks[rank]));
    most = std::max(most, resting[rank] + held);
    together += resting[rank] + held;
  }
  if (!bodies_[layout.schedule].behind_transposed) return most;
  return std::max(most, (together + held_transposed(layout)) * (1.0 / layout.ranks));
}

}  // namespace spillway
