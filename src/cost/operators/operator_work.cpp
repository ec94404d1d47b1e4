#include "cost/operators/operator_work.h"

#include "cost/layers/conventions.h"
#include "cost/layers/scan.h"

namespace spillway {
namespace {

// The forward has two products. The backward computes the scores again and has two gradients for each
// product: five (Dao 2023, FlashAttention-2, arXiv 2307.08691, section 4.1).
constexpr double kBackwardProducts = 2.5;

// The traffic of the chunked scan. Kernels read their inputs from memory and write their outputs there, so
// keys are read by each of them, and so are the states, of which every chunk has one.
//   forward    keys times keys and the triangular solve; w and u; states and new values; outputs
//   backward   w and u; states; gradients of new values inside a chunk, of states, of queries, keys and w, of
//              w and u; keys' two gradients added
// flash-linear-attention @bc3b101d, fla/ops/gated_delta_rule/chunk.py, with what each kernel loads and
// stores. Gates and steps, four bytes a token and head, are left out.
struct ScanTraffic {
  double keys, values, rows, states;  // elements: of widths, of a chunk's rows, of a state a chunk
};
constexpr ScanTraffic kScanForward{7, 6, 2, 2}, kScanBackward{21, 15, 2, 4};

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

// The backward makes w, u and the states again: one product of each with the inverse, two with the states.
OperatorWork operator_work(const ScanShape& shape, Sequences sequences, bool backward) {
  constexpr double chunk = kScanChunk;
  const double k = shape.key_width, v = shape.value_width;
  const double heads = sequences.count * sequences.length * shape.heads;
  const ScanTraffic& moves = backward ? kScanBackward : kScanForward;
  const double elements =
      moves.keys * k + moves.values * v + moves.rows * chunk + moves.states * (k * v / chunk);
  const Flops forward = scan_flops(k, v);
  const Flops again(2 * chunk * (k + v) + 4 * k * v);
  return {(backward ? 2 * forward + again : forward) * heads, elements * heads * kElement};
}

}  // namespace spillway
