// The FLOPs of single operators, and their least traffic between memory and the device (BF16).
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

// `operand`: the size of an element of the two operands; the product is BF16.
OperatorWork operator_work(const GemmShape& shape, Bytes operand);
OperatorWork operator_work(const GroupedGemmShape& shape, Bytes operand);
// All in BF16.
OperatorWork operator_work(const GemmShape& shape);
OperatorWork operator_work(const GroupedGemmShape& shape);
OperatorWork operator_work(const AttentionShape& shape, Sequences sequences, bool backward);
// All kernels together, as flash-linear-attention runs them.
OperatorWork operator_work(const ScanShape& shape, Sequences sequences, bool backward);

}  // namespace spillway
