#include "cost/layers/execution.h"

#include <vector>

#include "base/error.h"
#include "cost/layers/chunked_loss.h"
#include "cost/layers/conventions.h"

namespace spillway {
namespace {

std::string_view kind_of(const Operator& op) {
  switch (op.kind) {
    case OperatorKind::Gemm:
      return "gemm";
    case OperatorKind::GroupedGemm:
      return "grouped_gemm";
    case OperatorKind::Attention:
      return "attention";
    case OperatorKind::Scan:
      return "scan";
    case OperatorKind::Memory:
      return "memory";
  }
  throw ContractBreach("unknown operator");
}

void take(const std::optional<Sourced<double>>& stated, double& number) {
  if (stated) number = stated->value;
}

void apply(const OperatorExecution& execution, Operator& op) {
  take(execution.forward_kernels, op.kernels.forward);
  take(execution.input_gradient_kernels, op.kernels.input_gradient);
  take(execution.weight_gradient_kernels, op.kernels.weight_gradient);
  take(execution.traffic, op.forward_traffic);
  take(execution.gradient_traffic, op.gradient_traffic);
  take(execution.live, op.forward_live);
  take(execution.gradient_live, op.gradient_live);
  if (execution.traffic) op.scan_traffic.forward = execution.traffic->value;
  if (execution.gradient_traffic) op.scan_traffic.gradient = execution.gradient_traffic->value;
  if (execution.waits) op.kernels.waits = static_cast<std::uint32_t>(execution.waits->value);
  if (execution.forward_host) op.kernels.forward_host = execution.forward_host->value;
  if (execution.gradient_host) op.kernels.gradient_host = execution.gradient_host->value;
  if (execution.gradient_sum) {
    op.gradient_sum = execution.gradient_sum->value;
    op.gradient_sum_evidence = execution.gradient_sum->evidence;
  }
  for (const auto& traffic : {execution.traffic, execution.gradient_traffic})
    if (traffic) op.traffic_evidence = weaker(op.traffic_evidence, traffic->evidence);
}

void apply_named(const Framework::Operators& operators, std::string_view name, Operator& op) {
  const auto stated = operators.find(name);
  if (stated != operators.end()) apply(stated->second, op);
}

bool keeps(const Operator& op) {
  return is_product(op) || op.kept.for_backward > Bytes() || op.kept_per_pair > Bytes();
}

// The last operator that keeps something needs its input. PyTorch saves that input before the operator runs
// (VariableType, as tools/autograd generates it).
void stop_early(Layer& layer) {
  for (auto op = layer.operators.rbegin(); op != layer.operators.rend(); ++op) {
    if (op->at_end) continue;
    op->past_stop = true;
    if (keeps(*op)) return;
  }
}

bool of_feed_forward(const Operator& op) {
  return op.inside.meets(Module::Mlp) || op.inside.meets(Module::Experts);
}

// Returns the index of the first operator of a feed-forward, or of the norm before it.
std::size_t feed_forward_begin(const Layer& layer) {
  const auto first = std::ranges::find_if(layer.operators, of_feed_forward);
  const auto index = static_cast<std::size_t>(first - layer.operators.begin());
  const bool norm_before = index > 0 && first != layer.operators.end() && std::prev(first)->name == kNormName;
  return norm_before ? index - 1 : index;
}

bool covers_mixture(GraphCover cover, const Operator& op, bool before_exchange) {
  if (cover.has(GraphPart::Mixture)) return true;
  if (op.name == kDispatchName) return cover.has(GraphPart::Preprocess);
  return cover.has(GraphPart::Router) && (before_exchange || op.inside.meets(Module::SharedExperts));
}

// Marks what a graph covers of a decoder layer. Ends belong to no layer.
void capture(GraphCover cover, Layer& layer) {
  const std::size_t begin = feed_forward_begin(layer);
  const bool mixture = std::ranges::any_of(
      layer.operators, [](const Operator& op) { return op.inside.meets(Module::Experts); });
  bool before_exchange = true;
  for (std::size_t i = 0; i < layer.operators.size(); ++i) {
    Operator& op = layer.operators[i];
    if (op.name == kDispatchName) before_exchange = false;
    if (op.at_end) continue;
    op.captured = i < begin ? cover.has(GraphPart::Attention)
                  : mixture ? covers_mixture(cover, op, before_exchange)
                            : cover.has(GraphPart::Mlp);
  }
}

// Padded values are as wide as keys, and so is the output. The padded output is kept, too.
void pad_values(Operator& op) {
  if (op.heads.value_width >= op.heads.key_width) return;
  op.pads_values = true;
  const std::uint64_t wider = op.heads.key_width - op.heads.value_width;
  const Bytes values = kElement * static_cast<double>(op.heads.key_value * wider);
  op.kept.for_backward += values + kElement * static_cast<double>(op.heads.query * op.heads.key_width);
  op.kept.for_input_gradient += values + kElement * static_cast<double>(op.heads.query * wider);
}

}  // namespace

void run_by(const LayerStatementsView& statements, std::span<Layer> layers, LoadUnit unit,
            Gradients gradients) {
  const auto& [all_operators, encoder_operators, fused_loss, pads_values, stops_early, per_expert, graphs,
               gradient_buffer, chunked] = statements;
  std::vector<const Framework::Operators*> stated = {&all_operators};
  if (unit == LoadUnit::Patch) stated.push_back(&encoder_operators);
  for (Layer& layer : layers) {
    for (Operator& op : layer.operators) {
      op.gradient_buffer = gradient_buffer;
      for (const Framework::Operators* operators : stated) {
        apply_named(*operators, kind_of(op), op);
        apply_named(*operators, op.name, op);
      }
      op.kernels.per_expert = per_expert && op.kind == OperatorKind::GroupedGemm;
      if (op.name == kLossName && !fused_loss) keep_softmax(op);
      if (op.kind == OperatorKind::Attention && op.fused && pads_values) pad_values(op);
    }
    if (graphs.whole_step())
      for (Operator& op : layer.operators) op.captured = true;
    else if (unit == LoadUnit::Token)
      capture(graphs, layer);
    if (stops_early) stop_early(layer);
    if (chunked) chunk_loss(*chunked, gradients, layer);
  }
}

}  // namespace spillway
