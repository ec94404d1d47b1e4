// Blocks with given durations: one layer on one microbatch, times a factor for each microbatch.
#include "input/experiment/blocks.h"
#include "input/experiment/work_reader.h"

namespace spillway {
namespace {

struct ReadProfile {
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

// A pass hides under another only what is computing there under communication here, so two take at least half
// of what they take one after the other; what takes more than twice of that does not overlap.
void check_fused(const Fields& fields, const BlockProfile& profile) {
  if (!profile.fused_forward_backward) return;
  constexpr double rounding = 1e-9;  // of documents whose numbers were computed
  const Seconds apart = profile.forward + profile.input_gradient + profile.weight_gradient;
  const Seconds together = *profile.fused_forward_backward;
  if (together >= apart * (0.5 - rounding) && together <= apart * (2 + rounding)) return;
  const auto ms = [](Seconds time) { return describe({time.value() * 1e3}); };
  fields.at("fused_forward_backward_ms")
      ->refuse("from " + ms(apart / 2) + " to " + ms(2 * apart) + ", which is half to twice the " +
               ms(apart) + " of the forward and the backward one after the other");
}

void check_weight_gradient_activation(const Fields& fields, const BlockProfile& profile) {
  if (!profile.weight_gradient_activation) return;
  const Place place = *fields.at("weight_gradient_activation_bytes");
  if (!profile.activation) {
    place.refuse("activation_bytes beside it, since these bytes are a part of them");
  } else if (*profile.weight_gradient_activation > *profile.activation) {
    place.refuse("at most activation_bytes, since these bytes are a part of them");
  }
}

std::optional<BlockProfile> read_profile(const Place& place) {
  const Fields fields(
      place, {"forward_ms", "input_gradient_ms", "weight_gradient_ms", "fused_forward_backward_ms",
              "activation_bytes", "weight_gradient_activation_bytes", "output_bytes", "parameter_bytes",
              "gradient_bytes", "optimizer_bytes"});
  const auto forward = fields.need("forward_ms", read_milliseconds);
  const auto input_gradient = fields.need("input_gradient_ms", read_milliseconds);
  const auto weight_gradient = fields.need("weight_gradient_ms", read_milliseconds);
  BlockProfile profile;
  profile.fused_forward_backward = fields.get("fused_forward_backward_ms", read_milliseconds);
  profile.activation = fields.get("activation_bytes", read_bytes);
  profile.output = fields.get("output_bytes", read_bytes).value_or(Bytes());
  profile.weight_gradient_activation = fields.get("weight_gradient_activation_bytes", read_bytes);
  check_weight_gradient_activation(fields, profile);
  profile.state = {fields.get("parameter_bytes", read_bytes).value_or(Bytes()),
                   fields.get("gradient_bytes", read_bytes).value_or(Bytes()),
                   fields.get("optimizer_bytes", read_bytes).value_or(Bytes())};
  if (!forward || !input_gradient || !weight_gradient) return std::nullopt;
  profile.forward = *forward;
  profile.input_gradient = *input_gradient;
  profile.weight_gradient = *weight_gradient;
  check_fused(fields, profile);
  return profile;
}

std::optional<ReadProfile> read_given_block(const Place& place, const std::optional<Pipeline>& pipeline) {
  const Fields fields(place, {"name", "role", "layers", "trainable", "profile", "work_per_microbatch",
                              "backward_work_per_microbatch", "measured_work", "image_work"});
  auto block = read_block(fields);
  const auto layers =
      fields.need("layers", [](const Place& p) { return read_count(p, 1, kMostLayersOfABlock); });
  auto profile = fields.need("profile", read_profile);
  Work work = read_work(fields, pipeline);
  if (!block || !layers || !profile) return std::nullopt;
  block->layers = *layers;
  profile->work = std::move(work.forward);
  profile->backward_work = std::move(work.backward);
  profile->measured_work = std::move(work.measured);
  profile->image_work = std::move(work.images);
  return ReadProfile{*std::move(block), *std::move(profile)};
}

}  // namespace

std::optional<ReadModel> read_given(const Fields& experiment, const std::optional<Pipeline>& pipeline,
                                    Seconds p2p, std::optional<Seconds> reduction) {
  const auto given =
      read_blocks(experiment, [&](const Place& place) { return read_given_block(place, pipeline); });
  GivenCosts costs{{}, p2p, reduction};
  if (!given) return std::nullopt;
  std::vector<Block> blocks;
  for (const ReadProfile& block : *given) {
    blocks.push_back(block.block);
    costs.blocks.push_back(block.profile);
  }
  check_measured_together(experiment, costs);
  return ReadModel{Model(std::move(blocks)), std::move(costs)};
}

}  // namespace spillway
