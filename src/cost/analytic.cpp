// Construction: every slab and kind of microbatch priced once.
#include "cost/analytic.h"

#include <algorithm>
#include <map>
#include <utility>

#include "cost/layers/conventions.h"
#include "cost/reduction.h"

namespace spillway {
namespace {

// By stage: on how many ranks its layers lie.
std::vector<std::uint32_t> ranks_with_same_layers(const Outline& derived) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> ranks;
  for (const Stage& stage : derived.stages) ++ranks[{stage.layers.first, stage.layers.end}];
  std::vector<std::uint32_t> by_stage;
  for (const Stage& stage : derived.stages) by_stage.push_back(ranks[{stage.layers.first, stage.layers.end}]);
  return by_stage;
}

Holders holders_of(const Outline& derived, const Stage& stage) {
  if (derived.placement[stage.region.index()].layout == Layout::Replicated)
    return {RankId(0), RankId(derived.pipeline.ranks - 1), derived.pipeline.ranks};
  if (const auto copy = derived.copy_of(stage)) return {stage.rank, *copy, 2};
  return {stage.rank, stage.rank, 1};
}

// Every rank holds all layers of a Replicated region, and they reduce them together.
bool reduces_as_before(const Outline& derived, const Stage& stage) {
  if (&stage == &derived.stages.front()) return false;
  return (&stage - 1)->region == stage.region &&
         derived.placement[stage.region.index()].layout == Layout::Replicated;
}

OperatorTimes platform_times(const AnalyticCosts& costs) {
  return costs.operator_times ? *costs.operator_times : OperatorTimes(costs.platform.accelerator);
}

OperatorTimes block_times(const OperatorTimes& platform, Accelerator accelerator,
                          const Efficiency& efficiency) {
  if (!efficiency.compute && !efficiency.memory) return platform;
  const auto stated = [&](double value) {
    return Sourced<double>{value, efficiency.evidence, "the experiment"};
  };
  if (efficiency.compute) {
    Efficiencies& all = accelerator.efficiency;
    all.gemm = all.grouped_gemm = all.attention = all.attention_backward = stated(*efficiency.compute);
    accelerator.operators = {};
    accelerator.sustained = not_stated(1.0);
  }
  if (efficiency.memory) accelerator.efficiency.memory = stated(*efficiency.memory);
  return OperatorTimes(accelerator);
}

SlabTimes slower_passes(const SlabTimes& a, const SlabTimes& b) {
  return {std::max(a.forward, b.forward), std::max(a.input_gradient, b.input_gradient),
          std::max(a.weight_gradient, b.weight_gradient), std::max(a.attention_forward, b.attention_forward),
          std::max(a.attention_backward, b.attention_backward)};
}

}  // namespace

AnalyticCostModel::AnalyticCostModel(const AnalyticCosts& costs, const Outline& derived,
                                     std::shared_ptr<const DrawLoads> loads)
    : AnalyticCostModel(costs, derived, std::move(loads), *std::make_unique<PricedSlabs>()) {}

AnalyticCostModel::AnalyticCostModel(const AnalyticCosts& costs, const Outline& derived,
                                     std::shared_ptr<const DrawLoads> loads, PricedSlabs& known)
    : platform_(costs.platform),
      parallelism_(costs.parallelism),
      grid_(device_grid(costs, derived.pipeline)),
      equal_replicas_(costs.equal_replicas),
      times_(platform_times(costs)),
      loads_(std::move(loads)),
      first_part_{0} {
  ensure(costs.blocks.size() == derived.model.blocks().size(), "analytic costs: one entry per block");
  ensure(loads_->members() == grid_.members && loads_->replicas() >= derived.pipeline.replicas &&
             loads_->microbatches() >= derived.pipeline.microbatches,
         "analytic costs: the loads cover the pipeline");
  time_links();
  for (std::size_t i = 0; i < costs.blocks.size(); ++i) {
    blocks_.push_back(make_block(costs.blocks[i], derived.model, i));
  }
  trained_.resize(derived.pipeline.ranks);
  const std::vector<std::uint32_t> ranks = ranks_with_same_layers(derived);
  for (const Stage& stage : derived.stages) {
    const std::size_t first = parts_.size();
    const std::uint32_t copies = ranks[states_.size()] * grid_.replicas;
    add_parts(derived, stage, known);
    states_.emplace_back();
    for (std::size_t i = first; i < parts_.size(); ++i) {
      const Slab& slab = slabs_[parts_[i].slab];
      const Block& block = blocks_[slab.block];
      states_.back() +=
          spillway::model_state(slab.cost, block.stack.unit, block.gradients.weight, parallelism_, copies);
    }
    reductions_.push_back(reduces_as_before(derived, stage) ? Transfer(reductions_.back())
                                                            : reduction(costs, derived, stage, first));
    first_part_.push_back(parts_.size());
  }
}

void AnalyticCostModel::time_links() {
  std::uint32_t nearer = 1;  // devices that the tier before joins
  for (const Tier& tier : platform_.tiers) {
    links_.push_back(point_to_point(platform_, DeviceId(0), DeviceId(nearer)));
    nearer = tier.devices;
  }
}

AnalyticCostModel::Block AnalyticCostModel::make_block(const BlockCosts& costs, const Model& model,
                                                       std::size_t index) const {
  return {layer_stack(costs.architecture), block_times(times_, platform_.accelerator, costs.efficiency),
          gradients_of(model, index), costs.recompute, costs.fixed_per_microbatch};
}

void AnalyticCostModel::add_parts(const Outline& derived, const Stage& stage, PricedSlabs& known) {
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    const LayerRange whole = derived.model.layers_of(i);
    const LayerRange layers = derived.model.part_of(i, stage.layers);
    if (layers.size() == 0) continue;
    const Block& block = blocks_[i];
    Part part{slab_of(i, layers, derived.model, known),
              layers.first == whole.first ? block.fixed : Seconds(),
              {},
              {}};
    const auto stack = std::span(block.stack.layers).subspan(layers.first - whole.first, layers.size());
    if (block.gradients.weight)
      add_weight_shapes(trained_[stage.rank.index()], stack, block.stack.unit, parallelism_);
    if (block.stack.unit == LoadUnit::Token) {
      part.uses = slab_collectives(stack, block.stack.width, block.gradients,
                                   {&platform_, grid_, stage.rank, parallelism_});
      for (const TokenLoad& tokens : loads_->kinds())
        part.communication.push_back(slab_communication(part.uses, tokens.sequence / parallelism_.context));
    }
    parts_.push_back(std::move(part));
  }
}

std::size_t AnalyticCostModel::slab_of(std::size_t block, LayerRange part, const Model& model,
                                       PricedSlabs& priced) {
  const auto known = std::find_if(slabs_.begin(), slabs_.end(), [&](const Slab& slab) {
    return slab.layers.first == part.first && slab.layers.end == part.end;
  });
  if (known != slabs_.end()) return static_cast<std::size_t>(known - slabs_.begin());
  const Block& of = blocks_[block];
  const auto layers =
      std::span(of.stack.layers).subspan(part.first - model.layers_of(block).first, part.size());
  Slab slab{block,
            part,
            counted_operators(layers),
            cost_of(layers),
            SlabMemory(layers, {of.stack.unit, of.stack.width, of.gradients, of.recompute}, parallelism_),
            {}};
  slab.times = priced.times(block, part, [&] { return price(slab); });
  slabs_.push_back(std::move(slab));
  return slabs_.size() - 1;
}

SlabLoad AnalyticCostModel::load_of(const TokenLoad& tokens, Sequences& sequences) const {
  sequences = {tokens.sequences, tokens.length()};
  return {tokens.sequence / parallelism_.context, {&sequences, 1}};
}

std::vector<SlabTimes> AnalyticCostModel::price(const Slab& slab) const {
  const Block& block = blocks_[slab.block];
  std::vector<SlabTimes> times;
  if (block.stack.unit == LoadUnit::Patch) {
    ByImages<SlabTimes> known;
    for (std::size_t cell = 0; cell < loads_->cells(); ++cell) {
      SlabTimes slowest;
      for (const DeviceImages& member : loads_->devices(slab.block, cell))
        slowest = slower_passes(slowest, known.of(member, [&] { return device_times(slab, member); }));
      times.push_back(slowest);
    }
    return times;
  }
  for (const TokenLoad& tokens : loads_->kinds()) {
    Sequences sequences;
    times.push_back(slab_times(slab.operators, Split::of(parallelism_), load_of(tokens, sequences),
                               block.times, block.gradients, block.recompute,
                               platform_.accelerator.host_overhead.value));
  }
  return times;
}

SlabTimes AnalyticCostModel::device_times(const Slab& slab, const DeviceImages& device) const {
  const Block& block = blocks_[slab.block];
  return slab_times(slab.operators, Split(), {device.patches, device.images}, block.times, block.gradients,
                    block.recompute, platform_.accelerator.host_overhead.value);
}

Transfer AnalyticCostModel::reduction(const AnalyticCosts& costs, const Outline& derived, const Stage& stage,
                                      std::size_t first) const {
  StageParameters parameters;
  for (std::size_t i = first; i < parts_.size(); ++i) {
    const Slab& slab = slabs_[parts_[i].slab];
    const Block& block = blocks_[slab.block];
    if (!block.gradients.weight) continue;
    const double dense = static_cast<double>(slab.cost.dense_parameters);
    if (block.stack.unit == LoadUnit::Patch) {
      parameters.member += dense;
    } else {
      // Each tensor-parallel member reduces its own copy of what is not split.
      const double copies = parallelism_.tensor - 1;
      parameters.tensor += dense + copies * static_cast<double>(slab.cost.unsplit_parameters);
    }
    parameters.expert += static_cast<double>(slab.cost.expert_parameters);
  }
  Transfer transfer = gradient_reduction(costs, grid_, holders_of(derived, stage), parameters);
  transfer.alone += update(states_.back());
  return transfer;
}

// The device's gradients are zeroed and averaged (megatron/core/distributed/param_and_grad_buffer.py:
// written, then read and written). For its share: gradients are read for their norm and again for the update,
// master copy and moments read and written, parameters written.
Seconds AnalyticCostModel::update(const ModelState& state) const {
  const double updated = state.optimizer / kOptimizer;
  const Bytes traffic = 3 * state.gradients + (2 * kGradient + 2 * kOptimizer + kElement) * updated;
  return traffic == Bytes() ? Seconds() : times_.memory(traffic).time;
}

}  // namespace spillway
