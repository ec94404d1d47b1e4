// What the passes of one operator take on one device of its slab.
//
//   product       forward [m x k][k x n], input gradient [m x n][n x k], weight gradient [n x m][m x k]
//   attention     forward, and one backward that belongs to the input gradient
//   memory        forward by its traffic; its gradient reads the kept input beside that
//
// A weight gradient is accumulated as it is made: it takes the memory at least as long as that. Where a
// framework adds it by kernels of their own (Operator::gradient_sum), those come after; an embedding has a
// weight gradient only then.
#pragma once

#include <span>
#include <string>

#include "cost/layers/layer.h"
#include "cost/network/parallelism.h"
#include "cost/operators/operator_times.h"

namespace spillway {

// What one device has of a microbatch, after context parallelism and before tensor parallelism.
struct SlabLoad {
  double tokens;                         // rows that the tensor-parallel group runs over
  std::span<const Sequences> sequences;  // whole sequences; context parallelism shares their attention out
};

// How an operator is split: over an encoder's images nothing is.
struct Split {
  double tensor = 1;
  double context = 1;
  double expert = 1;
  double sequence = 1;          // over which tokens outside sublayers are split: tensor, or 1
  double expert_imbalance = 1;  // busiest expert device over the mean

  static Split of(const Parallelism& parallelism);
};

struct OperatorPasses {
  Estimate forward;
  Estimate input_gradient;
  Estimate weight_gradient;
};

// Zero where the operator does nothing. Contract: load.tokens > 0.
OperatorPasses operator_passes(const Operator& op, const Split& split, const SlabLoad& load,
                               const OperatorTimes& times);

// The shape a product or attention has on the device, for people: "m=8192 n=4608 k=7168".
std::string shape_text(const Operator& op, const Split& split, const SlabLoad& load);

}  // namespace spillway
