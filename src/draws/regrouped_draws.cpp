#include "draws/regrouped_draws.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/error.h"
#include "base/stopwatch.h"
#include "cost/layers/conventions.h"
#include "cost/network/collectives.h"
#include "model/model.h"

namespace spillway {
namespace {

using Rule = Regrouping::Rule;

Regrouped regrouped(const Regrouping& rule, const Draw& draw, Packing packing) {
  const auto replicas = static_cast<std::uint32_t>(draw.size());
  const std::uint32_t together = rule.together > 0 ? rule.together : replicas;
  switch (rule.rule) {
    case Rule::AsDrawn:
      break;
    case Rule::EachPhase:
      return balanced_by_phase(draw, packing, together);
    case Rule::Stratified:
      return stratified(draw, packing, together, Deferral::None);
    case Rule::Deferred:
      return stratified(draw, packing, together, Deferral::Pairwise);
    case Rule::Pooled:
      return pooled(draw, together, rule.stride);
    case Rule::DealtAndPooled:
      return pooled(stratified(draw, packing, replicas, Deferral::None).draw, together, rule.stride);
    case Rule::Spread:
      return spread(draw, together, rule.stride);
  }
  throw ContractBreach("no rule that moves samples");
}

std::uint32_t group_of(const Outline& outline) {
  const std::uint32_t together = outline.regrouping.together;
  return together > 0 ? together : outline.pipeline.replicas;
}

// Returns the most patches that a replica of the group sends or receives.
std::uint64_t busiest(const std::vector<std::vector<SeamTraffic>>& traffic, std::uint32_t first,
                      std::uint32_t together, std::uint32_t microbatch) {
  std::uint64_t most = 0;
  for (std::uint32_t replica = first; replica < first + together; ++replica)
    most = std::max(most, traffic[replica][microbatch].busier());
  return most;
}

// Returns the exchange with each time from `price`, given the first replica of a group and the bytes that
// leave the busiest replica. `per_patch` is in bytes per device.
template <class Price>
SampleExchange exchange(const Outline& outline, const std::vector<std::vector<SeamTraffic>>& traffic,
                        Bytes per_patch, const Price& price) {
  SampleExchange all;
  const std::uint32_t together = group_of(outline);
  if (traffic.empty() || together < 2) return all;
  const auto [ranks, microbatches, replicas] = outline.pipeline;
  all.time.assign(replicas, std::vector<Seconds>(microbatches));
  all.moved.assign(replicas, std::vector<Bytes>(microbatches));
  for (std::uint32_t replica = 0; replica < replicas; ++replica)
    for (std::uint32_t m = 0; m < microbatches; ++m) {
      const std::uint32_t first = replica / together * together;
      all.time[replica][m] =
          price(first, per_patch * static_cast<double>(busiest(traffic, first, together, m)));
      all.moved[replica][m] = per_patch * static_cast<double>(traffic[replica][m].sent);
    }
  return all;
}

}  // namespace

SampledDraw regrouped_draw(const Regrouping& rule, const Draw& draw, Packing packing) {
  const Stopwatch planning;
  Regrouped made = regrouped(rule, draw, packing);
  return {std::move(made), planning.seconds()};
}

std::vector<StageId> stages_behind_encoder(const Outline& outline) {
  const std::uint32_t first = leading_encoder_layers(outline.model);
  std::vector<StageId> stages;
  if (first == 0) return stages;
  for (std::uint32_t id = 0; id < outline.stages.size(); ++id)
    if (const LayerRange layers = outline.stages[id].layers; layers.first <= first && first < layers.end)
      stages.emplace_back(id);
  return stages;
}

SampleExchange sample_exchange(const AnalyticCosts& costs, const Outline& outline,
                               const std::vector<std::vector<SeamTraffic>>& traffic,
                               std::uint32_t patches_per_token) {
  const std::vector<StageId> stages = stages_behind_encoder(outline);
  if (stages.empty()) return {};
  const std::uint32_t together = group_of(outline);
  const DeviceGrid grid = device_grid(costs, outline.pipeline);
  const RankId rank = outline.stage(stages.front()).rank;
  const std::uint32_t last = leading_encoder_layers(outline.model) - 1;
  std::size_t block = 0;
  while (outline.model.layers_of(block).end <= last) ++block;
  const SharedStack encoder = costs.stacks->trained(costs.blocks[block].trained());
  const Bytes per_patch = kElement * (static_cast<double>(encoder->output_width) *
                                      (1 + encoder->side_outputs) / patches_per_token / grid.members);
  std::map<std::uint32_t, CollectiveTime> times;  // by the first replica of a group
  return exchange(outline, traffic, per_patch, [&](std::uint32_t first, Bytes leaves) {
    const auto [known, fresh] = times.try_emplace(first);
    if (fresh)
      known->second = collective_time(costs.platform, CollectiveOperation::AllToAll,
                                      {grid.device(rank, ReplicaId(first), 0), together, grid.members});
    // A device has an equal part for every device of the group, itself included.
    return known->second(leaves * (static_cast<double>(together) / (together - 1))).time *
           costs.what_if_inner_collective_time;
  });
}

SampleExchange sample_exchange(const GivenCosts& costs, const Outline& outline,
                               const std::vector<std::vector<SeamTraffic>>& traffic) {
  Bytes per_patch;
  for (const BlockProfile& block : costs.blocks)
    if (block.image_work) per_patch = block.output * (1.0 / block.image_work->profile_patches);
  return exchange(outline, traffic, per_patch, [&](std::uint32_t, Bytes) { return costs.p2p; });
}

}  // namespace spillway
