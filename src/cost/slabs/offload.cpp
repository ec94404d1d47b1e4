#include "cost/slabs/offload.h"

#include <algorithm>

#include "cost/layers/conventions.h"

namespace spillway {
namespace {

// Attention keeps its inputs, a statistic per head, which stays, and in some forms its own output, which is
// the input of the output's projection.
double share_of_attention(const Operator& op, Offload offload, Bytes kept) {
  if (kept == Bytes()) return 0;
  const AttentionHeads& heads = op.heads;
  const double read = static_cast<double>(heads.query * heads.key_width) +
                      static_cast<double>(heads.key_value * (heads.key_width + heads.value_width));
  const Bytes inputs = std::min(kept, kElement * read);
  const Bytes statistics = std::min(kept - inputs, kStatistic * static_cast<double>(heads.query));
  Bytes copied;
  if (offload.has(OffloadModule::CoreAttention)) copied += inputs;
  if (offload.has(OffloadModule::AttentionOutput)) copied += kept - inputs - statistics;
  return copied / kept;
}

}  // namespace

bool mixes_tokens(const Operator& op) {
  return op.kind == OperatorKind::Attention || op.kind == OperatorKind::Scan;
}

double offloaded_share(const Operator& op, Offload offload, bool mixed, Bytes kept) {
  if (op.at_end || !offload.any()) return 0;
  if (offload.what() != OffloadWhat::Some) return 1;
  if (op.kind == OperatorKind::Attention) return share_of_attention(op, offload, kept);
  const auto share = [&](OffloadModule module) { return offload.has(module) ? 1.0 : 0.0; };
  if (op.inside.meets(Module::Norms))
    return share(mixed ? OffloadModule::MlpNorm : OffloadModule::AttentionNorm);
  if (op.inside.meets(Module::ExpertActivation)) return share(OffloadModule::ExpertActivation);
  if (op.kind == OperatorKind::GroupedGemm && op.share == Share::Experts && op.name == "expert up")
    return share(OffloadModule::ExpertProduct);
  if (!is_product(op) || op.inside.any()) return 0;
  return share(mixed ? OffloadModule::AttentionOutput : OffloadModule::Qkv);
}

}  // namespace spillway
