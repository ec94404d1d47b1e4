// What the measured tables of an accelerator say about its operators.
//
// Which table prices which operator:
//
//   operator        table, in this order                       efficiency depends on
//   GEMM            GEMM                                       m, n, k
//   grouped GEMM    grouped GEMM                               rows of a group, n, k, groups
//                   GEMM, so often as there are groups, but launched once
//   attention       the same mask and direction                batch x heads, length, both widths
//                   the other mask; the other direction; both
#pragma once

#include <array>
#include <memory>
#include <optional>

#include "cost/operators/efficiency_surface.h"
#include "cost/operators/operator_times.h"
#include "cost/operators/remembered_estimates.h"
#include "platform/measured_operators.h"

namespace spillway {

class OperatorSurfaces {
 public:
  // The memory reaches what any row of any table shows. What the device is said to reach stays out of it: a
  // table holds as measured, and with another figure in the bounds less memory could make shapes between rows
  // faster.
  explicit OperatorSurfaces(const OperatorTables& tables);

  // None where no table says anything about such operators. From another operator's table it is extrapolated,
  // at the same efficiency. Never better than the table's own evidence: one borrowed from another device
  // measures nothing.
  std::optional<Estimate> gemm(const GemmShape& shape) const;
  std::optional<Estimate> grouped_gemm(const GroupedGemmShape& shape) const;
  // Of operands in FP8; none where no table says anything of those.
  std::optional<Estimate> fp8_gemm(const GemmShape& shape) const;
  std::optional<Estimate> fp8_grouped_gemm(const GroupedGemmShape& shape) const;
  // Equal sequences.
  std::optional<Estimate> attention(const AttentionShape& shape, Sequences sequences, bool backward) const;

 private:
  using Surface = std::optional<EfficiencySurface>;

  Surface gemm_;
  std::unique_ptr<RememberedEstimates> remembered_ = std::make_unique<RememberedEstimates>();  // of gemm_
  Surface grouped_gemm_;
  Surface fp8_gemm_, fp8_grouped_gemm_;
  std::array<std::array<Surface, 2>, 2> attention_;  // by causal, by backward
  Evidence gemm_evidence_;
  Evidence grouped_gemm_evidence_;
  Evidence attention_evidence_;
  Evidence fp8_gemm_evidence_;
  Evidence fp8_grouped_gemm_evidence_;
};

}  // namespace spillway
