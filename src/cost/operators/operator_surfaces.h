// Times of operators from the measured tables of an accelerator.
//
// The table that prices each operator:
//
//   operator        table, in this order                       efficiency depends on
//   GEMM            GEMM                                       m, n, k
//   grouped GEMM    grouped GEMM                               rows of a group, n, k, groups
//                   GEMM, once per group, but launched once
//   in FP8, FP4     the tables of that format, likewise; FP8 with one scale and with a scale per block stand
//                   in for each other
//   attention       the same mask and direction                batch x heads, length, both widths
//                   the other mask; the other direction; both
//   scan            the same direction; the other              batch x heads, length, both widths
//
// Private to src/cost/operators.
#pragma once

#include <tsl/robin_map.h>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "cost/operators/efficiency_surface.h"
#include "cost/operators/operator_times.h"
#include "platform/measured_operators.h"

namespace spillway {

// Estimates made before, by the numbers that they follow from. Microbatches of images have as many sizes as
// there are patches, and samples as many as there are lengths; the same sizes come back in every draw, layout
// and point. Thread-safe. A remembered estimate equals a new one, so results do not depend on which thread
// made it.
template <std::size_t kNumbers>
class RememberedEstimates {
 public:
  using Shape = std::array<double, kNumbers>;

  // Return the estimate of this shape; calls make() if it is new.
  template <class Make>
  Estimate of(const Shape& shape, Make make) {
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
  // The highest bits, since the table of a part uses the low ones. In a browser a hash has 32.
  static constexpr int kPartShift = std::numeric_limits<std::size_t>::digits - std::countr_zero(kParts);

  struct HashOfShape {
    std::size_t operator()(const Shape& shape) const {
      std::uint64_t hash = 0;
      for (const double size : shape) {
        const auto bits = std::bit_cast<std::uint64_t>(size);  // the low bits of whole numbers are zero
        hash = (hash ^ bits ^ (bits >> 32U)) * 0x9e3779b97f4a7c15U;
        hash ^= hash >> 32U;
      }
      return static_cast<std::size_t>(hash);
    }
  };

  struct Part {
    std::mutex mutex;
    tsl::robin_map<Shape, Estimate, HashOfShape> estimates;  // flat: separate nodes would each be a miss
  };

  std::array<Part, kParts> parts_;
};

class OperatorSurfaces {
 public:
  // The memory rate is the highest that any row of any table shows. The device's stated rate is not used:
  // tables hold as measured, and with a stated rate in the bounds less memory bandwidth could make shapes
  // between rows faster.
  explicit OperatorSurfaces(const OperatorTables& tables);

  // None if no table has such operators. An estimate from another operator's table is extrapolated, at the
  // same efficiency. Evidence is never better than the table's own: a table borrowed from another device
  // measures nothing here.
  std::optional<Estimate> gemm(const GemmShape& shape) const;
  std::optional<Estimate> grouped_gemm(const GroupedGemmShape& shape) const;
  // None if no table has products of such operands. Contract: they are narrower than BF16.
  std::optional<Estimate> narrow_gemm(Operands operands, const GemmShape& shape) const;
  std::optional<Estimate> narrow_grouped_gemm(Operands operands, const GroupedGemmShape& shape) const;
  // All sequences have equal length.
  std::optional<Estimate> attention(const AttentionShape& shape, Sequences sequences, bool backward) const;
  std::optional<Estimate> scan(const ScanShape& shape, Sequences sequences, bool backward) const;

 private:
  using Surface = std::optional<EfficiencySurface>;

  // The products of one narrow format.
  struct Narrow {
    Bytes element;  // of an operand
    Surface gemm, grouped_gemm;
    Evidence gemm_evidence, grouped_gemm_evidence;
    std::unique_ptr<RememberedEstimates<3>> remembered =
        std::make_unique<RememberedEstimates<3>>();  // of gemm

    Narrow(const ProductTables& tables, Bytes element, BytesPerSecond memory);
    std::optional<Estimate> at(const GemmShape& shape) const;
    std::optional<Estimate> at(const GroupedGemmShape& shape) const;
  };

  // Calls at(format) for the formats that price these operands, best first, until one has an answer.
  template <class At>
  std::optional<Estimate> first_known(Operands operands, At at) const;

  Surface gemm_;
  std::unique_ptr<RememberedEstimates<3>> products_ = std::make_unique<RememberedEstimates<3>>();  // of gemm_
  Surface grouped_gemm_;
  std::array<std::array<Surface, 2>, 2> attention_;  // by causal, by backward
  std::unique_ptr<RememberedEstimates<7>> calls_ =
      std::make_unique<RememberedEstimates<7>>();  // of attention_
  std::array<Surface, 2> scan_;                    // by backward
  std::vector<Narrow> narrow_;                     // FP8, FP8 in blocks, FP4
  Evidence gemm_evidence_;
  Evidence grouped_gemm_evidence_;
  Evidence attention_evidence_;
  Evidence scan_evidence_;
};

}  // namespace spillway
