#include "cost/given.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "cost/given_draws.h"

namespace spillway {
namespace {

double factor(const std::vector<std::vector<double>>& work, MicrobatchId microbatch, ReplicaId replica) {
  if (work.empty()) return 1;
  return work[work.size() == 1 ? 0 : replica.index()][microbatch.index()];
}

// How large the microbatch is, beside one of work 1.
double size_of(const BlockProfile& profile, MicrobatchId microbatch, ReplicaId replica) {
  return profile.backward_work.empty() ? factor(profile.work, microbatch, replica) : 1;
}

const std::vector<std::vector<double>>& work_of(const BlockProfile& profile, Pass pass) {
  return pass == Pass::Forward || profile.backward_work.empty() ? profile.work : profile.backward_work;
}

// Of one layer, on one microbatch of work 1.
Seconds layer_time(const BlockProfile& profile, Pass pass, bool input_gradient, bool weight_gradient) {
  const Seconds input = input_gradient ? profile.input_gradient : Seconds();
  const Seconds weight = weight_gradient ? profile.weight_gradient : Seconds();
  switch (pass) {
    case Pass::Forward:
      return profile.forward;
    case Pass::InputGradient:
      return input;
    case Pass::WeightGradient:
      return weight;
    case Pass::Backward:
      return weight + input;
  }
  throw ContractBreach("unknown pass");
}

// What of the shorter of a forward and a backward the longer one hides.
double hidden_share(const BlockProfile& profile) {
  if (!profile.fused_forward_backward) return 0;
  const Seconds backward = profile.input_gradient + profile.weight_gradient;
  const Seconds shorter = std::min(profile.forward, backward);
  if (shorter == Seconds()) return 0;
  return (profile.forward + backward - *profile.fused_forward_backward) / shorter;
}

// Of one layer and a microbatch of work 1.
Held held_by_layer(const BlockProfile& profile, bool trained) {
  const Bytes activations = profile.activation.value_or(Bytes(1));
  Held held{activations, Bytes(), Bytes()};
  if (trained) held.for_weight_gradient = weight_gradient_activation(profile);
  return held;
}

}  // namespace

Bytes weight_gradient_activation(const BlockProfile& profile) {
  if (!profile.activation) return Bytes(0.5);
  return profile.weight_gradient_activation.value_or(*profile.activation / 2);
}

bool states_memory(const GivenCosts& costs, const Model& model) {
  for (std::size_t block = 0; block < costs.blocks.size(); ++block)
    if (!costs.blocks[block].activation && model.trainable({0, model.layers_of(block).end})) return false;
  return true;
}

GivenCostModel::GivenCostModel(GivenCosts costs) : costs_(std::move(costs)) {
  ensure(!is_drawn(costs_), "work is drawn before it is priced");
}

Seconds GivenCostModel::block_pass(const Outline& derived, std::size_t block, Pass pass, StageId stage,
                                   MicrobatchId microbatch, ReplicaId replica) const {
  const LayerRange held = derived.model.part_of(block, derived.stage(stage).layers);
  if (held.size() == 0) return Seconds();
  const BlockProfile& profile = costs_.blocks[block];
  const bool trainable = derived.model.blocks()[block].trainable;
  const bool input = pass != Pass::Forward && derived.model.trainable({0, held.end});
  return layer_time(profile, pass, input, trainable) *
         (held.size() * factor(work_of(profile, pass), microbatch, replica));
}

Seconds GivenCostModel::pass(const Outline& derived, Pass pass, StageId stage, MicrobatchId microbatch,
                             ReplicaId replica) const {
  Seconds total;
  for (std::size_t block = 0; block < costs_.blocks.size(); ++block)
    total += block_pass(derived, block, pass, stage, microbatch, replica);
  return total;
}

Seconds GivenCostModel::overlapped(const Outline& derived, const Event& event, ReplicaId replica) const {
  Seconds forward, backward, hiding;  // hiding: of both passes, by the share that each block hides
  for (std::size_t block = 0; block < costs_.blocks.size(); ++block) {
    const Seconds f = block_pass(derived, block, Pass::Forward, event.stage, event.microbatch, replica);
    const Seconds b =
        block_pass(derived, block, Pass::Backward, event.peer_stage, event.peer_microbatch, replica);
    forward += f;
    backward += b;
    hiding += hidden_share(costs_.blocks[block]) * (f + b);
  }
  const Seconds both = forward + backward;
  if (both == Seconds()) return both;
  return std::max(Seconds(), both - hiding / both * std::min(forward, backward));
}

Transfer GivenCostModel::transfer(const Outline& derived, const Event& event, ReplicaId) const {
  const std::uint32_t replicas = derived.pipeline.replicas * costs_.equal_replicas;
  const std::uint32_t holders = event.group == Group::ReplicaGroup ? derived.pipeline.ranks
                                : event.rank == event.peer_rank    ? 1
                                                                   : 2;
  const std::uint32_t members = holders * replicas;
  const bool moves = event.kind == EventKind::DpReduce ? members > 1 : event.rank != event.peer_rank;
  const Seconds time = event.kind == EventKind::DpReduce ? costs_.reduction.value_or(costs_.p2p) : costs_.p2p;
  return {moves ? time : Seconds(), Bytes()};
}

// Of the block of the layer before the seam.
Bytes GivenCostModel::received(const Outline& derived, const Event& event, ReplicaId replica) const {
  const std::uint32_t boundary =
      std::max(derived.stage(event.stage).layers.first, derived.stage(event.peer_stage).layers.first);
  std::size_t producer = 0;
  while (derived.model.layers_of(producer).end < boundary) ++producer;
  const BlockProfile& profile = costs_.blocks[producer];
  return profile.output * size_of(profile, event.microbatch, replica);
}

bool GivenCostModel::uniform_on(const Outline& derived, StageId stage) const {
  for (std::size_t block = 0; block < costs_.blocks.size(); ++block) {
    const BlockProfile& profile = costs_.blocks[block];
    if (profile.work.empty() && profile.backward_work.empty()) continue;
    if (derived.model.part_of(block, derived.stage(stage).layers).size() > 0) return false;
  }
  return true;
}

bool GivenCostModel::uniform(const Outline& derived, const Event& event) const {
  if (!event.computes()) return true;
  const bool two = event.kind == EventKind::ForwardBackward;
  return uniform_on(derived, event.stage) && (!two || uniform_on(derived, event.peer_stage));
}

ModelState GivenCostModel::model_state(const Outline& derived, StageId stage) const {
  ModelState total;
  for (std::size_t block = 0; block < costs_.blocks.size(); ++block) {
    const double layers = derived.model.part_of(block, derived.stage(stage).layers).size();
    const bool trained = derived.model.blocks()[block].trainable;
    const ModelState& layer = costs_.blocks[block].state;
    total.parameters += layer.parameters * layers;
    if (trained) total.gradients += layer.gradients * layers;
    if (trained) total.optimizer += layer.optimizer * layers;
  }
  return total;
}

Held GivenCostModel::held(const Outline& derived, StageId stage, MicrobatchId microbatch,
                          ReplicaId replica) const {
  Held total;
  for (std::size_t index = 0; index < costs_.blocks.size(); ++index) {
    const LayerRange layers = derived.model.part_of(index, derived.stage(stage).layers);
    if (layers.size() == 0 || !derived.model.trainable({0, layers.end})) continue;
    const Block& block = derived.model.blocks()[index];
    const BlockProfile& profile = costs_.blocks[index];
    total +=
        held_by_layer(profile, block.trainable) * (layers.size() * size_of(profile, microbatch, replica));
  }
  return total;
}

bool GivenCostModel::holds_alike(const Outline& derived, StageId stage) const {
  return uniform_on(derived, stage);
}

}  // namespace spillway
