// Reads blocks with given durations: those of one layer on one microbatch, times a factor for each
// microbatch.
#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "cost/given.h"
#include "derive/derive.h"
#include "input/experiment/blocks.h"
#include "input/experiment/workload_reader.h"
#include "json/place.h"

namespace spillway {
namespace {

std::optional<std::vector<double>> read_factors(const Place& place, const std::optional<Pipeline>& pipeline) {
  auto factors = read_each(place, [](const Place& p) { return read_number(p, kNotNegative); });
  if (factors && pipeline && factors->size() != pipeline->microbatches) {
    place.refuse("a list of " + std::to_string(pipeline->microbatches) + ", one factor per microbatch");
    return std::nullopt;
  }
  return factors;
}

using Factors = std::vector<std::vector<double>>;  // [replica][microbatch]

std::optional<Factors> read_replica_factors(const Place& place, const std::optional<Pipeline>& pipeline) {
  auto work = read_each(place, [&](const Place& p) { return read_factors(p, pipeline); });
  if (work && pipeline && work->size() != pipeline->replicas) {
    place.refuse("a list of " + std::to_string(pipeline->replicas) + ", one list of factors per replica");
    return std::nullopt;
  }
  return work;
}

// Reads factors by replica, or one list for all replicas.
std::optional<Factors> read_work_list(const Place& place, const std::optional<Pipeline>& pipeline) {
  const auto* list = std::get_if<List>(&place.node->value);
  const bool by_replica = list && !list->empty() && std::holds_alternative<List>(list->front().value);
  if (by_replica) return read_replica_factors(place, pipeline);
  const auto factors = read_factors(place, pipeline);
  if (!factors) return std::nullopt;
  return Factors(pipeline ? pipeline->replicas : 1, *factors);
}

std::optional<PassFactors> read_pair(const Place& place) {
  const auto pair = read_each(place, [](const Place& p) { return read_number(p, kNotNegative); });
  if (!pair) return std::nullopt;
  if (pair->size() == 2) return PassFactors{pair->front(), pair->back()};
  place.refuse("two factors: one for the forward and one for the backward");
  return std::nullopt;
}

// Reads a list that is not empty, each element with `read`.
template <class Read>
auto read_some(const Place& place, const char* what, Read read) -> decltype(read_each(place, read)) {
  auto list = read_each(place, read);
  if (!list || !list->empty()) return list;
  place.refuse(std::string("at least one ") + what);
  return std::nullopt;
}

std::optional<std::vector<PassFactors>> read_replica(const Place& place) {
  return read_some(place, "microbatch", read_pair);
}

std::optional<std::vector<std::vector<PassFactors>>> read_step(const Place& place) {
  return read_some(place, "replica", read_replica);
}

std::optional<MeasuredWork> read_measured(const Place& place) {
  auto steps = read_some(place, "step", read_step);
  if (!steps) return std::nullopt;
  const std::size_t microbatches = steps->front().front().size();
  for (std::size_t step = 0; step < steps->size(); ++step) {
    for (std::size_t replica = 0; replica < (*steps)[step].size(); ++replica) {
      const std::size_t found = (*steps)[step][replica].size();
      if (found == microbatches) continue;
      place.findings->add(child(child(place.pointer, std::to_string(step)), std::to_string(replica)),
                          "as many microbatches as the first list has, " + std::to_string(microbatches),
                          std::to_string(found));
    }
  }
  return steps;
}

bool same_shape(const MeasuredWork& a, const MeasuredWork& b) {
  const auto same = [](const auto& x, const auto& y) {
    return x.size() == y.size() && x.front().size() == y.front().size();
  };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), same);
}

// Work is stated, or drawn from one of two sources; a second source is refused.
void refuse_second_source(const Fields& block) {
  std::vector<const char*> others = {"work_per_microbatch", "backward_work_per_microbatch", "measured_work"};
  for (const char* source : {"image_work", "measured_work"}) {
    if (!block.at(source)) continue;
    for (const char* other : others)
      if (other != std::string_view(source)) block.forbid(other, std::string("no such key beside ") + source);
    return;
  }
}

// The work of a block, as in BlockProfile.
struct Work {
  std::vector<std::vector<double>> forward;
  std::vector<std::vector<double>> backward;
  MeasuredWork measured;
  std::optional<ImageWork> images;
};

// Reads the work that the block, an object, states. `pipeline` is absent if it could not be read.
Work read_work(const Fields& block, const std::optional<Pipeline>& pipeline) {
  const auto read_list = [&](const Place& p) { return read_work_list(p, pipeline); };
  Work work;
  work.forward = block.get("work_per_microbatch", read_list).value_or(Factors());
  work.backward = block.get("backward_work_per_microbatch", read_list).value_or(Factors());
  work.measured = block.get("measured_work", read_measured).value_or(MeasuredWork());
  work.images = block.get("image_work", read_image_work);
  refuse_second_source(block);
  return work;
}

// A step is measured in all blocks at once, so blocks with measured work must cover the same steps, replicas
// and microbatches. Pointers are those of an experiment that is the document.
void check_measured_together(const Fields& experiment, const GivenCosts& costs) {
  const MeasuredWork* first = nullptr;
  for (std::size_t i = 0; i < costs.blocks.size(); ++i) {
    const MeasuredWork& measured = costs.blocks[i].measured_work;
    if (measured.empty()) continue;
    if (!first) first = &measured;
    if (same_shape(measured, *first)) continue;
    experiment.findings().add("/model/blocks/" + std::to_string(i) + "/measured_work",
                              "as many steps, replicas and microbatches as the first block that has it",
                              "others");
  }
}

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

// Two fused passes take at least half of their separate sum, since a pass hides only computing under
// communication and the reverse. Passes that take more than twice the sum do not overlap.
void check_fused(const Fields& fields, const BlockProfile& profile) {
  if (!profile.fused_forward_backward) return;
  constexpr double rounding = 1e-9;  // tolerance for documents with computed numbers
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
  const Fields fields(place,
                      {"name", "role", "layers", "trainable", "feeds", "profile", "work_per_microbatch",
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
