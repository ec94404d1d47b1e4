#include "cost/operators/operator_passes.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "cost/layers/conventions.h"

namespace spillway {
namespace {

constexpr Estimate kNothing{Seconds(), Evidence::Measured};

Estimate both(const Estimate& a, const Estimate& b) {
  return {a.time + b.time, weaker(a.evidence, b.evidence)};
}

Estimate in_all(const Estimate& of_chunk, double chunks) {
  return {of_chunk.time * chunks, of_chunk.evidence};
}

// Rows, columns and depth of a product on one device.
GemmShape product_on_device(const Operator& op, const Split& split, const SlabLoad& load) {
  GemmShape shape{load.tokens * op.rows_per_token, static_cast<double>(op.n), static_cast<double>(op.k)};
  if (op.share == Share::Columns) shape.n /= split.tensor;
  if (op.share == Share::Rows) shape.k /= split.tensor;
  if (op.share == Share::Tokens) shape.m /= split.sequence;
  shape.m /= op.chunks.count;
  return shape;
}

// The time of separate kernels that add a gradient to the accumulated one.
Estimate gradient_sum(const Operator& op, double parameters, const OperatorTimes& times) {
  if (op.gradient_sum == Bytes() || parameters == 0) return kNothing;
  const Estimate sum = times.memory(op.gradient_sum * parameters);
  return {sum.time, weaker(sum.evidence, op.gradient_sum_evidence)};
}

// Adds the accumulation of a weight gradient to the product that makes it.
Estimate accumulated(const Estimate& product, const Operator& op, double parameters,
                     const OperatorTimes& times) {
  if (op.gradient_sum == Bytes()) return times.accumulating(product, 2 * op.gradient_buffer * parameters);
  return both(product, gradient_sum(op, parameters, times));
}

// A forward that computes gradients adds them chunk by chunk in BF16, and the sum to the accumulated
// gradient.
Estimate weight_gradient(const Estimate& product, const Operator& op, double parameters,
                         const OperatorTimes& times) {
  const double chunks = op.chunks.count;
  if (op.chunks.where != InChunks::Where::Forward)
    return in_all(accumulated(product, op, parameters, times), chunks);
  const Estimate added = in_all(times.accumulating(product, 2 * kElement * parameters), chunks);
  const Estimate sum = op.gradient_sum > Bytes()
                           ? gradient_sum(op, parameters, times)
                           : times.memory((kElement + 2 * op.gradient_buffer) * parameters);
  return both(added, sum);
}

// Moves the gradients of an operator in chunks into the pass that computes them.
OperatorPasses in_one_pass(const InChunks& how, const OperatorPasses& passes) {
  if (how.where == InChunks::Where::Apart) return passes;
  Estimate gradients = how.gradients.input ? passes.input_gradient : kNothing;
  if (how.gradients.weight) gradients = both(gradients, passes.weight_gradient);
  if (how.where == InChunks::Where::Forward) return {both(passes.forward, gradients), kNothing, kNothing};
  return {passes.forward, gradients, kNothing};
}

// Elements of a product's tensors on one device.
struct CastElements {
  double inputs, outputs, weights;
};

// If another operator reads the same input, its cast of that input serves both. Frozen weights may be laid
// out again.
OperatorPasses with_casts(const Operator& op, const CastElements& of, OperatorPasses products,
                          const OperatorTimes& times) {
  if (op.cast == Bytes()) return products;
  if (op.kept.for_backward > Bytes())
    products.forward = both(products.forward, times.memory(op.cast * of.inputs));
  products.input_gradient = both(products.input_gradient, times.memory(op.cast * of.outputs));
  if (op.laid_out_again > Bytes())
    products.input_gradient = both(products.input_gradient, times.memory(op.laid_out_again * of.weights));
  return products;
}

OperatorPasses product(const Operator& op, const Split& split, const SlabLoad& load,
                       const OperatorTimes& times) {
  const GemmShape at = product_on_device(op, split, load);
  const auto gemm = [&](const GemmShape& shape) { return times.gemm(shape, op.operands); };
  const double chunks = op.chunks.count;
  const OperatorPasses products = {in_all(gemm(at), chunks), in_all(gemm({at.m, at.k, at.n}), chunks),
                                   weight_gradient(gemm({at.n, at.k, at.m}), op, at.k * at.n, times)};
  // A tensor outside the sublayer is cast before it is gathered, or after it was scattered.
  const double inputs = at.m * at.k / (op.share == Share::Columns ? split.sequence : 1);
  const double outputs = at.m * at.n / (op.share == Share::Rows ? split.sequence : 1);
  return with_casts(op, {inputs, outputs, at.k * at.n}, products, times);
}

GroupedGemmShape experts_on_device(const Operator& op, const Split& split, const SlabLoad& load) {
  return {op.groups / split.expert, load.tokens / split.tensor * op.rows_per_token * split.expert_imbalance,
          static_cast<double>(op.n), static_cast<double>(op.k)};
}

OperatorPasses experts(const Operator& op, const Split& split, const SlabLoad& load,
                       const OperatorTimes& times) {
  const GroupedGemmShape at = experts_on_device(op, split, load);
  const double rows_each = at.rows / at.groups;
  const auto gemm = [&](const GroupedGemmShape& shape) { return times.grouped_gemm(shape, op.operands); };
  const OperatorPasses products = {
      gemm(at), gemm({at.groups, at.rows, at.k, at.n}),
      accumulated(gemm({at.groups, at.groups * at.n, at.k, rows_each}), op, at.groups * at.k * at.n, times)};
  return with_casts(op, {at.rows * at.k, at.rows * at.n, at.groups * at.k * at.n}, products, times);
}

AttentionShape attention_on_device(const Operator& op, const Split& split) {
  const auto heads = [&](std::uint64_t all) { return std::max(1.0, static_cast<double>(all) / split.heads); };
  return {heads(op.heads.query),
          heads(op.heads.key_value),
          static_cast<double>(op.heads.key_width),
          static_cast<double>(op.pads_values ? op.heads.key_width : op.heads.value_width),
          op.causal,
          static_cast<double>(op.window),
          op.blocks};
}

// Scores and values are two batched products over the full square. A gradient takes two products for each.
Estimate unfused(const AttentionShape& shape, std::span<const Sequences> sequences,
                 const OperatorTimes& times) {
  Estimate total = kNothing;
  for (const Sequences& s : sequences) {
    const double groups = shape.heads * s.count;
    total = both(total, times.grouped_gemm({groups, groups * s.length, s.length, shape.key_width}));
    total = both(total, times.grouped_gemm({groups, groups * s.length, shape.value_width, s.length}));
  }
  return total;
}

// The forward casts Q, K and V before; the backward casts the gradient of the output.
OperatorPasses fp8_attention(const Operator& op, const AttentionShape& shape, const Split& split,
                             const SlabLoad& load, const OperatorTimes& times) {
  const double sharers = split.tensor * split.context / split.heads;
  const auto pass = [&](bool backward, double elements) {
    const Estimate all = times.fp8_attention(shape, load.sequences, backward);
    const Estimate casts = times.memory(op.cast * (elements * load.tokens / split.tensor));
    return both({all.time / sharers, all.evidence}, casts);
  };
  const AttentionHeads& heads = op.heads;
  const auto read = static_cast<double>(heads.query * heads.key_width +
                                        heads.key_value * (heads.key_width + heads.value_width));
  return {pass(false, read), pass(true, static_cast<double>(heads.query * heads.value_width)), kNothing};
}

OperatorPasses attention(const Operator& op, const Split& split, const SlabLoad& load,
                         const OperatorTimes& times) {
  const AttentionShape shape = attention_on_device(op, split);
  const double sharers = split.tensor * split.context / split.heads;
  const auto shared = [&](Estimate all) { return Estimate{all.time / sharers, all.evidence}; };
  if (op.fused && op.operands == Operands::Fp8) return fp8_attention(op, shape, split, load, times);
  if (op.fused) {
    return {shared(times.attention(shape, load.sequences, false)),
            shared(times.attention(shape, load.sequences, true)), kNothing};
  }
  const Estimate forward = shared(unfused(shape, load.sequences, times));
  return {forward, both(forward, forward), kNothing};
}

// The share of the elements per token that lies on one device.
double share_of_elements(Share share, const Split& split) {
  switch (share) {
    case Share::Columns:
    case Share::Rows:
    case Share::Inner:
      return 1 / split.tensor;
    case Share::Tokens:
      return 1 / split.sequence;
    case Share::Experts:
      return split.expert_imbalance / split.tensor;
  }
  throw ContractBreach("unknown share");
}

// Rows of an embedding are split over the tensor-parallel group; norms lie on every member.
double parameters_on_device(const Operator& op, const Split& split) {
  const double all = static_cast<double>(op.parameters);
  return op.share == Share::Inner ? all / split.tensor : all;
}

// One kernel casts the input to the byte that is kept, another one back.
OperatorPasses with_stored_input(const Operator& op, double tokens, OperatorPasses passes,
                                 const OperatorTimes& times) {
  if (op.stored_in_fp8 == 0) return passes;
  const double elements = op.stored_in_fp8 * tokens;
  passes.forward = both(passes.forward, times.memory((kElement + Bytes(1)) * elements));
  passes.input_gradient = both(passes.input_gradient, times.memory(2 * kElement * elements));
  return passes;
}

OperatorPasses memory_passes(const Operator& op, const Split& split, const SlabLoad& load,
                             const OperatorTimes& times) {
  const double share = share_of_elements(op.share, split);
  const Bytes forward = (op.traffic_per_token * load.tokens +
                         op.traffic_per_pair * (pairs_of(load.sequences) / split.context)) *
                        share;
  if (forward == Bytes()) return {kNothing, kNothing, kNothing};
  const Bytes more = (op.kept.for_input_gradient + op.more_in_gradient) * (load.tokens * share);
  const auto moved = [&](Bytes bytes, double kernels) {
    const Estimate estimate = times.memory(bytes, kernels);
    return Estimate{estimate.time, weaker(estimate.evidence, op.traffic_evidence)};
  };
  const OperatorPasses passes = {moved(forward * op.forward_traffic, op.kernels.forward),
                                 moved((forward + more) * op.gradient_traffic, op.kernels.input_gradient),
                                 gradient_sum(op, parameters_on_device(op, split), times)};
  return with_stored_input(op, load.tokens * share, passes, times);
}

ScanShape scan_on_device(const Operator& op, const Split& split) {
  const double heads = static_cast<double>(op.heads.query), keys = static_cast<double>(op.heads.key_value);
  return {std::max(1.0, heads / (split.tensor * split.context)), static_cast<double>(op.heads.key_width),
          static_cast<double>(op.heads.value_width),
          has_delta_rule(op.scan.rule) ? 1 : std::max(1.0, heads / keys), op.scan};
}

// Context parallelism exchanges tokens for heads before a scan, which runs over whole sequences (Megatron-LM,
// megatron/core/ssm/gated_delta_net). Software that states the traffic of its own kernels is bound by it.
OperatorPasses scan(const Operator& op, const Split& split, const SlabLoad& load,
                    const OperatorTimes& times) {
  const ScanShape shape = scan_on_device(op, split);
  const double sharers = split.tensor * split.context * shape.heads / static_cast<double>(op.heads.query);
  const auto pass = [&](bool backward, const std::optional<double>& traffic) {
    if (!traffic) {
      const Estimate all = times.scan(shape, load.sequences, backward);
      return Estimate{all.time / sharers, all.evidence};
    }
    const Bytes least = op.traffic_per_token * (load.tokens / split.tensor) * (backward ? 2 : 1);
    const Estimate moved = times.memory(*traffic * least, 0);
    return Estimate{moved.time, weaker(moved.evidence, op.traffic_evidence)};
  };
  return {pass(false, op.scan_traffic.forward), pass(true, op.scan_traffic.gradient), kNothing};
}

OperatorPasses passes_of_kind(const Operator& op, const Split& split, const SlabLoad& load,
                              const OperatorTimes& times) {
  switch (op.kind) {
    case OperatorKind::Gemm:
      return product(op, split, load, times);
    case OperatorKind::GroupedGemm:
      return experts(op, split, load, times);
    case OperatorKind::Attention:
      return attention(op, split, load, times);
    case OperatorKind::Scan:
      return scan(op, split, load, times);
    case OperatorKind::Memory:
      return memory_passes(op, split, load, times);
  }
  throw ContractBreach("unknown operator");
}

}  // namespace

Split Split::of(const Parallelism& parallelism) {
  const double tensor = parallelism.tensor;
  const double context = parallelism.context;
  return {tensor,
          context,
          static_cast<double>(parallelism.expert),
          parallelism.sequence_parallel ? tensor : 1.0,
          parallelism.expert_imbalance,
          parallelism.context_by == ContextBy::Ulysses ? tensor * context : tensor};
}

bool reads_sequences(const Operator& op) {
  return op.kind == OperatorKind::Attention || op.kind == OperatorKind::Scan || op.traffic_per_pair > Bytes();
}

OperatorPasses operator_passes(const Operator& op, const Split& split, const SlabLoad& load,
                               const OperatorTimes& times) {
  return in_one_pass(op.chunks, passes_of_kind(op, split, load, times));
}

std::string shape_text(const Operator& op, const Split& split, const SlabLoad& load) {
  const auto whole = [](double value) { return std::to_string(std::llround(value)); };
  if (op.kind == OperatorKind::Gemm) {
    const GemmShape at = product_on_device(op, split, load);
    return "m=" + whole(at.m) + " n=" + whole(at.n) + " k=" + whole(at.k);
  }
  if (op.kind == OperatorKind::GroupedGemm) {
    const GroupedGemmShape at = experts_on_device(op, split, load);
    return "groups=" + whole(at.groups) + " rows=" + whole(at.rows) + " n=" + whole(at.n) +
           " k=" + whole(at.k);
  }
  if (op.kind == OperatorKind::Attention) {
    const AttentionShape at = attention_on_device(op, split);
    const double length = load.sequences.empty() ? 0 : load.sequences.front().length;
    const std::string window = at.window > 0 ? " window=" + whole(at.window) : "";
    return "length=" + whole(length) + " heads=" + whole(at.heads) + "/" + whole(at.key_value_heads) +
           " width=" + whole(at.key_width) + "/" + whole(at.value_width) + window;
  }
  return "tokens=" + whole(load.tokens);
}

}  // namespace spillway
