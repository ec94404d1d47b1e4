#include "cost/layers/split_experts.h"

#include "cost/layers/adapters.h"
#include "cost/layers/conventions.h"

namespace spillway {
namespace {

// Adapters' products are not split: each device runs them whole on its own rows, which is as much work.
bool of_experts(const Operator& op) {
  return op.kind == OperatorKind::GroupedGemm && op.name != kAdapterDown && op.name != kAdapterUp;
}

// The first product leads into the expert, the second out of it.
bool leads_out(const Operator& op) {
  return op.name == kExpertDown;
}

std::uint64_t& inner_of(Operator& op) {
  return leads_out(op) ? op.k : op.n;
}

// The product runs the rows of all `devices`, and keeps all of their tensors outside the expert.
void split_product(Operator& op, std::uint32_t devices) {
  const Bytes outside = kElement * (op.rows_per_token * static_cast<double>(leads_out(op) ? op.n : op.k));
  const double more = devices - 1.0;
  if (!leads_out(op)) op.kept.for_backward += outside * more;
  op.kept.between_gradients += outside * more;
  op.traffic_per_token += outside * more;
  op.rows_per_token *= devices;
  inner_of(op) /= devices;
  op.parameters /= devices;
}

// A dispatcher's own kernels read tokens and write sums themselves, so nothing copies a token before them.
// The sort reads one copy for the device, not one for each expert, and so does the sum behind the experts
// write one (NVIDIA/Megatron-LM @d98e8a64, megatron/core/transformer/moe/token_dispatcher.py, _DeepepManager
// and _HybridEPManager: dispatch of hidden_states, then permute; unpermute, then combine).
void sent_by_kernels(Operator& op, bool exchange, const Layer& layer, const Parallelism& by) {
  if (exchange) op.traffic_per_token = Bytes();
  if (op.name != kSortByExpert) return;
  const double copies = parts_reached(layer.routing, by.expert) / layer.routing.chosen;
  op.traffic_per_token = op.traffic_per_token * ((1 + copies) / 2);
}

void split(Operator& op, const Layer& layer, const Parallelism& by) {
  if (op.share != Share::Experts) return;
  if (of_experts(op) && by.expert_tensor > 1) split_product(op, by.expert_tensor);
  if (op.name == kSortByExpert) op.traffic_per_token = op.traffic_per_token * by.expert_tensor;
  const bool exchange = op.buffers_per_token > Bytes(0);
  if (by.dispatch == ExpertDispatch::PerNode && by.expert > 1) sent_by_kernels(op, exchange, layer, by);
  if (exchange && by.dispatch == ExpertDispatch::AllGather)
    op.buffers_per_token =
        op.buffers_per_token * (by.expert_devices() / static_cast<double>(layer.routing.chosen));
}

}  // namespace

void split_experts(const Parallelism& parallelism, std::span<Layer> layers) {
  for (Layer& layer : layers)
    for (Operator& op : layer.operators) split(op, layer, parallelism);
}

bool can_split_experts(std::span<const Layer> layers, std::uint32_t devices) {
  for (const Layer& layer : layers)
    for (Operator op : layer.operators)
      if (of_experts(op) && inner_of(op) % devices != 0) return false;
  return true;
}

}  // namespace spillway
