#include "plan/bounds.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "experiment/costs.h"
#include "experiment/derive_options.h"

namespace spillway {
namespace {

// Passes that run overlapped take at least as long as the longer of the two, and so at least half of both.
constexpr double kOverlapped = 0.5;

// The skeleton of the pipelined regions; where there are none, of the first one.
const Skeleton& skeleton_of_body(const Schedule& schedule) {
  const auto body = std::ranges::find_if(
      schedule.skeletons, [](const Skeleton& one) { return layout_of(one) == Layout::Sharded; });
  return body != schedule.skeletons.end() ? *body : schedule.skeletons.front();
}

const SkeletonTraits& body_of(const Schedule& schedule) {
  return traits_of(skeleton_of_body(schedule));
}

// The blocks of the model as stages of one rank.
Outline block_by_block(Experiment experiment) {
  experiment.pipeline.ranks = 1;
  Outline blocks =
      derive_outline(experiment.model, Schedule{{SkeletonKind::GPipe}}, Cut{},
                     common_options(experiment.pipeline, experiment.point_to_point, experiment.costs));
  blocks.stages.clear();
  for (std::uint32_t block = 0; block < experiment.model.blocks().size(); ++block)
    blocks.stages.push_back({RegionId(0), RankId(0), block, experiment.model.layers_of(block)});
  return blocks;
}

Layout layout_of_stage(const Outline& outline, StageId stage) {
  return outline.placement[outline.stage(stage).region.index()].layout;
}

// How many microbatches a rank has begun at least before its first backward.
std::uint32_t begun_before_backward(SkeletonKind kind, const PlanLayout& layout, std::uint32_t rank) {
  switch (kind) {
    case SkeletonKind::OneFOneB:
    case SkeletonKind::ZbH1:
    case SkeletonKind::ZbH2:
      return std::min(layout.ranks - rank, layout.microbatches);
    case SkeletonKind::GPipe:
      return layout.microbatches;
    default:
      return 1;
  }
}

// What one microbatch is priced on.
struct Priced {
  Priced(Experiment experiment, bool stages)
      : one(of_one_replica(std::move(experiment), 1)),
        costs(one),
        outline(stages ? of_stages() : block_by_block(one)),
        model(costs.of(outline, 0)) {}

  Outline of_stages() const {
    const ScheduleSpec& schedule = one.schedules.front();
    return derive_outline(one.model, schedule.schedule, schedule.cut, derive_options(one, schedule));
  }

  // Stages as a microbatch passes them.
  std::vector<StageId> in_passing() const {
    std::vector<StageId> order;
    for (std::uint32_t stage = 0; stage < outline.stages.size(); ++stage) order.emplace_back(stage);
    std::ranges::stable_sort(order, {}, [&](StageId id) { return outline.stage(id).layers.first; });
    return order;
  }

  bool alike(StageId stage) const {
    return model->uniform({.kind = EventKind::Forward, .stage = stage}) &&
           model->uniform({.kind = EventKind::Backward, .stage = stage});
  }

  Seconds takes(Pass pass, StageId stage) const {
    return model->pass(pass, stage, MicrobatchId(0), ReplicaId(0));
  }

  const Experiment one;
  const DrawCosts costs;
  const Outline outline;
  const std::unique_ptr<CostModel> model;
};

}  // namespace

// Schedules whose stages lie alike are one: the first such of the search.
std::size_t LayoutBounds::key_of_stages(std::size_t schedule) const {
  const auto lie_alike = [](const ScheduleChoice& a, const ScheduleChoice& b) {
    return a.split == b.split && a.cut == b.cut &&
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
  const Schedule& schedule = job_.search.schedules[layout.schedule].schedule;
  return body_of(schedule).fold.value != Fold::Bidirectional;
}

// Of the model's blocks neither ranks nor schedule matter.
PlanLayout LayoutBounds::key_of(PlanLayout layout, bool stages) const {
  layout.microbatches = 0;
  layout.schedule = stages ? key_of_stages(layout.schedule) : 0;
  if (!stages) layout.ranks = 0;
  return layout;
}

const LayoutBounds::Parts& LayoutBounds::passes(PlanLayout layout, bool stages) {
  // Layers of a block gather their parameters in pieces of their mean size, which is no sum over its stages.
  if (!stages || layout.data == DataParallel::Zero1) layout.data = DataParallel::Plain;
  PlanLayout key = key_of(layout, stages);
  key.replicas = 0;
  const auto known = passes_.find(key);
  if (known != passes_.end()) return known->second;
  const Priced priced(stages ? layers_.experiment_of(layout) : experiment_of(job_, layout), stages);
  Parts parts;
  for (const StageId stage : priced.in_passing()) {
    if (layout_of_stage(priced.outline, stage) == Layout::Replicated) continue;  // its owners are not known
    Passes of_stage = {};
    if (priced.alike(stage)) {
      of_stage.forward = priced.takes(Pass::Forward, stage);
      of_stage.backward = priced.takes(Pass::Backward, stage);
      of_stage.input_gradient = priced.takes(Pass::InputGradient, stage);
      of_stage.weight_gradient = priced.takes(Pass::WeightGradient, stage);
    }
    if (priced.model->holds_alike(stage))
      of_stage.kept = priced.model->held(stage, MicrobatchId(0), ReplicaId(0)).activations;
    parts.ranks.push_back(priced.outline.stage(stage).rank.index());
    parts.passes.push_back(of_stage);
  }
  return passes_.emplace(key, std::move(parts)).first->second;
}

const std::vector<Bytes>& LayoutBounds::states(const PlanLayout& layout, bool stages) {
  PlanLayout key = key_of(layout, stages);
  if (!stages) {
    // A balanced split of layers into stages depends on both.
    key.microbatch = 0;
    key.recompute = Recompute::None;
  }
  const auto known = states_.find(key);
  if (known != states_.end()) return known->second;
  const Priced priced(stages ? layers_.experiment_of(layout) : experiment_of(job_, layout), stages);
  std::vector<Bytes> by_rank(priced.outline.pipeline.ranks);
  for (std::uint32_t i = 0; i < priced.outline.stages.size(); ++i) {
    const ModelState state = priced.model->model_state(StageId(i));
    by_rank[priced.outline.stages[i].rank.index()] += state.parameters + state.gradients + state.optimizer;
  }
  return states_.emplace(key, std::move(by_rank)).first->second;
}

Seconds LayoutBounds::rough_step(const PlanLayout& layout) {
  const SkeletonTraits& body = body_of(job_.search.schedules[layout.schedule].schedule);
  Seconds work;
  for (const Passes& part : passes(layout, false).passes)
    work += part.forward + std::min(part.backward, part.input_gradient + part.weight_gradient);
  const double share = body.backward.value == Backward::Overlapped ? kOverlapped : 1;
  return work * (share * layout.microbatches / layout.ranks);
}

Bytes LayoutBounds::rough_memory(const PlanLayout& layout) {
  return states(layout, false).front() * (1.0 / layout.ranks);
}

Seconds LayoutBounds::step(const PlanLayout& layout) {
  const Seconds rough = rough_step(layout);
  if (!knows_stages(layout)) return rough;
  const SkeletonTraits& body = body_of(job_.search.schedules[layout.schedule].schedule);
  const Backward backward = body.backward;
  const Parts& stages = passes(layout, true);
  Seconds bound = rough;
  std::vector<bool> begun(layout.ranks, false);
  Seconds in, out;  // through the stages before this one, and back
  for (std::size_t first = 0; first < stages.passes.size(); ++first) {
    const Passes& here = stages.passes[first];
    const std::uint32_t rank = stages.ranks[first];
    if (!begun[rank]) {
      begun[rank] = true;
      Seconds forwards, gradients, weights;
      for (std::size_t own = first; own < stages.passes.size(); ++own) {
        if (stages.ranks[own] != rank) continue;
        const Passes& part = stages.passes[own];
        forwards += part.forward;
        gradients += backward == Backward::Split ? part.input_gradient : part.backward;
        weights += backward == Backward::Split ? part.weight_gradient : Seconds();
      }
      const double times = layout.microbatches;
      if (backward == Backward::Overlapped)
        bound = std::max(bound, in + (forwards + gradients) * (kOverlapped * times));
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
  const Schedule& schedule = job_.search.schedules[layout.schedule].schedule;
  const SkeletonKind kind = skeleton_of_body(schedule).kind;
  const Parts& stages = passes(layout, true);
  const std::vector<Bytes>& state = states(layout, true);
  Bytes most = rough;
  for (std::size_t stage = 0; stage < stages.passes.size(); ++stage) {
    const std::uint32_t rank = stages.ranks[stage];
    const double begun = begun_before_backward(kind, layout, rank);
    most = std::max(most, state[rank] + stages.passes[stage].kept * begun);
  }
  return most;
}

}  // namespace spillway
