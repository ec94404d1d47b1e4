#include "cost/given.h"

#include "base/error.h"

namespace spillway {
namespace {

double work_factor(const BlockProfile& profile, MicrobatchId microbatch, ReplicaId replica) {
  if (profile.work.empty()) return 1;
  return profile.work[profile.work.size() == 1 ? 0 : replica.index()][microbatch.index()];
}

bool counts(const Block& block, EncoderWork work) {
  return work == EncoderWork::Counted || block.role != Role::Encoder;
}

}  // namespace

Seconds GivenCostModel::forward(const Derived& derived, StageId stage, MicrobatchId microbatch,
                                ReplicaId replica, EncoderWork work) const {
  const LayerRange layers = derived.stage(stage).layers;
  Seconds total;
  for (std::size_t block = 0; block < costs_.blocks.size(); ++block) {
    const std::uint32_t held = derived.model.part_of(block, layers).size();
    if (held == 0 || !counts(derived.model.blocks()[block], work)) continue;
    const BlockProfile& profile = costs_.blocks[block];
    total += profile.forward * (held * work_factor(profile, microbatch, replica));
  }
  return total;
}

Seconds GivenCostModel::backward(const Derived& derived, StageId stage, MicrobatchId microbatch,
                                 ReplicaId replica, EncoderWork work) const {
  const LayerRange layers = derived.stage(stage).layers;
  Seconds total;
  bool trainable_before = derived.model.trainable({0, layers.first});
  for (std::size_t block = 0; block < costs_.blocks.size(); ++block) {
    const LayerRange held = derived.model.part_of(block, layers);
    if (held.size() == 0) continue;
    const Block& described = derived.model.blocks()[block];
    const BlockProfile& profile = costs_.blocks[block];
    Seconds per_layer;
    if (described.trainable) per_layer += profile.weight_gradient;
    if (described.trainable || trainable_before) per_layer += profile.input_gradient;
    trainable_before = trainable_before || described.trainable;
    if (counts(described, work))
      total += per_layer * (held.size() * work_factor(profile, microbatch, replica));
  }
  return total;
}

Transfer GivenCostModel::transfer(const Derived& derived, const Event& event, ReplicaId) const {
  const std::uint32_t replicas = derived.pipeline.replicas * costs_.equal_replicas;
  const std::uint32_t members =
      event.group == Group::ReplicaGroup ? derived.pipeline.ranks * replicas : replicas;
  const bool moves = event.kind == EventKind::DpReduce ? members > 1 : event.rank != event.peer_rank;
  return {moves ? costs_.p2p : Seconds(), Bytes()};
}

}  // namespace spillway
