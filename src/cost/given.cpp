#include "cost/given.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "cost/seam_transfers.h"

namespace spillway {
namespace {

// Null if every microbatch has work 1.
const std::vector<double>* list_of(const std::vector<std::vector<double>>& work, ReplicaId replica) {
  if (work.empty()) return nullptr;
  return &work[work.size() == 1 ? 0 : replica.index()];
}

// The size of a microbatch, relative to one of work 1.
double size_of(const BlockProfile& profile, MicrobatchId microbatch, ReplicaId replica) {
  const std::vector<double>* const work = list_of(profile.work, replica);
  return profile.backward_work.empty() && work ? (*work)[microbatch.index()] : 1;
}

const std::vector<std::vector<double>>& work_of(const BlockProfile& profile, Pass pass) {
  return pass == Pass::Forward || profile.backward_work.empty() ? profile.work : profile.backward_work;
}

// The time of one layer on one microbatch of work 1.
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

// The share of the shorter of forward and backward that the longer one hides.
double hidden_share(const BlockProfile& profile) {
  if (!profile.fused_forward_backward) return 0;
  const Seconds backward = profile.input_gradient + profile.weight_gradient;
  const Seconds shorter = std::min(profile.forward, backward);
  if (shorter == Seconds()) return 0;
  return (profile.forward + backward - *profile.fused_forward_backward) / shorter;
}

// The memory of one layer and a microbatch of work 1.
Held held_by_layer(const BlockProfile& profile, bool trained) {
  const Bytes activations = profile.activation.value_or(Bytes(1));
  Held held{activations, Bytes(), Bytes()};
  if (trained) held.for_weight_gradient = weight_gradient_activation(profile);
  return held;
}

}  // namespace

bool is_drawn(const GivenCosts& costs) {
  return std::any_of(costs.blocks.begin(), costs.blocks.end(), [](const BlockProfile& block) {
    return !block.measured_work.empty() || block.image_work.has_value();
  });
}

Bytes weight_gradient_activation(const BlockProfile& profile) {
  if (!profile.activation) return Bytes(0.5);
  return profile.weight_gradient_activation.value_or(*profile.activation / 2);
}

bool states_memory(const GivenCosts& costs, const Model& model) {
  for (std::size_t block = 0; block < costs.blocks.size(); ++block)
    if (!costs.blocks[block].activation && passes_gradient(model, block)) return false;
  return true;
}

GivenCostModel::GivenCostModel(GivenCosts costs, const Outline& outline)
    : GivenCostModel(std::make_shared<const GivenCosts>(std::move(costs)), outline) {}

GivenCostModel::GivenCostModel(std::shared_ptr<const GivenCosts> costs, const Outline& outline)
    : shared_(std::move(costs)), costs_(*shared_), outline_(outline) {
  ensure(!is_drawn(costs_), "work is drawn before it is priced");
}

// The part of one block in a stage, under one pass.
struct GivenCostModel::BlockPass {
  Seconds layer;
  std::uint32_t layers;
  const std::vector<double>* work;  // by microbatch; null: 1

  Seconds on(MicrobatchId microbatch) const {
    if (layers == 0) return Seconds();
    return layer * (layers * (work ? (*work)[microbatch.index()] : 1));
  }
};

GivenCostModel::BlockPass GivenCostModel::block_pass(std::size_t block, Pass pass, StageId stage,
                                                     ReplicaId replica) const {
  const LayerRange held = outline_.model.part_of(block, outline_.stage(stage).layers);
  if (held.size() == 0) return {};
  const BlockProfile& profile = costs_.blocks[block];
  const bool trainable = outline_.model.blocks()[block].trainable;
  const bool input = pass != Pass::Forward && passes_gradient(outline_.model, block);
  return {layer_time(profile, pass, input, trainable), held.size(), list_of(work_of(profile, pass), replica)};
}

Seconds GivenCostModel::pass(Pass pass, StageId stage, MicrobatchId microbatch, ReplicaId replica) const {
  Seconds total;
  for (std::size_t block = 0; block < costs_.blocks.size(); ++block)
    total += block_pass(block, pass, stage, replica).on(microbatch);
  return total;
}

void GivenCostModel::passes(Pass which, StageId stage, ReplicaId replica,
                            std::span<const MicrobatchId> microbatches, SecondsApart out) const {
  for (std::size_t i = 0; i < microbatches.size(); ++i) out[i] = 0;
  for (std::size_t block = 0; block < costs_.blocks.size(); ++block) {
    const BlockPass part = block_pass(block, which, stage, replica);
    if (part.layers == 0) continue;
    for (std::size_t i = 0; i < microbatches.size(); ++i) out[i] += part.on(microbatches[i]).value();
  }
}

Seconds GivenCostModel::overlapped(const Event& event, ReplicaId replica) const {
  Seconds forward, backward, hiding;  // hiding: time of both passes x the share that each block hides
  for (std::size_t block = 0; block < costs_.blocks.size(); ++block) {
    const Seconds f = block_pass(block, Pass::Forward, event.stage, replica).on(event.microbatch);
    const Seconds b = block_pass(block, Pass::Backward, event.peer_stage, replica).on(event.peer_microbatch);
    forward += f;
    backward += b;
    hiding += hidden_share(costs_.blocks[block]) * (f + b);
  }
  const Seconds both = forward + backward;
  if (both == Seconds()) return both;
  return std::max(Seconds(), both - hiding / both * std::min(forward, backward));
}

// Returns true if the event runs between two ranks, or in a group of more than one.
bool GivenCostModel::moves(const Event& event) const {
  if (!event.in_group()) return event.rank != event.peer_rank;
  const std::uint32_t replicas = outline_.pipeline.replicas * costs_.equal_replicas;
  const std::uint32_t holders =
      event.group == Group::ReplicaGroup ? outline_.pipeline.ranks : event.holders();
  return holders > 1 || (event.kind != EventKind::Broadcast && replicas > 1);
}

Transfer GivenCostModel::transfer(const Event& event, ReplicaId) const {
  const Seconds time = event.in_group() ? costs_.reduction.value_or(costs_.p2p) : costs_.p2p;
  return {moves(event) ? time : Seconds(), Bytes()};
}

bool GivenCostModel::same_transfers(const Event& a, const Event& b) const {
  return a.in_group() == b.in_group() && moves(a) == moves(b);
}

// The output of the block of the layer before the seam.
Bytes GivenCostModel::received(const Event& event, ReplicaId replica) const {
  const BlockProfile& profile = costs_.blocks[boundary_of(outline_, event).producer];
  return profile.output * size_of(profile, event.microbatch, replica);
}

MessageSize GivenCostModel::message(const Event& event, ReplicaId replica) const {
  const Bytes output = received(event, replica);
  return output > Bytes() ? MessageSize{output} : MessageSize{};
}

bool GivenCostModel::uniform_on(StageId stage) const {
  for (std::size_t block = 0; block < costs_.blocks.size(); ++block) {
    const BlockProfile& profile = costs_.blocks[block];
    if (profile.work.empty() && profile.backward_work.empty()) continue;
    if (outline_.model.part_of(block, outline_.stage(stage).layers).size() > 0) return false;
  }
  return true;
}

bool GivenCostModel::uniform(const Event& event) const {
  if (!event.computes()) return true;
  const bool two = event.kind == EventKind::ForwardBackward;
  return uniform_on(event.stage) && (!two || uniform_on(event.peer_stage));
}

bool GivenCostModel::same_passes(StageId a, StageId b) const {
  for (std::size_t block = 0; block < costs_.blocks.size(); ++block) {
    const LayerRange of_a = outline_.model.part_of(block, outline_.stage(a).layers),
                     of_b = outline_.model.part_of(block, outline_.stage(b).layers);
    if (of_a.size() != of_b.size()) return false;
  }
  return true;
}

StageId GivenCostModel::like(StageId stage) const {
  for (std::uint32_t other = 0; other < stage.index(); ++other)
    if (same_passes(StageId(other), stage)) return StageId(other);
  return stage;
}

ModelState GivenCostModel::model_state(StageId stage) const {
  ModelState total;
  for (std::size_t block = 0; block < costs_.blocks.size(); ++block) {
    const double layers = outline_.model.part_of(block, outline_.stage(stage).layers).size();
    const bool trained = outline_.model.blocks()[block].trainable && outline_.trains(outline_.stage(stage));
    const ModelState& layer = costs_.blocks[block].state;
    total.parameters += layer.parameters * layers;
    if (trained) total.gradients += layer.gradients * layers;
    if (trained) total.optimizer += layer.optimizer * layers;
  }
  return total;
}

Held GivenCostModel::held(StageId stage, MicrobatchId microbatch, ReplicaId replica) const {
  Held total;
  for (std::size_t index = 0; index < costs_.blocks.size(); ++index) {
    const LayerRange layers = outline_.model.part_of(index, outline_.stage(stage).layers);
    if (layers.size() == 0 || !passes_gradient(outline_.model, index)) continue;
    const Block& block = outline_.model.blocks()[index];
    const BlockProfile& profile = costs_.blocks[index];
    total +=
        held_by_layer(profile, block.trainable) * (layers.size() * size_of(profile, microbatch, replica));
  }
  return total;
}

bool GivenCostModel::holds_alike(StageId stage) const {
  return uniform_on(stage);
}

}  // namespace spillway
