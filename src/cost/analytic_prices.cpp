// Looking prices up.
#include <algorithm>

#include "cost/analytic.h"
#include "cost/layers/conventions.h"

namespace spillway {
namespace {

Bytes bf16(double elements) {
  return kElement * elements;
}

// What of `total` is left over when it hides under `cover`.
Seconds left_over(Seconds total, Seconds cover) {
  return std::max(Seconds(), total - cover);
}

}  // namespace

AnalyticCostModel::Spent& AnalyticCostModel::Spent::operator+=(const Spent& other) {
  computing += other.computing;
  exposed += other.exposed;
  hidden += other.hidden;
  tensor += other.tensor;
  return *this;
}

// Computing is slowed down for as long as a collective runs beside it.
Seconds AnalyticCostModel::beside(Seconds computing, Seconds hidden) const {
  const double slowdown = platform_.accelerator.slowdown_under_communication.value;
  return std::max(hidden, computing + slowdown * std::min(computing, hidden));
}

const SlabTimes& AnalyticCostModel::times_of(const Part& part, MicrobatchId microbatch,
                                             ReplicaId replica) const {
  const Slab& slab = slabs_[part.slab];
  const bool patches = blocks_[slab.block].stack.unit == LoadUnit::Patch;
  return (*slab.times)[patches ? loads_->cell(replica, microbatch) : loads_->kind(replica, microbatch)];
}

SlabCommunication AnalyticCostModel::communication_of(const Part& part, MicrobatchId microbatch,
                                                      ReplicaId replica) const {
  if (part.communication.empty()) return {};
  return part.communication[loads_->kind(replica, microbatch)];
}

AnalyticCostModel::Spent AnalyticCostModel::forward(const Part& part, MicrobatchId microbatch,
                                                    ReplicaId replica) const {
  const SlabTimes& times = times_of(part, microbatch, replica);
  const CollectiveTimes by = communication_of(part, microbatch, replica).forward;
  const Seconds ring = left_over(by.under_attention, times.attention_forward);
  return {times.forward + part.fixed, by.exposed + ring, by.under_attention - ring + by.under_pass,
          by.exposed_tensor};
}

AnalyticCostModel::Spent AnalyticCostModel::input_gradient(const Part& part, bool weight_follows,
                                                           MicrobatchId microbatch, ReplicaId replica) const {
  const Block& block = blocks_[slabs_[part.slab].block];
  if (!block.gradients.input) return {};
  const SlabTimes& times = times_of(part, microbatch, replica);
  const SlabCommunication by = communication_of(part, microbatch, replica);
  const CollectiveTimes& own = by.input_gradient;
  const Seconds ring = left_over(own.under_attention, times.attention_backward);
  Spent spent{times.input_gradient, own.exposed + ring, own.under_attention - ring + own.under_pass,
              own.exposed_tensor};
  const auto expose = [&](Seconds time, Seconds of_tensor) {
    spent.exposed += time;
    spent.tensor += of_tensor;
  };
  if (weight_follows && block.gradients.weight)
    spent.hidden += by.input_reduction;
  else
    expose(by.input_reduction, by.input_reduction);
  if (block.recompute == Recompute::Full) expose(by.forward.exposed, by.forward.exposed_tensor);
  return spent;
}

AnalyticCostModel::Spent AnalyticCostModel::weight_gradient(const Part& part, MicrobatchId microbatch,
                                                            ReplicaId replica) const {
  if (!blocks_[slabs_[part.slab].block].gradients.weight) return {};
  const Seconds hidden = communication_of(part, microbatch, replica).weight_gradient.under_pass;
  return {times_of(part, microbatch, replica).weight_gradient, Seconds(), hidden, Seconds()};
}

AnalyticCostModel::Spent AnalyticCostModel::spent(const Part& part, Pass pass, MicrobatchId microbatch,
                                                  ReplicaId replica) const {
  switch (pass) {
    case Pass::Forward:
      return forward(part, microbatch, replica);
    case Pass::InputGradient:
      return input_gradient(part, false, microbatch, replica);
    case Pass::WeightGradient:
      return weight_gradient(part, microbatch, replica);
    case Pass::Backward:
      Spent both = input_gradient(part, true, microbatch, replica);
      both += weight_gradient(part, microbatch, replica);
      return both;
  }
  throw ContractBreach("unknown pass");
}

AnalyticCostModel::Spent AnalyticCostModel::spent(Pass pass, StageId stage, MicrobatchId microbatch,
                                                  ReplicaId replica) const {
  Spent total;
  for (std::size_t i = first_part_[stage.index()]; i < first_part_[stage.index() + 1]; ++i) {
    total += spent(parts_[i], pass, microbatch, replica);
  }
  return total;
}

Seconds AnalyticCostModel::pass(const Outline&, Pass pass, StageId stage, MicrobatchId microbatch,
                                ReplicaId replica) const {
  return beside(spent(pass, stage, microbatch, replica));
}

Seconds AnalyticCostModel::overlapped(const Outline&, const Event& event, ReplicaId replica) const {
  Spent both = spent(Pass::Forward, event.stage, event.microbatch, replica);
  both += spent(Pass::Backward, event.peer_stage, event.peer_microbatch, replica);
  return beside(both.computing, both.exposed - both.tensor + both.hidden) + both.tensor;
}

std::uint32_t AnalyticCostModel::boundary_between(const Outline& derived, const Event& event) {
  return std::max(derived.stage(event.stage).layers.first, derived.stage(event.peer_stage).layers.first);
}

std::size_t AnalyticCostModel::producer_of(const Model& model, std::uint32_t boundary) {
  std::size_t producer = 0;
  while (model.layers_of(producer).end < boundary) ++producer;
  return producer;
}

Bytes AnalyticCostModel::passed_on(const Model& model, std::uint32_t boundary, MicrobatchId microbatch,
                                   ReplicaId replica) const {
  const std::size_t producer = producer_of(model, boundary);
  const LayerStack& stack = blocks_[producer].stack;
  const TokenLoad& tokens = loads_->tokens(replica, microbatch);
  const double sharers = parallelism_.sequence_parallel ? grid_.members : parallelism_.context;
  if (stack.unit == LoadUnit::Token) return bf16(tokens.sequence * stack.width / sharers);
  if (model.layers_of(producer).end == boundary)
    return bf16(loads_->image_tokens(replica, microbatch) * stack.output_width * (1 + stack.side_outputs) /
                grid_.members);
  double most = 0;
  for (const DeviceImages& member : loads_->devices(producer, loads_->cell(replica, microbatch)))
    most = std::max(most, member.patches);
  return bf16(most * stack.width);
}

Bytes AnalyticCostModel::received(const Outline& derived, const Event& event, ReplicaId replica) const {
  return passed_on(derived.model, boundary_between(derived, event), event.microbatch, replica);
}

Transfer AnalyticCostModel::transfer(const Outline& derived, const Event& event, ReplicaId replica) const {
  if (event.kind == EventKind::DpReduce) return reductions_[event.stage.index()];
  if (event.rank == event.peer_rank) return {};
  const Bytes payload = received(derived, event, replica);
  Seconds slowest;  // of the pairs of counterparts
  for (std::uint32_t member = 0; member < grid_.members; ++member) {
    const Tier& tier = tier_between(platform_, grid_.device(event.rank, replica, member),
                                    grid_.device(event.peer_rank, replica, member));
    const CollectiveTime& link = links_[static_cast<std::size_t>(&tier - platform_.tiers.data())];
    slowest = std::max(slowest, link(payload).time);
  }
  return {slowest, payload};
}

ModelState AnalyticCostModel::model_state(const Outline&, StageId stage) const {
  return states_[stage.index()];
}

Bytes AnalyticCostModel::workspace(const Outline&, RankId rank) const {
  return gradient_placeholders(trained_[rank.index()]);
}

// Tokens of a tensor-parallel group; of the patches, each member's own.
Held AnalyticCostModel::held(const Slab& slab, MicrobatchId microbatch, ReplicaId replica) const {
  if (blocks_[slab.block].stack.unit == LoadUnit::Token) {
    const TokenLoad& tokens = loads_->tokens(replica, microbatch);
    const double here = tokens.sequence / parallelism_.context;
    return slab.memory({here, here * tokens.length()});
  }
  const auto in_all = [](const Held& held) {
    return held.activations + held.recomputed + std::max(held.forward_workspace, held.backward_workspace);
  };
  Held most;
  for (const DeviceImages& member : loads_->devices(slab.block, loads_->cell(replica, microbatch))) {
    const Held held = slab.memory({member.patches, pairs_of(member.images)});
    if (in_all(held) > in_all(most)) most = held;
  }
  return most;
}

Held AnalyticCostModel::held(const Outline&, StageId stage, MicrobatchId microbatch,
                             ReplicaId replica) const {
  Held total;
  for (std::size_t i = first_part_[stage.index()]; i < first_part_[stage.index() + 1]; ++i)
    total += held(slabs_[parts_[i].slab], microbatch, replica);
  return total;
}

}  // namespace spillway
