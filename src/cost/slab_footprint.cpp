#include "cost/slab_footprint.h"

#include <algorithm>

#include "cost/conventions.h"
#include "cost/layer_cost.h"

namespace spillway {
namespace {

// `parameters` lie on each of `sharers` devices, the same ones.
ModelState state_of(double parameters, double sharers, bool trained, DataParallel data) {
  if (!trained) return {kElement * parameters, Bytes(), Bytes()};
  const double updated = data == DataParallel::Zero1 ? parameters / sharers : parameters;
  return {kElement * parameters, kGradient * parameters, kOptimizer * updated};
}

}  // namespace

ModelState model_state(const LayerCost& cost, LoadUnit unit, bool trained, const Parallelism& parallelism,
                       std::uint32_t copies) {
  const double members = parallelism.members();
  const double dense = static_cast<double>(cost.dense_parameters);
  const double experts = static_cast<double>(cost.expert_parameters);
  if (unit == LoadUnit::Patch) return state_of(dense, members * copies, trained, parallelism.data);
  ModelState state = state_of(dense / members, copies, trained, parallelism.data);
  state += state_of(experts / parallelism.expert, copies * members / parallelism.expert, trained,
                    parallelism.data);
  return state;
}

Held held_per_token(std::span<const Layer> layers, std::uint32_t width, Gradients gradients,
                    Recompute recompute) {
  Held total;
  if (!gradients.any()) return total;
  const Bytes input = kElement * static_cast<double>(width);
  for (const Layer& layer : layers) {
    const KeptPerToken kept = cost_of(layer).kept;
    const Bytes all = gradients.weight ? kept.for_backward : kept.for_input_gradient;
    if (gradients.weight) total.for_weight_gradient += kept.between_gradients;
    total.activations += recompute == Recompute::Full ? input : all;
    if (recompute == Recompute::Full) total.recomputed = std::max(total.recomputed, all - input);
  }
  return total;
}

}  // namespace spillway
