#include "search/stage_passes.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "cost/analytic.h"
#include "cost/analytic_footprints.h"
#include "draws/costs.h"
#include "experiment/derive_options.h"
#include "search/layout.h"

namespace spillway {
namespace {

// Packed sequences of images and text are as long as sequences of text alone. Attention is left out of them
// (loads()): how much there is depends on the documents.
Experiment without_images(Experiment experiment) {
  WorkloadSpec& workload = std::get<AnalyticExperiment>(experiment.costs).workload;
  if (workload.packing == Packing::Packed) workload.packing = Packing::TextOnly;
  return experiment;
}

Outline outline_of(const Experiment& experiment, PricedBy by) {
  const ScheduleSpec& spec = experiment.schedules.front();
  if (by == PricedBy::Stages)
    return derive_outline(experiment.model, spec.schedule, spec.cut, derive_options(experiment, spec));
  Pipeline one_rank = experiment.pipeline;
  one_rank.ranks = 1;
  Schedule whole;  // g++ 12 takes a list of skeletons for uninitialized
  whole.skeletons.emplace_back(SkeletonKind::GPipe);
  Outline blocks = derive_outline(experiment.model, whole, Cut{},
                                  common_options(one_rank, experiment.point_to_point, experiment.costs));
  blocks.stages.clear();
  for (std::uint32_t block = 0; block < experiment.model.blocks().size(); ++block)
    blocks.stages.push_back({RegionId(0), RankId(0), block, experiment.model.layers_of(block)});
  return blocks;
}

bool is_transposed(const Outline& outline, StageId stage) {
  return outline.placement[outline.stage(stage).region.index()].layout == Layout::Replicated;
}

// Returns the stages in the order in which a microbatch passes them.
std::vector<StageId> in_passing(const Outline& outline) {
  std::vector<StageId> order;
  for (std::uint32_t stage = 0; stage < outline.stages.size(); ++stage)
    if (!is_transposed(outline, StageId(stage))) order.emplace_back(stage);
  std::ranges::stable_sort(order, {}, [&](StageId id) { return outline.stage(id).layers.first; });
  return order;
}

// Prices one microbatch.
class Priced {
 public:
  Priced(const Experiment& experiment, PricedBy by)
      : packed_(std::get<AnalyticExperiment>(experiment.costs).workload.packing == Packing::Packed),
        one_(of_one_replica(without_images(experiment), 1)),
        outline_(outline_of(one_, by)),
        costs_(analytic().costs, outline_, std::make_shared<const DrawLoads>(loads())) {
    if (analytic().costs.measured && by == PricedBy::Stages && !packed_)
      measured_ = DrawCosts(one_).of(outline_, 0);
  }

  StagePasses passes() const {
    StagePasses all;
    for (const StageId stage : in_passing(outline_)) all.push_back(pass(stage));
    return all;
  }

 private:
  const AnalyticExperiment& analytic() const { return std::get<AnalyticExperiment>(one_.costs); }

  DrawLoads loads() const {
    DrawLoads all = draw_loads(
        analytic().costs,
        sample(analytic().workload, {one_.pipeline.microbatches, one_.pipeline.replicas, one_.seed, 0}));
    const bool documents = packed_ && !analytic().costs.framework.attends_across_documents.value;
    return documents ? std::move(all).without_attention() : all;
  }

  Seconds takes(Pass pass, StageId stage) const {
    const Pricing& pricing = measured_ ? static_cast<const Pricing&>(*measured_) : costs_;
    return pricing.pass(pass, stage, MicrobatchId(0), ReplicaId(0));
  }

  // Measured activations may be fewer than the model's.
  Held held(StageId stage) const {
    if (measured_) return measured_->held(stage, MicrobatchId(0), ReplicaId(0));
    const auto& measured = analytic().costs.measured;
    return measured ? Held{} : costs_.held(stage, MicrobatchId(0), ReplicaId(0));
  }

  PassTime both_passes(StageId stage) const {
    PassTime both = costs_.time_of(Pass::Forward, stage, MicrobatchId(0), ReplicaId(0));
    return both += costs_.time_of(Pass::Backward, stage, MicrobatchId(0), ReplicaId(0));
  }

  StagePass pass(StageId stage) const {
    const std::uint32_t rank = outline_.stage(stage).rank.index();
    if (analytic().workload.packing != Packing::TextOnly) return {.rank = rank};
    StagePass all{.rank = rank, .held = held(stage)};
    // The roofline is no bound of passes that were measured.
    const bool measured = analytic().costs.measured != nullptr;
    if (measured && !measured_) return all;
    all.forward = takes(Pass::Forward, stage);
    all.backward = takes(Pass::Backward, stage);
    all.input_gradient = takes(Pass::InputGradient, stage);
    all.weight_gradient = takes(Pass::WeightGradient, stage);
    if (measured) return all;
    const PassTime both = both_passes(stage);
    all.computing = both.computing;
    all.communicating = both.exposed - both.tensor + both.hidden;
    all.alone = both.tensor;
    return all;
  }

  const bool packed_;  // from samples
  const Experiment one_;
  const Outline outline_;
  const AnalyticCostModel costs_;
  std::unique_ptr<const CostModel> measured_;  // null unless they bound every evaluation
};

}  // namespace

StagePasses stage_passes(const Experiment& experiment, PricedBy by) {
  return Priced(experiment, by).passes();
}

std::vector<Bytes> resting_bytes(const Experiment& experiment, PricedBy by) {
  const Outline outline = outline_of(experiment, by);
  const StageSlabs slabs(*on_platform(experiment.costs), outline);
  std::vector<Bytes> by_rank(outline.pipeline.ranks);
  if (by == PricedBy::Stages) by_rank = gradient_placeholders(outline, slabs);
  const std::vector<ModelState> states = stage_states(outline, slabs);
  for (std::size_t i = 0; i < states.size(); ++i)
    by_rank[outline.stages[i].rank.index()] +=
        states[i].parameters + states[i].gradients + states[i].optimizer;
  return by_rank;
}

Bytes checkpoint_bytes(const Experiment& experiment) {
  const Outline outline = outline_of(experiment, PricedBy::Blocks);
  Bytes all;
  for (const ModelState& state : stage_states(outline, StageSlabs(*on_platform(experiment.costs), outline)))
    all += state.parameters + state.optimizer;
  return all;
}

std::vector<Bytes> transposed_bytes(const Experiment& experiment, std::uint32_t microbatches) {
  const auto& [costs, workload] = std::get<AnalyticExperiment>(experiment.costs);
  const Outline outline = outline_of(experiment, PricedBy::Stages);
  const StageSlabs slabs(costs, outline);
  const DrawLoads loads = draw_loads(costs, sample(workload, {microbatches, 1, experiment.seed, 0}));
  std::vector<Bytes> together = {Bytes()};
  for (std::uint32_t m = 0; m < microbatches; ++m) {
    Bytes held;
    for (const StageId stage : outline.input_stages(RankId(0)))
      held += held_by_stage(slabs, loads, stage, MicrobatchId(m), ReplicaId(0)).activations;
    together.push_back(together.back() + held);
  }
  return together;
}

}  // namespace spillway
