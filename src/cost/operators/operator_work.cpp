#include "cost/operators/operator_work.h"

#include "base/error.h"
#include "cost/layers/conventions.h"
#include "cost/layers/scan.h"

namespace spillway {
namespace {

// The forward has two products. The backward computes the scores again and has two gradients for each
// product: five (Dao 2023, FlashAttention-2, arXiv 2307.08691, section 4.1).
constexpr double kBackwardProducts = 2.5;

// The traffic of the chunked scan. Kernels read their inputs from memory and write their outputs there, so
// keys are read by each of them, and so are the states, of which every chunk has one. FP32 counts twice. What
// heads share moves once for them. Gates and steps, four bytes a token and head, are left out.
struct ScanTraffic {
  double keys, values, rows, states;  // elements: of widths, of a chunk's rows, of a state a chunk
};

struct ScanPasses {
  ScanTraffic forward, backward;
};

// DeltaRule
//   forward    keys times keys and the triangular solve; w and u; states and new values; outputs
//   backward   w and u; states; gradients of new values inside a chunk, of states, of queries, keys and w, of
//              w and u; keys' two gradients added
//   flash-linear-attention @bc3b101d, fla/ops/gated_delta_rule/chunk.py, with what each kernel loads and
//   stores
// ChannelDelta  decays are FP32, as wide as keys
//   forward    sum of decays 3k; diagonal blocks 4k; the others and the solve 4k 2C; w, u and decayed keys 5k
//   2v
//              C; states and new values 2k 2v S; outputs 3k 2v C S
//   backward   decays 3k; w, u and decayed keys 7k 2v C; states 2k 2v S; gradients inside a chunk 3v 3C; of
//              states 3k 3v S; of all in FP32 10k 5v 3C 2S; inside a chunk again 16k 4C; of decays 8k
//   the same, fla/ops/kda/chunk_fwd.py, chunk_bwd.py and chunk_intra.py
// StateSpace  states and scores are FP32 before they are passed on
//   forward    chunks' states k v 2S; passed on 3S; scores 2k 2C; outputs k 2v 2C S
//   backward   scores, states 3k v 2C 6S; gradients of states k v 2S; passed on 6S; of values k 3v 2C S; of B
//   3k v
//              S; of C 3k v S; of scores 2v 2C; through scores 8k 4C; of decays 2v 2C
//   state-spaces/mamba @e9594ce1, mamba_ssm/ops/triton/ssd_combined.py
// Decay
//   forward    states k v S; outputs 2k 2v S
//   backward   states k v 2S; their gradients k v 2S; of queries and keys 4k 2v 4S; of values 2k 2v 2S
//   flash-linear-attention @bc3b101d, fla/ops/simple_gla/chunk.py
ScanPasses traffic_of(ScanRule rule) {
  switch (rule) {
    case ScanRule::DeltaRule:
      return {{7, 6, 2, 2}, {21, 15, 2, 4}};
    case ScanRule::ChannelDelta:
      return {{21, 6, 4, 2}, {49, 15, 11, 4}};
    case ScanRule::StateSpace:
      return {{4, 3, 4, 6}, {19, 11, 12, 17}};
    case ScanRule::Decay:
      return {{3, 3, 0, 2}, {8, 6, 0, 10}};
  }
  throw ContractBreach("unknown scan");
}

// The backward of the delta rule makes w, u and the states again: one product of each with the inverse, two
// with the states. Without it, the states are made again, and in a state space the scores; every product has
// two gradients. mamba_ssm computes the scores' gradients twice, for decays.
Flops scan_backward_flops(const ScanForm& form, double k, double v, double sharing) {
  const double chunk = form.chunk;
  if (has_delta_rule(form.rule)) return 2 * scan_flops(k, v) + Flops(2 * kScanChunk * (k + v) + 4 * k * v);
  if (form.rule == ScanRule::StateSpace) return Flops(6 * chunk * k / sharing + 6 * chunk * v + 10 * k * v);
  return Flops(6 * chunk * k / sharing + 4 * chunk * v + 10 * k * v);
}

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

OperatorWork operator_work(const ScanShape& shape, Sequences sequences, bool backward) {
  const double k = shape.key_width, v = shape.value_width, chunk = shape.form.chunk;
  const double heads = sequences.count * sequences.length * shape.heads;
  const ScanPasses passes = traffic_of(shape.form.rule);
  const ScanTraffic& moves = backward ? passes.backward : passes.forward;
  const double elements = (moves.keys * k + moves.rows * chunk) / shape.sharing + moves.values * v +
                          moves.states * (k * v / chunk);
  const Flops flops = backward ? scan_backward_flops(shape.form, k, v, shape.sharing)
                               : scan_flops(shape.form, k, v, shape.sharing);
  return {flops * heads, elements * heads * kElement};
}

}  // namespace spillway
