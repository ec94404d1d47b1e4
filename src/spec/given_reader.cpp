// Blocks with given durations: one layer on one microbatch, times a factor for each microbatch.
#include "spec/blocks.h"

namespace spillway {
namespace {

struct GivenBlock {
  Block block;
  BlockProfile profile;
};

std::optional<Seconds> read_milliseconds(const Place& place) {
  const auto value = read_number(place, kNotNegative);
  return value ? std::optional(milliseconds(*value)) : std::nullopt;
}

std::optional<Bytes> read_bytes(const Place& place) {
  const auto value = read_number(place, kNotNegative);
  return value ? std::optional(Bytes(*value)) : std::nullopt;
}

std::optional<BlockProfile> read_profile(const Place& place) {
  const Fields fields(
      place, {"forward_ms", "input_gradient_ms", "weight_gradient_ms", "fused_forward_backward_ms",
              "activation_bytes", "weight_gradient_activation_bytes", "parameter_bytes", "gradient_bytes",
              "optimizer_bytes"});
  const auto forward = fields.need("forward_ms", read_milliseconds);
  const auto input_gradient = fields.need("input_gradient_ms", read_milliseconds);
  const auto weight_gradient = fields.need("weight_gradient_ms", read_milliseconds);
  BlockProfile profile;
  profile.fused_forward_backward = fields.get("fused_forward_backward_ms", read_milliseconds);
  profile.activation = fields.get("activation_bytes", read_bytes);
  profile.weight_gradient_activation = fields.get("weight_gradient_activation_bytes", read_bytes);
  if (profile.weight_gradient_activation && profile.activation &&
      *profile.weight_gradient_activation > *profile.activation)
    fields.at("weight_gradient_activation_bytes")->refuse("at most activation_bytes, a part of them");
  profile.state = {fields.get("parameter_bytes", read_bytes).value_or(Bytes()),
                   fields.get("gradient_bytes", read_bytes).value_or(Bytes()),
                   fields.get("optimizer_bytes", read_bytes).value_or(Bytes())};
  if (!forward || !input_gradient || !weight_gradient) return std::nullopt;
  profile.forward = *forward;
  profile.input_gradient = *input_gradient;
  profile.weight_gradient = *weight_gradient;
  return profile;
}

std::optional<std::vector<double>> read_factors(const Place& place, const std::optional<Pipeline>& pipeline) {
  auto factors = read_each(place, [](const Place& p) { return read_number(p, kNotNegative); });
  if (factors && pipeline && factors->size() != pipeline->microbatches) {
    place.refuse("a list of " + std::to_string(pipeline->microbatches) + ", one factor per microbatch");
    return std::nullopt;
  }
  return factors;
}

using Work = std::vector<std::vector<double>>;

std::optional<Work> read_replica_factors(const Place& place, const std::optional<Pipeline>& pipeline) {
  auto work = read_each(place, [&](const Place& p) { return read_factors(p, pipeline); });
  if (work && pipeline && work->size() != pipeline->replicas) {
    place.refuse("a list of " + std::to_string(pipeline->replicas) + ", one list of factors per replica");
    return std::nullopt;
  }
  return work;
}

// One list serves all replicas.
std::optional<Work> read_work(const Place& place, const std::optional<Pipeline>& pipeline) {
  const auto* list = std::get_if<List>(&place.node->value);
  const bool by_replica = list && !list->empty() && std::holds_alternative<List>(list->front().value);
  if (by_replica) return read_replica_factors(place, pipeline);
  const auto factors = read_factors(place, pipeline);
  if (!factors) return std::nullopt;
  return Work(pipeline ? pipeline->replicas : 1, *factors);
}

std::optional<GivenBlock> read_given_block(const Place& place, const std::optional<Pipeline>& pipeline) {
  const Fields fields(place, {"name", "role", "layers", "trainable", "profile", "work_per_microbatch"});
  auto block = read_block(fields);
  const auto layers =
      fields.need("layers", [](const Place& p) { return read_count(p, 1, kMostLayersOfABlock); });
  auto profile = fields.need("profile", read_profile);
  auto work = fields.get("work_per_microbatch", [&](const Place& p) { return read_work(p, pipeline); });
  if (!block || !layers || !profile) return std::nullopt;
  block->layers = *layers;
  if (work) profile->work = *std::move(work);
  return GivenBlock{*std::move(block), *std::move(profile)};
}

}  // namespace

std::optional<ReadModel> read_given(const Fields& experiment, const std::optional<Pipeline>& pipeline,
                                    Seconds p2p) {
  const auto given =
      read_blocks(experiment, [&](const Place& place) { return read_given_block(place, pipeline); });
  GivenCosts costs{{}, p2p};
  if (!given) return std::nullopt;
  std::vector<Block> blocks;
  for (const GivenBlock& block : *given) {
    blocks.push_back(block.block);
    costs.blocks.push_back(block.profile);
  }
  return ReadModel{Model(std::move(blocks)), std::move(costs)};
}

}  // namespace spillway
