// The times of one operator's passes on one device of its slab.
//
//   product       forward [m x k][k x n], input gradient [m x n][n x k], weight gradient [n x m][m x k]
//   attention     forward, and one backward that belongs to the input gradient
//   memory        forward by its traffic; its gradient also reads the kept input
//
// A product accumulates its weight gradient while it computes it, and takes at least the memory time of that.
// If a framework adds gradients by separate kernels (Operator::gradient_sum), they run after the product.
// Only then does an embedding have a weight gradient.
#pragma once

#include <span>
#include <string>

#include "cost/layers/layer.h"
#include "cost/network/parallelism.h"
#include "cost/operators/operator_times.h"

namespace spillway {

// One device's part of a microbatch, after context parallelism and before tensor parallelism.
struct SlabLoad {
  double tokens;                         // rows that the tensor-parallel group runs over
  std::span<const Sequences> sequences;  // whole sequences; context parallelism shares out their attention
};

// The divisors of an operator. Operators over an encoder's images are not split.
struct Split {
  double tensor = 1;
  double context = 1;
  double expert = 1;
  double sequence = 1;          // divides tokens outside sublayers: tensor, or 1
  double expert_imbalance = 1;  // busiest expert device over the mean
  double heads = 1;             // divides attention's heads: tensor, times context with Ulysses

  static Split of(const Parallelism& parallelism);
};

struct OperatorPasses {
  Estimate forward;
  Estimate input_gradient;
  Estimate weight_gradient;
};

// Zero if the operator does nothing. Contract: load.tokens > 0.
OperatorPasses operator_passes(const Operator& op, const Split& split, const SlabLoad& load,
                               const OperatorTimes& times);

// Returns true if the time depends on the lengths of sequences, not only on the number of tokens.
bool reads_sequences(const Operator& op);

// The shape of a product or attention on the device, for people: "m=8192 n=4608 k=7168".
std::string shape_text(const Operator& op, const Split& split, const SlabLoad& load);

}  // namespace spillway
