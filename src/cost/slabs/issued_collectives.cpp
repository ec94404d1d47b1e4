#include "cost/slabs/issued_collectives.h"

namespace spillway {
namespace {

bool leaves_sublayer(const Operator& op) {
  return op.kind == OperatorKind::Gemm && op.share == Share::Rows;
}

bool exchanges(const Operator& op) {
  return op.name == kDispatchName || op.name == kCombineName;
}

}  // namespace

IssuedCollectives::IssuedCollectives(const Parallelism& p) {
  if (p.tensor > 1) {
    sublayer_forward_ = sublayer_input_ = p.sequence_parallel ? 2 : 1;
    sublayer_weight_ = p.sequence_parallel ? 1 : 0;
  }
  if (p.expert > 1) exchange_ = 1;
  if (p.context > 1) {
    const bool ring = p.context_by == ContextBy::Ring;
    attention_forward_ = ring ? p.context - 1.0 : 2;
    attention_gradients_ = ring ? 2 * attention_forward_ : 2;
  }
}

double IssuedCollectives::forward(const Operator& op) const {
  if (leaves_sublayer(op)) return sublayer_forward_;
  if (op.kind == OperatorKind::Attention) return attention_forward_;
  return exchanges(op) ? exchange_ : 0;
}

double IssuedCollectives::gradients(const Operator& op) const {
  if (leaves_sublayer(op)) return sublayer_input_ + (op.frozen ? 0 : sublayer_weight_);
  if (op.kind == OperatorKind::Attention) return attention_gradients_;
  return exchanges(op) ? exchange_ : 0;
}

}  // namespace spillway
