#include "cost/layers/context_parallel.h"

#include <utility>
#include <vector>

#include "cost/layers/conventions.h"

namespace spillway {
namespace {

// One turn of the ring.
Operator merged_turn(const AttentionHeads& heads) {
  const std::uint64_t outputs = heads.query * heads.value_width;
  const std::uint64_t inputs =
      heads.query * heads.key_width + heads.key_value * (heads.key_width + heads.value_width);
  Operator turn = elementwise(kRingMerge, 2 * outputs, outputs, Share::Inner).operators.front();
  turn.more_in_gradient = 3 * kElement * (static_cast<double>(inputs) - static_cast<double>(outputs));
  turn.inside = turn.made_by = Module::CoreAttention;
  return turn;
}

void add_turns(std::uint32_t turns, Layer& layer) {
  std::vector<Operator> all;
  for (const Operator& op : layer.operators) {
    all.push_back(op);
    if (op.name == kAttention && op.fused) all.insert(all.end(), turns, merged_turn(op.heads));
  }
  layer.operators = std::move(all);
}

void repeat_heads(Operator& op) {
  AttentionHeads heads = op.heads;
  heads.key_value = heads.query;
  const Operator before = attention(op.heads, op.causal).operators.front();
  const Operator repeated = attention(heads, op.causal).operators.front();
  op.heads = heads;
  op.traffic_per_token += repeated.traffic_per_token - before.traffic_per_token;
  op.kept.for_backward += repeated.kept.for_backward - before.kept.for_backward;
  op.kept.for_input_gradient += repeated.kept.for_input_gradient - before.kept.for_input_gradient;
}

}  // namespace

bool repeats_key_value_heads(std::uint64_t key_value_heads, const Parallelism& parallelism) {
  return parallelism.context > 1 && parallelism.context_by == ContextBy::Ulysses &&
         key_value_heads < parallelism.members();
}

void share_sequences(const Parallelism& parallelism, std::span<Layer> layers) {
  if (parallelism.context == 1) return;
  for (Layer& layer : layers) {
    if (parallelism.context_by == ContextBy::Ring) {
      add_turns(parallelism.context - 1, layer);
      continue;
    }
    for (Operator& op : layer.operators)
      if (op.name == kAttention && repeats_key_value_heads(op.heads.key_value, parallelism)) repeat_heads(op);
  }
}

}  // namespace spillway
