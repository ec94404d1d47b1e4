#include "cost/seam_transfers.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "cost/layers/conventions.h"
#include "cost/network/stage_groups.h"

namespace spillway {
namespace {

Bytes bf16(double elements) {
  return kElement * elements;
}

// DeepStack adds one of a tower's side features behind each of the backbone's first layers. Returns how many
// of them later layers still take; zero within a tower, whose own stack carries them.
std::uint32_t side_features(const StageSlabs& stages, const Model& model, const Boundary& boundary) {
  for (std::size_t i = boundary.producer; i-- > 0;) {
    const StageSlabs::Block& tower = stages.blocks[i];
    if (!tower.over_patches() || stages.blocks[boundary.producer].over_patches()) continue;
    if (tower.stack->side_outputs == 0) continue;
    const StageSlabs::Block& fed = stages.blocks[fed_block(model, i)];
    const std::uint32_t first = fed.layers.first + fed.stack->before_decoder;
    const std::uint32_t taken = boundary.layer > first ? boundary.layer - first : 0;
    return tower.stack->side_outputs > taken ? tower.stack->side_outputs - taken : 0;
  }
  return 0;
}

Boundary boundary_before(const Model& model, std::uint32_t layer) {
  Boundary boundary{layer, 0};
  while (model.layers_of(boundary.producer).end < layer) ++boundary.producer;
  return boundary;
}

// Returns true if the stage's region has some of these layers.
bool is_in_region(const Outline& outline, StageId stage, LayerRange layers) {
  const LayerRange region = outline.region_of(stage).layers;
  return region.first < layers.end && layers.first < region.end;
}

// Elements per token or patch that pass the boundary beside the layer's output.
double carried(const StageSlabs& stages, const Boundary& boundary) {
  const StageSlabs::Block& block = stages.blocks[boundary.producer];
  const std::size_t behind = boundary.layer - 1 - block.layers.first;
  return behind < block.stack->carried.size() ? block.stack->carried[behind] : 0;
}

}  // namespace

Boundary boundary_of(const Outline& outline, const Event& transfer) {
  return boundary_before(outline.model, std::min(outline.stage(transfer.stage).layers.end,
                                                 outline.stage(transfer.peer_stage).layers.end));
}

SeamTransfers::SeamTransfers(const AnalyticCosts& costs, const Outline& outline,
                             std::shared_ptr<const StageSlabs> stages, std::shared_ptr<const DrawLoads> loads)
    : outline_(outline),
      stages_(std::move(stages)),
      loads_(std::move(loads)),
      of_hosts_(on_host(costs.framework.message.value, costs.platform.accelerator)) {
  for (std::uint32_t layer = 0; layer < outline.model.layer_count(); ++layer)
    side_features_.push_back(side_features(*stages_, outline.model, boundary_before(outline.model, layer)));
  std::uint32_t nearer = 1;  // devices that the tier before joins
  for (const Tier& tier : costs.platform.tiers)
    links_.push_back({tier.devices, point_to_point(costs.platform, DeviceId(0),
                                                   DeviceId(std::exchange(nearer, tier.devices)))});
  const Parallelism& parallelism = stages_->parallelism;
  if (!costs.framework.scatter_gather || parallelism.sequence_parallel || parallelism.tensor == 1) return;
  for (std::uint32_t rank = 0; rank < outline.pipeline.ranks; ++rank) {
    std::vector<CollectiveTime>& own = gathers_.emplace_back();
    for (const DeviceGroup& group :
         adjacent_groups(costs.platform, stages_->grid, RankId(rank), parallelism.tensor))
      own.push_back(collective_time(costs.platform, CollectiveOperation::AllGather, group));
  }
}

bool SeamTransfers::scatters(const Event& event) const {
  return !gathers_.empty() && !stages_->blocks[boundary_of(outline_, event).producer].over_patches();
}

Seconds SeamTransfers::gather(RankId receiver, Bytes whole) const {
  Seconds slowest;
  for (const CollectiveTime& time : gathers_[receiver.index()]) slowest = std::max(slowest, time(whole).time);
  return slowest;
}

double SeamTransfers::most_patches(std::size_t block, const Event& event, ReplicaId replica) const {
  double most = 0;
  for (const DeviceImages& member : loads_->devices(block, loads_->cell(replica, event.microbatch)))
    most = std::max(most, member.patches);
  return most;
}

Bytes SeamTransfers::input(const Event& event, ReplicaId replica) const {
  if (!outline_.sends_input(event)) return {};
  Bytes all;
  for (std::size_t i = 0; i < stages_->blocks.size(); ++i) {
    const StageSlabs::Block& block = stages_->blocks[i];
    if (i > 0 && !outline_.model.blocks()[i - 1].beside_next) break;  // only the towers read input
    if (!is_in_region(outline_, event.stage, block.layers)) continue;
    const double units = block.over_patches() ? most_patches(i, event, replica)
                                              : loads_->tokens(replica, event.microbatch).sequence /
                                                    stages_->parallelism.context;
    all += block.stack->input * units;
  }
  return all;
}

// A tower's output, on each member of the group.
Bytes SeamTransfers::features(std::size_t tower, const Event& event, ReplicaId replica) const {
  const LayerStack& stack = *stages_->blocks[tower].stack;
  return bf16(loads_->media_tokens(stack.modality, replica, event.microbatch) * stack.output_width *
              (1 + stack.side_outputs) / stages_->grid.members);
}

// Returns true if the output of a tower `other` before `tower` travels on beside its own. Transposed towers
// hand over by themselves.
bool SeamTransfers::passes(std::size_t other, std::size_t tower, const Event& event) const {
  const StageId earlier = std::min(event.stage, event.peer_stage);
  const bool apart =
      outline_.is_input(earlier) && !is_in_region(outline_, earlier, stages_->blocks[other].layers);
  return !apart && fed_block(outline_.model, other) > tower;
}

Bytes SeamTransfers::passing(std::size_t tower, const Event& event, ReplicaId replica) const {
  Bytes all;
  for (std::size_t i = 0; i < tower; ++i)
    if (passes(i, tower, event)) all += features(i, event, replica);
  return all;
}

Bytes SeamTransfers::output(const Event& event, ReplicaId replica) const {
  const Boundary boundary = boundary_of(outline_, event);
  const StageSlabs::Block& block = stages_->blocks[boundary.producer];
  const Parallelism& parallelism = stages_->parallelism;
  const double members = stages_->grid.members;
  if (!block.over_patches()) {
    const bool shared = parallelism.sequence_parallel || scatters(event);
    const double sharers = shared ? members : parallelism.context;
    const double of_tokens = loads_->tokens(replica, event.microbatch).sequence *
                             (block.stack->width + carried(*stages_, boundary)),
                 of_images = loads_->media_tokens(Modality::Vision, replica, event.microbatch) *
                             block.stack->width * side_features_[boundary.layer];
    return bf16((of_tokens + of_images) / sharers);
  }
  const Bytes beside = passing(boundary.producer, event, replica);
  if (block.layers.end == boundary.layer) return features(boundary.producer, event, replica) + beside;
  return bf16(most_patches(boundary.producer, event, replica) *
              (block.stack->width + carried(*stages_, boundary))) +
         beside;
}

std::optional<MessageSize::Shape> SeamTransfers::shape(const Event& event, ReplicaId replica) const {
  const Boundary boundary = boundary_of(outline_, event);
  const StageSlabs::Block& block = stages_->blocks[boundary.producer];
  const bool after_tower = block.over_patches() && block.layers.end == boundary.layer;
  const bool more = after_tower ? block.stack->side_outputs > 0
                                : carried(*stages_, boundary) > 0 || side_features_[boundary.layer] > 0;
  if (more || (block.over_patches() && passing(boundary.producer, event, replica) > Bytes())) return {};
  const double columns = after_tower ? block.stack->output_width : block.stack->width;
  const double rows = output(event, replica) / bf16(columns);
  if (rows != std::floor(rows)) return {};
  return MessageSize::Shape{static_cast<std::uint64_t>(rows), static_cast<std::uint64_t>(columns)};
}

Bytes SeamTransfers::received(const Event& event, ReplicaId replica) const {
  return output(event, replica) * (scatters(event) ? stages_->parallelism.tensor : 1);
}

const CollectiveTime& SeamTransfers::link(DeviceId a, DeviceId b) const {
  const auto joins = [&](const Link& link) { return a.index() / link.devices == b.index() / link.devices; };
  return std::ranges::find_if(links_, joins)->message;
}

Transfer SeamTransfers::of(const Event& event, ReplicaId replica) const {
  if (event.rank == event.peer_rank) return {};
  const Bytes moved = payload(event, replica);
  const DeviceGrid& grid = stages_->grid;
  // It divides the size of every other tier.
  const std::uint32_t innermost = links_.front().devices;
  Seconds slowest;  // among the pairs of counterparts
  for (std::uint32_t member = 0; member < grid.members;) {
    const DeviceId from = grid.device(event.rank, replica, member),
                   to = grid.device(event.peer_rank, replica, member);
    slowest = std::max(slowest, link(from, to)(moved).time);
    // The next pairs cross the same tiers, until one of the two enters another group.
    member += innermost - std::max(from.index() % innermost, to.index() % innermost);
  }
  if (scatters(event)) slowest += gather(event.peer_rank, received(event, replica));
  return {slowest + of_hosts_, moved};
}

bool SeamTransfers::equal_payloads(const Event& event) const {
  const Boundary boundary = boundary_of(outline_, event);
  const StageSlabs::Block& producer = stages_->blocks[boundary.producer];
  if (!producer.over_patches())
    return loads_->equal_tokens() && (side_features(*stages_, outline_.model, boundary) == 0 ||
                                      loads_->equal_media_tokens(Modality::Vision));
  for (std::size_t i = 0; i <= boundary.producer; ++i)
    if (passes(i, boundary.producer, event) &&
        !loads_->equal_media_tokens(stages_->blocks[i].stack->modality))
      return false;
  return producer.layers.end == boundary.layer && !outline_.sends_input(event);
}

bool SeamTransfers::uniform(const Event& event) const {
  if (event.rank == event.peer_rank) return true;
  if (!equal_payloads(event)) return false;
  const Seconds first = of(event, ReplicaId(0)).alone;
  for (std::uint32_t replica = 1; replica < outline_.pipeline.replicas; ++replica)
    if (of(event, ReplicaId(replica)).alone != first) return false;
  return true;
}

}  // namespace spillway
