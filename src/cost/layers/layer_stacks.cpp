#include "cost/layers/layer_stacks.h"

#include <algorithm>
#include <utility>

#include "cost/layers/context_parallel.h"
#include "cost/layers/split_experts.h"

namespace spillway {

LayerStack trained_stack(const TrainedBlock& block) {
  LayerStack stack = layer_stack(block.architecture);
  if (block.adapters.rank > 0) add_adapters(block.adapters, stack.layers);
  return stack;
}

LayerStack run_stack(const TrainedBlock& block, const BlockExecution& execution) {
  LayerStack stack = trained_stack(block);
  if (stack.unit == LoadUnit::Token) share_sequences(execution.parallelism, stack.layers);
  run_by(execution.framework, stack.layers, stack.unit, execution.gradients);
  split_experts(execution.parallelism, stack.layers);
  run_in(execution.precision, execution.any_layout, execution.gradients, stack.layers);
  return stack;
}

LayerStacks::Execution::Execution(const BlockExecution& of)
    : framework(layer_statements(of.framework)),
      precision(of.precision),
      any_layout(of.any_layout),
      gradients(of.gradients),
      context(of.parallelism.context),
      devices(of.parallelism.members()),
      context_by(of.parallelism.context_by),
      dispatch(of.parallelism.dispatch),
      expert_tensor(of.parallelism.expert_tensor),
      expert_devices(of.parallelism.expert_devices()) {}

// Compares the part of parallelism that changes experts (split_experts.h) or attention (context_parallel.h).
bool LayerStacks::Execution::is_of(const BlockExecution& other, bool with_experts) const {
  if (with_experts &&
      (dispatch != other.parallelism.dispatch || expert_tensor != other.parallelism.expert_tensor ||
       expert_devices != other.parallelism.expert_devices()))
    return false;
  return context == other.parallelism.context &&
         (context == 1 ||
          (devices == other.parallelism.members() && context_by == other.parallelism.context_by)) &&
         precision == other.precision && any_layout == other.any_layout && gradients == other.gradients &&
         framework == layer_statements(other.framework);
}

bool LayerStacks::Known::is_of(const TrainedBlock& block, const BlockExecution* how) const {
  if (execution.has_value() != (how != nullptr) || adapters != block.adapters ||
      architecture != block.architecture)
    return false;
  return !how || execution->is_of(*how, stack->routed_experts > 0);
}

SharedStack LayerStacks::known(const TrainedBlock& block, const BlockExecution* how) {
  const std::lock_guard lock(mutex_);
  const auto found = std::ranges::find_if(known_, [&](const Known& one) { return one.is_of(block, how); });
  return found == known_.end() ? nullptr : found->stack;
}

// If two threads made the stack, both are right.
SharedStack LayerStacks::keep(const TrainedBlock& block, const BlockExecution* how, LayerStack stack) {
  auto shared = std::make_shared<const LayerStack>(std::move(stack));
  const std::lock_guard lock(mutex_);
  if (known_.size() == kMost) known_.clear();
  known_.push_back(
      {block.architecture, block.adapters, how ? std::optional<Execution>(*how) : std::nullopt, shared});
  return shared;
}

SharedStack LayerStacks::trained(const TrainedBlock& block) {
  SharedStack before = known(block, nullptr);
  return before ? before : keep(block, nullptr, trained_stack(block));
}

SharedStack LayerStacks::run(const TrainedBlock& block, const BlockExecution& execution) {
  SharedStack before = known(block, &execution);
  return before ? before : keep(block, &execution, run_stack(block, execution));
}

}  // namespace spillway
