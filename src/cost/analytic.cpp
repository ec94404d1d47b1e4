#include "cost/analytic.h"

#include <algorithm>
#include <map>
#include <utility>

#include "cost/collectives.h"
#include "cost/conventions.h"
#include "cost/layer_cost.h"
#include "cost/reduction.h"
#include "cost/slab_footprint.h"

namespace spillway {
namespace {

Bytes bf16(double parameters) {
  return kElement * parameters;
}

// What of a slab's parameters lies on one device.
Slab on_device(const LayerCost& cost, LoadUnit unit, const Parallelism& parallelism) {
  const double dense = static_cast<double>(cost.dense_parameters);
  const double experts = static_cast<double>(cost.expert_parameters);
  if (unit == LoadUnit::Patch) return {cost, bf16(dense)};
  return {cost, bf16(dense / parallelism.members() + experts / parallelism.expert)};
}

// By stage: on how many ranks its layers lie.
std::vector<std::uint32_t> ranks_with_same_layers(const Derived& derived) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> ranks;
  for (const Stage& stage : derived.stages) ++ranks[{stage.layers.first, stage.layers.end}];
  std::vector<std::uint32_t> by_stage;
  for (const Stage& stage : derived.stages) by_stage.push_back(ranks[{stage.layers.first, stage.layers.end}]);
  return by_stage;
}

Gradients gradients_of(const Model& model, std::size_t block) {
  const LayerRange layers = model.layers_of(block);
  return {model.blocks()[block].trainable, model.trainable({0, layers.end})};
}

DeviceLoad share(double tokens, double members) {
  return {tokens / members, tokens * tokens / members};
}

Holders holders_of(const Derived& derived, const Stage& stage) {
  if (derived.placement[stage.region.index()].layout == Layout::Replicated)
    return {RankId(0), RankId(derived.pipeline.ranks - 1), derived.pipeline.ranks};
  if (const auto copy = derived.copy_of(stage)) return {stage.rank, *copy, 2};
  return {stage.rank, stage.rank, 1};
}

// Alpha and beta of one exchange, `times` over, in units of which the collective moves `bytes_per_byte` each.
void add(AlphaBeta& total, const AlphaBeta& collective, double times, double bytes_per_byte) {
  total.alpha += collective.alpha * times;
  const Seconds per_byte = Bytes(1) / total.rate + Bytes(bytes_per_byte) / collective.rate;
  total.rate = BytesPerSecond(1 / per_byte.value());
}

}  // namespace

AnalyticCostModel::AnalyticCostModel(const AnalyticCosts& costs, const Derived& derived,
                                     std::shared_ptr<const DrawLoads> loads)
    : platform_(costs.platform),
      grid_(device_grid(costs.parallelism, derived.pipeline)),
      first_part_{0},
      loads_(std::move(loads)) {
  ensure(costs.blocks.size() == derived.model.blocks().size(), "analytic costs: one entry per block");
  ensure(loads_->members() == grid_.members && loads_->replicas() >= grid_.replicas &&
             loads_->microbatches() >= derived.pipeline.microbatches,
         "analytic costs: the loads cover the pipeline");
  for (std::size_t i = 0; i < costs.blocks.size(); ++i) {
    blocks_.push_back(make_block(costs.blocks[i], platform_, derived.model, i));
  }
  const std::vector<std::uint32_t> ranks = ranks_with_same_layers(derived);
  for (const Stage& stage : derived.stages) {
    add_parts(costs, derived, stage);
    reductions_.push_back(reduction(costs, derived, stage, first_part_.back()));
    states_.push_back(states(costs, first_part_.back(), ranks[states_.size()] * grid_.replicas));
    first_part_.push_back(parts_.size());
  }
}

AnalyticCostModel::Block AnalyticCostModel::make_block(const BlockCosts& costs, const Platform& platform,
                                                       const Model& model, std::size_t index) {
  const Accelerator& accelerator = platform.accelerator;
  return {layer_stack(costs.architecture),
          model.blocks()[index].role == Role::Encoder,
          {accelerator.peak.value * costs.efficiency.compute,
           accelerator.memory_bandwidth.value * costs.efficiency.memory},
          gradients_of(model, index),
          costs.recompute,
          costs.fixed_per_microbatch};
}

void AnalyticCostModel::add_parts(const AnalyticCosts& costs, const Derived& derived, const Stage& stage) {
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    const LayerRange whole = derived.model.layers_of(i);
    const LayerRange part = derived.model.part_of(i, stage.layers);
    if (part.size() == 0) continue;
    const Block& block = blocks_[i];
    const auto layers = std::span(block.stack.layers).subspan(part.first - whole.first, part.size());
    const LayerCost cost = cost_of(layers);
    const Seconds fixed = part.first == whole.first ? block.fixed : Seconds();
    parts_.push_back({i, on_device(cost, block.stack.unit, costs.parallelism), fixed,
                      communication(costs, stage, block, layers),
                      held_per_token(layers, block.stack.width, block.gradients, block.recompute)});
  }
}

// Of all replicas' groups, the one that is spread widest sets the pace.
AlphaBeta AnalyticCostModel::communication(const AnalyticCosts& costs, const Stage& stage, const Block& block,
                                           std::span<const Layer> layers) const {
  AlphaBeta total;
  if (block.stack.unit == LoadUnit::Patch) return total;
  const auto slowest = [&](std::uint32_t size, auto collective) {
    AlphaBeta worst;
    for (std::uint32_t at = 0; at < grid_.replicas * grid_.members; at += size) {
      const DeviceId first(grid_.device(stage.rank, ReplicaId(0), 0).index() + at);
      worst = slower(worst, collective(platform_, DeviceGroup{first, size}));
    }
    return worst;
  };
  Layer cost;
  for (const Layer& layer : layers) cost += layer;
  add(total, slowest(grid_.members, all_gather), cost.all_gathers, cost.all_gathers);
  add(total, slowest(grid_.members, reduce_scatter), cost.reduce_scatters, cost.reduce_scatters);
  add(total, slowest(costs.parallelism.expert, all_to_all), cost.all_to_alls,
      static_cast<double>(cost.expert_copies) / grid_.members);
  return total;
}

ModelState AnalyticCostModel::states(const AnalyticCosts& costs, std::size_t first,
                                     std::uint32_t copies) const {
  ModelState total;
  for (std::size_t i = first; i < parts_.size(); ++i) {
    const Block& block = blocks_[parts_[i].block];
    total += spillway::model_state(parts_[i].slab.cost, block.stack.unit, block.gradients.weight,
                                   costs.parallelism, copies);
  }
  return total;
}

Transfer AnalyticCostModel::reduction(const AnalyticCosts& costs, const Derived& derived, const Stage& stage,
                                      std::size_t first) const {
  StageParameters parameters;
  for (std::size_t i = first; i < parts_.size(); ++i) {
    const Block& block = blocks_[parts_[i].block];
    if (!block.gradients.weight) continue;
    const LayerCost& cost = parts_[i].slab.cost;
    (block.stack.unit == LoadUnit::Patch ? parameters.member : parameters.tensor) +=
        static_cast<double>(cost.dense_parameters);
    parameters.expert += static_cast<double>(cost.expert_parameters);
  }
  return gradient_reduction(costs, grid_, holders_of(derived, stage), parameters);
}

template <class WorkOf>
Seconds AnalyticCostModel::slowest_device(const Part& part, MicrobatchId microbatch, ReplicaId replica,
                                          WorkOf work_of) const {
  const Rates& rates = blocks_[part.block].rates;
  if (blocks_[part.block].stack.unit == LoadUnit::Token) {
    return roofline(work_of(share(loads_->tokens(replica, microbatch).sequence, grid_.members)), rates);
  }
  Seconds slowest;
  for (const DeviceLoad& load : loads_->devices(part.block, replica, microbatch)) {
    if (load.tokens > 0) slowest = std::max(slowest, roofline(work_of(load), rates));
  }
  return slowest;
}

Seconds AnalyticCostModel::communication(const Part& part, MicrobatchId microbatch, ReplicaId replica) const {
  const double elements = loads_->tokens(replica, microbatch).sequence * blocks_[part.block].stack.width;
  return part.communication(kElement * elements);
}

AnalyticCostModel::Spent& AnalyticCostModel::Spent::operator+=(const Spent& other) {
  computing += other.computing;
  communicating += other.communicating;
  return *this;
}

AnalyticCostModel::Spent AnalyticCostModel::forward(const Part& part, MicrobatchId microbatch,
                                                    ReplicaId replica) const {
  const Seconds computing = slowest_device(part, microbatch, replica,
                                           [&](DeviceLoad load) { return forward_work(part.slab, load); });
  return {computing + part.fixed, communication(part, microbatch, replica)};
}

AnalyticCostModel::Spent AnalyticCostModel::backward(const Part& part, Gradients gradients,
                                                     MicrobatchId microbatch, ReplicaId replica) const {
  if (!gradients.any()) return {};
  const Recompute recompute = gradients.input ? blocks_[part.block].recompute : Recompute::None;
  const Seconds computing = slowest_device(part, microbatch, replica, [&](DeviceLoad load) {
    return backward_work(part.slab, load, gradients, recompute);
  });
  if (!gradients.input) return {computing, Seconds()};
  const double times = recompute == Recompute::Full ? 2 : 1;
  return {computing, times * communication(part, microbatch, replica)};
}

AnalyticCostModel::Spent AnalyticCostModel::spent(const Part& part, Pass pass, MicrobatchId microbatch,
                                                  ReplicaId replica) const {
  const Gradients gradients = blocks_[part.block].gradients;
  switch (pass) {
    case Pass::Forward:
      return forward(part, microbatch, replica);
    case Pass::Backward:
      return backward(part, gradients, microbatch, replica);
    case Pass::InputGradient:
      return backward(part, {.weight = false, .input = gradients.input}, microbatch, replica);
    case Pass::WeightGradient:
      return backward(part, {.weight = gradients.weight, .input = false}, microbatch, replica);
  }
  throw ContractBreach("unknown pass");
}

AnalyticCostModel::Spent AnalyticCostModel::spent(Pass pass, StageId stage, MicrobatchId microbatch,
                                                  ReplicaId replica, EncoderWork work) const {
  Spent total;
  for (std::size_t i = first_part_[stage.index()]; i < first_part_[stage.index() + 1]; ++i) {
    const bool free = work == EncoderWork::Free && blocks_[parts_[i].block].encoder;
    if (!free) total += spent(parts_[i], pass, microbatch, replica);
  }
  return total;
}

Seconds AnalyticCostModel::pass(const Derived&, Pass pass, StageId stage, MicrobatchId microbatch,
                                ReplicaId replica, EncoderWork work) const {
  const Spent total = spent(pass, stage, microbatch, replica, work);
  return total.computing + total.communicating;
}

Seconds AnalyticCostModel::overlapped(const Derived&, const Event& event, ReplicaId replica,
                                      EncoderWork work) const {
  Spent both = spent(Pass::Forward, event.stage, event.microbatch, replica, work);
  both += spent(Pass::Backward, event.peer_stage, event.peer_microbatch, replica, work);
  return std::max(both.computing, both.communicating);
}

double AnalyticCostModel::busiest_tokens(std::size_t block, MicrobatchId microbatch,
                                         ReplicaId replica) const {
  if (blocks_[block].stack.unit == LoadUnit::Token)
    return loads_->tokens(replica, microbatch).sequence / grid_.members;
  double most = 0;
  for (const DeviceLoad& load : loads_->devices(block, replica, microbatch))
    most = std::max(most, load.tokens);
  return most;
}

Bytes AnalyticCostModel::passed_on(const Model& model, std::uint32_t boundary, MicrobatchId microbatch,
                                   ReplicaId replica) const {
  std::size_t producer = 0;
  while (model.layers_of(producer).end < boundary) ++producer;
  const LayerStack& stack = blocks_[producer].stack;
  const TokenLoad tokens = loads_->tokens(replica, microbatch);
  const bool last_layer = model.layers_of(producer).end == boundary;
  if (stack.unit == LoadUnit::Token) return bf16(tokens.sequence * stack.width / grid_.members);
  if (last_layer) return bf16(tokens.image * stack.output_width / grid_.members);
  return bf16(busiest_tokens(producer, microbatch, replica) * stack.width);
}

// The slowest of the pairs of counterparts.
Seconds AnalyticCostModel::link(const Event& event, ReplicaId replica, Bytes payload) const {
  Seconds slowest;
  for (std::uint32_t member = 0; member < grid_.members; ++member) {
    const CollectiveTime pair = point_to_point(platform_, grid_.device(event.rank, replica, member),
                                               grid_.device(event.peer_rank, replica, member));
    slowest = std::max(slowest, pair(payload).time);
  }
  return slowest;
}

Transfer AnalyticCostModel::transfer(const Derived& derived, const Event& event, ReplicaId replica) const {
  if (event.kind == EventKind::DpReduce) return reductions_[event.stage.index()];
  if (event.rank == event.peer_rank) return {};
  const std::uint32_t boundary =
      std::max(derived.stage(event.stage).layers.first, derived.stage(event.peer_stage).layers.first);
  const Bytes payload = passed_on(derived.model, boundary, event.microbatch, replica);
  return {link(event, replica, payload), payload};
}

ModelState AnalyticCostModel::model_state(const Derived&, StageId stage) const {
  return states_[stage.index()];
}

Held AnalyticCostModel::held(const Derived&, StageId stage, MicrobatchId microbatch,
                             ReplicaId replica) const {
  Held total;
  for (std::size_t i = first_part_[stage.index()]; i < first_part_[stage.index() + 1]; ++i)
    total += parts_[i].held_per_token * busiest_tokens(parts_[i].block, microbatch, replica);
  return total;
}

}  // namespace spillway
