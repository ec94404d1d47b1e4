#include "cost/operators/operator_work.h"

#include "cost/layers/conventions.h"

namespace spillway {
namespace {

// The forward has two products. The backward computes the scores again and has two gradients for each
// product: five (Dao 2023, FlashAttention-2, arXiv 2307.08691, section 4.1).
constexpr double kBackwardProducts = 2.5;

}  // namespace

OperatorWork operator_work(const GemmShape& shape, Bytes operand) {
  const auto [m, n, k] = shape;
  return {Flops(kFlopsPerMac * m * n * k), (m * k + k * n) * operand + m * n * kElement};
}

OperatorWork operator_work(const GroupedGemmShape& shape, Bytes operand) {
  const auto [groups, rows, n, k] = shape;
  return {Flops(kFlopsPerMac * rows * n * k), (rows * k + groups * k * n) * operand + rows * n * kElement};
}

OperatorWork operator_work(const GemmShape& shape) {
  const auto [m, n, k] = shape;
  return {Flops(kFlopsPerMac * m * n * k), (m * k + k * n + m * n) * kElement};
}

OperatorWork operator_work(const GroupedGemmShape& shape) {
  const auto [groups, rows, n, k] = shape;
  return {Flops(kFlopsPerMac * rows * n * k), (rows * k + groups * k * n + rows * n) * kElement};
}

// Q and O have `heads` heads, K and V `key_value_heads`. The backward reads these and the gradient of O, and
// writes the gradients of Q, K and V.
OperatorWork operator_work(const AttentionShape& shape, Sequences sequences, bool backward) {
  const double tokens = sequences.count * sequences.length;
  const double square = tokens * sequences.length * (shape.causal ? kCausalShare : 1);
  const double widths = shape.key_width + shape.value_width;
  const double elements = tokens * (shape.heads + shape.key_value_heads) * widths;
  const Flops products(kFlopsPerMac * square * shape.heads * widths);
  if (!backward) return {products, elements * kElement};
  return {kBackwardProducts * products, 2 * elements * kElement};
}

}  // namespace spillway
