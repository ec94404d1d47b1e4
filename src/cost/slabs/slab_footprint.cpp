#include "cost/slabs/slab_footprint.h"

#include "cost/layers/conventions.h"

namespace spillway {
namespace {

// The same weights lie on each of `sharers` devices; `trained` parameters have gradients.
ModelState state_of(Bytes all_weights, double trained, double sharers, DataParallel data) {
  const auto on_device = [&](Bytes each, double count, DataParallel shared_from) {
    return each * (data >= shared_from ? count / sharers : count);
  };
  const Bytes weights = on_device(all_weights, 1, DataParallel::Zero3);
  if (trained == 0) return {weights, Bytes(), Bytes()};
  return {weights, on_device(kGradient, trained, DataParallel::Zero2),
          on_device(kOptimizer, trained, DataParallel::Zero1)};
}

// Frozen weights of products in FP8 have no BF16 copy. A product that every member has counts as split here.
Bytes dense_weights(const LayerCost& cost, LoadUnit unit, const Parallelism& parallelism) {
  const Bytes in_fp8 = cost.frozen_fp8_dense - kElement * static_cast<double>(cost.alone_in_fp8_dense);
  return kElement * dense_on_device(cost, unit, parallelism) + in_fp8 / tensor_group(unit, parallelism);
}

Bytes expert_weights(const LayerCost& cost, const Parallelism& parallelism) {
  const Bytes in_fp8 = cost.frozen_fp8_experts - kElement * static_cast<double>(cost.alone_in_fp8_experts);
  return kElement * experts_on_device(cost, parallelism) + in_fp8 / parallelism.expert;
}

}  // namespace

std::uint32_t tensor_group(LoadUnit unit, const Parallelism& parallelism) {
  return unit == LoadUnit::Patch ? parallelism.encoder_tensor() : parallelism.tensor;
}

double dense_sharers(LoadUnit unit, const Parallelism& parallelism, std::uint32_t copies) {
  return copies *
         static_cast<double>(unit == LoadUnit::Patch ? parallelism.encoder_copies() : parallelism.context);
}

double expert_sharers(const Parallelism& parallelism, std::uint32_t copies) {
  return copies * static_cast<double>(parallelism.members()) / parallelism.expert_devices();
}

double dense_on_device(const LayerCost& cost, LoadUnit unit, const Parallelism& parallelism) {
  const double whole = static_cast<double>(cost.unsplit_parameters);
  return whole + (static_cast<double>(cost.dense_parameters) - whole) / tensor_group(unit, parallelism);
}

double experts_on_device(const LayerCost& cost, const Parallelism& parallelism) {
  return static_cast<double>(cost.expert_parameters) / parallelism.expert;
}

ModelState model_state(const LayerCost& cost, LoadUnit unit, bool trained, const Parallelism& parallelism,
                       std::uint32_t copies) {
  const LayerCost of_gradients = trained ? cost.trained() : LayerCost();
  ModelState state =
      state_of(dense_weights(cost, unit, parallelism), dense_on_device(of_gradients, unit, parallelism),
               dense_sharers(unit, parallelism, copies), parallelism.data);
  state += state_of(expert_weights(cost, parallelism), experts_on_device(of_gradients, parallelism),
                    expert_sharers(parallelism, copies), parallelism.data);
  state.parameters += kFp8Copies * (static_cast<double>(cost.fp8_dense) / tensor_group(unit, parallelism) +
                                    static_cast<double>(cost.fp8_experts) / parallelism.expert);
  return state;
}

void add_weight_shapes(WeightShapes& shapes, std::span<const Layer> layers, LoadUnit unit,
                       const Parallelism& parallelism) {
  const double group = tensor_group(unit, parallelism);
  for (const Layer& layer : layers) {
    for (const Operator& op : layer.operators) {
      if (!is_product(op) || op.frozen) continue;
      const double rows = static_cast<double>(op.n) / (op.share == Share::Columns ? group : 1);
      const double columns = static_cast<double>(op.k) / (op.share == Share::Rows ? group : 1);
      shapes.insert({rows, columns});
    }
  }
}

Bytes gradient_placeholders(const WeightShapes& shapes) {
  Bytes total;
  for (const auto& [rows, columns] : shapes) total += kElement * (rows * columns);
  return total;
}

}  // namespace spillway
