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
//
// Private to src/cost/operators.
#pragma once

#include <tsl/robin_map.h>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>

#include "cost/operators/efficiency_surface.h"
#include "cost/operators/operator_times.h"
#include "platform/measured_operators.h"

namespace spillway {

// Estimates of products made before. Microbatches of images have as many sizes as there are patches, and the
// same ones come back in every draw, layout and point. For several threads. What is remembered is what would
// be made again, so who made it has no say in it.
class RememberedEstimates {
 public:
  // The estimate of this shape, else `make()`'s.
  template <class Make>
  Estimate of(const GemmShape& shape, Make make) {
    Part& part = parts_[HashOfShape()(shape) >> kPartShift];
    {
      const std::lock_guard lock(part.mutex);
      if (const auto known = part.estimates.find(shape); known != part.estimates.end()) return known->second;
    }
    const Estimate made = make();
    const std::lock_guard lock(part.mutex);
    if (part.estimates.size() == kMostOfAPart) part.estimates.clear();
    part.estimates.emplace(shape, made);
    return made;
  }

 private:
  static constexpr std::size_t kParts = 32, kMostOfAPart = 1U << 13;
  static constexpr int kPartShift = 64 - std::countr_zero(kParts);  // the table of a part uses the low bits

  struct HashOfShape {
    std::size_t operator()(const GemmShape& shape) const {
      std::uint64_t hash = 0;
      for (const double size : {shape.m, shape.n, shape.k}) {
        const auto bits = std::bit_cast<std::uint64_t>(size);  // of whole numbers the low ones are zero
        hash = (hash ^ bits ^ (bits >> 32U)) * 0x9e3779b97f4a7c15U;
        hash ^= hash >> 32U;
      }
      return hash;
    }
  };

  struct Part {
    std::mutex mutex;
    tsl::robin_map<GemmShape, Estimate, HashOfShape> estimates;  // flat: nodes apart would each be a miss
  };

  std::array<Part, kParts> parts_;
};

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
