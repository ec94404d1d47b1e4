#include "cost/slabs/slab_footprint.h"

namespace spillway {
namespace {

// Bytes on one device: the weights, which Zero3 shares out, and copies beside them.
struct HeldWeights {
  Bytes own;
  Bytes beside;
  bool primary = false;  // `own` is narrow
};

// Parameters on one device that have gradients, and those of them that Muon would update.
struct Trained {
  double all;
  double matrices;
};

// Each of `sharers` devices has the same `weights`.
ModelState state_of(const HeldWeights& weights, const Trained& trained, double sharers, Bytes gradient,
                    const Parallelism& parallelism, const ShardForms& forms) {
  const auto on_device = [&](Bytes all, DataParallel shared_from) {
    return parallelism.data >= shared_from ? all / sharers : all;
  };
  const bool sharded = parallelism.data == DataParallel::Zero3;
  const bool main = sharded && forms.main_weights && !weights.primary;
  Bytes held = on_device(weights.own - (main ? kElement * trained.all : Bytes()), DataParallel::Zero3);
  if (sharded && !parallelism.reshard_after_forward) held += weights.own;
  held += weights.beside;
  if (trained.all == 0) return {held, Bytes(), Bytes()};
  const OptimizerStates& states = parallelism.states;
  const double matrices = states.newton_schulz_steps > 0 ? trained.matrices : 0;
  const Bytes gradients = gradient * trained.all, of_matrices = states.of_matrix() * matrices;
  return {held, forms.reduces_once ? gradients : on_device(gradients, DataParallel::Zero2),
          on_device(states.each() * (trained.all - matrices) + of_matrices, DataParallel::Zero1),
          on_device(of_matrices, DataParallel::Zero1)};
}

// Copies are the weights themselves where they replace BF16, and beside it otherwise.
HeldWeights weights_of(double parameters, Bytes copies, Bytes replaced) {
  const Bytes bf16 = kElement * parameters - replaced;
  return replaced > Bytes() ? HeldWeights{bf16 + copies, Bytes(), true} : HeldWeights{bf16, copies};
}

Bytes dense_bytes(const WeightBytes& bytes, LoadUnit unit, const Parallelism& parallelism) {
  return bytes.unsplit + bytes.split / tensor_group(unit, parallelism);
}

}  // namespace

ShardForms shard_forms(const Sharding& sharding) {
  return {sharding.main_weights(), sharding.reduces_once(), sharding.gather.value, sharding.reduce.value};
}

std::uint32_t tensor_group(LoadUnit unit, const Parallelism& parallelism) {
  return unit == LoadUnit::Patch ? parallelism.encoder_tensor() : parallelism.tensor;
}

double dense_sharers(LoadUnit unit, const Parallelism& parallelism, std::uint32_t copies) {
  if (unit == LoadUnit::Token && parallelism.shard_degree > 0) return parallelism.shard_degree;
  return copies *
         static_cast<double>(unit == LoadUnit::Patch ? parallelism.encoder_copies() : parallelism.context);
}

double expert_sharers(const Parallelism& parallelism, std::uint32_t copies) {
  const double devices = parallelism.shard_degree > 0
                             ? static_cast<double>(parallelism.shard_degree) * parallelism.tensor
                             : copies * static_cast<double>(parallelism.members());
  return devices / parallelism.expert_devices();
}

double dense_on_device(const LayerCost& cost, LoadUnit unit, const Parallelism& parallelism) {
  const double whole = static_cast<double>(cost.unsplit_parameters);
  return whole + (static_cast<double>(cost.dense_parameters) - whole) / tensor_group(unit, parallelism);
}

double experts_on_device(const LayerCost& cost, const Parallelism& parallelism) {
  return static_cast<double>(cost.expert_parameters) / parallelism.expert;
}

ModelState model_state(const LayerCost& cost, LoadUnit unit, bool trained, const Parallelism& parallelism,
                       std::uint32_t copies, Bytes gradient, const ShardForms& forms) {
  const LayerCost of_gradients = trained ? cost.trained() : LayerCost();
  const HeldWeights dense =
      weights_of(dense_on_device(cost, unit, parallelism), dense_bytes(cost.copies, unit, parallelism),
                 dense_bytes(cost.replaced, unit, parallelism));
  const HeldWeights experts =
      weights_of(experts_on_device(cost, parallelism), cost.copies.experts / parallelism.expert,
                 cost.replaced.experts / parallelism.expert);
  const double whole = static_cast<double>(of_gradients.unsplit_matrices);
  const Trained trained_dense = {
      dense_on_device(of_gradients, unit, parallelism),
      whole + (static_cast<double>(of_gradients.dense_matrices) - whole) / tensor_group(unit, parallelism)};
  const Trained trained_experts = {experts_on_device(of_gradients, parallelism),
                                   static_cast<double>(of_gradients.expert_matrices) / parallelism.expert};
  ModelState state =
      state_of(dense, trained_dense, dense_sharers(unit, parallelism, copies), gradient, parallelism, forms);
  state +=
      state_of(experts, trained_experts, expert_sharers(parallelism, copies), gradient, parallelism, forms);
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
