#include "cost/slabs/recomputation.h"

#include <algorithm>

#include "base/error.h"
#include "cost/layers/conventions.h"

namespace spillway {
namespace {

bool between_activations(const Operator& op) {
  return op.kind == OperatorKind::Attention || op.traffic_per_pair > Bytes();
}

double repeated(const Operator& op, Recompute what) {
  switch (what) {
    case Recompute::None:
      return 0;
    case Recompute::Selective:
      return between_activations(op) ? 1 : 0;
    case Recompute::Alternate:
      if (op.kind == OperatorKind::Attention) return 0;
      return op.kind == OperatorKind::Gemm ? kAlternate : 1;
    case Recompute::Full:
      return 1;
  }
  throw ContractBreach("unknown recomputation");
}

// Attention keeps its statistics together with its inputs.
Bytes input_kept(const Operator& op, Bytes kept, bool weight_gradient) {
  if (is_product(op))
    return weight_gradient ? kElement * (static_cast<double>(op.k) * op.rows_per_token) : Bytes();
  if (op.kind != OperatorKind::Attention) return kept;
  return op.kept.for_backward - op.output_kept - kStatistic * static_cast<double>(op.heads.query);
}

// A row-split product that is not repeated does not sum over its group.
RepeatedCollectives those_of_all(const Layer& layer) {
  const auto sums_nothing = [](const Operator& op) { return op.past_stop && op.share == Share::Rows; };
  const double stopped =
      layer.reduce_scatters > layer.end_reduce_scatters && std::ranges::any_of(layer.operators, sums_nothing)
          ? 1
          : 0;
  return {double(layer.all_gathers - layer.end_all_gathers),
          double(layer.reduce_scatters - layer.end_reduce_scatters) - stopped, double(layer.all_to_alls)};
}

bool has(const Layer& layer, Module module) {
  return std::ranges::any_of(layer.operators, [&](const Operator& op) { return op.inside.meets(module); });
}

}  // namespace

double repeated(const Operator& op, const Recomputation& recomputation, std::size_t layer) {
  if (recomputation.modules_of(layer).meets(op.inside)) return 1;
  if (op.chunks.where == InChunks::Where::Backward) return 1;
  if (op.at_end || op.past_stop) return 0;
  return repeated(op, recomputation.of(layer));
}

double made_again(const Operator& op, Modules modules, bool weight_gradient) {
  if (!modules.meets(op.made_by)) return 0;
  const Bytes kept = weight_gradient ? op.kept.for_backward : op.kept.for_input_gradient;
  if (kept == Bytes()) return op.kept_per_pair > Bytes() ? 1 : 0;
  return std::min(1.0, input_kept(op, kept, weight_gradient) / kept);
}

// A dense feed-forward and shared experts are separate sublayers. The collectives of attention are never
// repeated alone.
RepeatedCollectives repeated_collectives(const Layer& layer, const Recomputation& recomputation,
                                         std::size_t index) {
  if (recomputation.of(index) == Recompute::Full) return those_of_all(layer);
  const Modules modules = recomputation.modules_of(index);
  RepeatedCollectives again;
  for (const Operator& op : layer.operators) {
    if (!modules.meets(op.inside)) continue;
    if (op.inside.meets(Module::Mlp) || op.inside.meets(Module::SharedExperts))
      again.all_gathers = again.reduce_scatters = 1;
  }
  if (modules.meets(Module::Experts) && has(layer, Module::Experts)) again.all_to_alls = layer.all_to_alls;
  return again;
}

}  // namespace spillway
