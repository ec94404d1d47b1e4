// What single operators compute, and what they move at least between memory and the device (BF16).
#pragma once

#include "base/quantity.h"
#include "cost/operators/operator_times.h"

namespace spillway {

struct OperatorWork {
  Flops flops;
  Bytes traffic;

  friend auto operator<=>(const OperatorWork&, const OperatorWork&) = default;
  friend OperatorWork operator+(OperatorWork a, OperatorWork b) {
    return {a.flops + b.flops, a.traffic + b.traffic};
  }
};

// `operand`: what an element of the two that are multiplied takes; the product is BF16.
OperatorWork operator_work(const GemmShape& shape, Bytes operand);
OperatorWork operator_work(const GroupedGemmShape& shape, Bytes operand);
// In BF16.
OperatorWork operator_work(const GemmShape& shape);
OperatorWork operator_work(const GroupedGemmShape& shape);
OperatorWork operator_work(const AttentionShape& shape, Sequences sequences, bool backward);

}  // namespace spillway
