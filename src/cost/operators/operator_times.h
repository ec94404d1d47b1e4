// What single operators take on one device, in BF16.
//
// Where the accelerator has a measured table, a time is measured (the very shape), derived (interpolated
// between measured shapes: efficiency_surface.h) or extrapolated (outside the measured range, or from the
// table of another operator at the same efficiency), and never better than the table's own evidence. Without
// one it is the roofline max(W / (F e), D / (B e_memory)) with the constants of Accelerator::efficiency.
// Every time is divided by Accelerator::sustained; host_overhead and slowdown_under_communication are not in
// it.
#pragma once

#include <array>
#include <memory>
#include <span>

#include "base/quantity.h"
#include "platform/evidence.h"
#include "platform/platform.h"

namespace spillway {

// A time, and how it came about.
struct Estimate {
  Seconds time;
  Evidence evidence;
};

// [m x k] times [k x n].
struct GemmShape {
  double m;
  double n;
  double k;

  friend bool operator==(const GemmShape&, const GemmShape&) = default;
};

// `groups` products [rows / groups x k] times [k x n], each with weights of its own, in one call. The
// gradient of the weights is `groups` products [n x rows / groups] times [rows / groups x k]: {groups, groups
// * n, k, rows / groups}.
struct GroupedGemmShape {
  double groups;
  double rows;  // over all groups
  double n;
  double k;
};

// Of one token of fused (flash) attention. Widths are those of one head; causal counts half of the square.
struct AttentionShape {
  double heads;
  double key_value_heads;
  double key_width;
  double value_width;
  bool causal;
  double window = 0;    // causal attention to the last so many tokens; 0: to all
  bool blocks = false;  // attention within blocks of `window` tokens instead, causal or not
};

// `count` sequences of `length` tokens each.
struct Sequences {
  double count;
  double length;

  friend bool operator==(const Sequences&, const Sequences&) = default;
};

// Pairs of tokens that attend to each other's sequence.
inline double pairs_of(std::span<const Sequences> sequences) {
  double pairs = 0;
  for (const auto& [count, length] : sequences) pairs += count * length * length;
  return pairs;
}

// Factors on times, by the evidence that they rest on; 1: as they are.
struct TimeFactors {
  using ByEvidence = std::array<double, kEvidenceKinds>;
  static constexpr ByEvidence kNone = {1, 1, 1, 1, 1, 1};
  ByEvidence gemm = kNone;
  ByEvidence grouped_gemm = kNone;
  ByEvidence attention = kNone;  // and scans
  ByEvidence memory = kNone;
};

// Prices operators of one accelerator. Tables are fitted at construction; copies share them; a query
// allocates nothing but, of a new product, what it is remembered in.
class OperatorTimes {
 public:
  // Contract: the accelerator's numbers are positive and finite, as are those of its tables.
  explicit OperatorTimes(const Accelerator& accelerator);
  // The same device with another generation of attention kernels: attention takes as much longer than here,
  // for every shape, as `kernel` does of one long causal sequence.
  OperatorTimes with_attention(const AttentionKernel& kernel) const;
  // Every time that much longer.
  OperatorTimes scaled(const TimeFactors& factors) const;

  // Sizes above 0, whole or not; times are above 0 and finite for any up to 1e7.
  Estimate gemm(const GemmShape& shape) const;
  Estimate grouped_gemm(const GroupedGemmShape& shape) const;
  // Operands in FP8, a product in BF16; without a table as fast as in BF16 by the ratio of the peaks,
  // assumed. Contract: the accelerator has an FP8 peak.
  Estimate fp8_gemm(const GemmShape& shape) const;
  Estimate fp8_grouped_gemm(const GroupedGemmShape& shape) const;
  // One call over all sequences. A backward is that of the same call: all gradients of Q, K and V, with the
  // scores computed again. Sequences of no count or no length take no time. A window shorter than a sequence
  // is priced as its pairs are, in squares as wide as the window (operator_times.cpp).
  Estimate attention(const AttentionShape& shape, std::span<const Sequences> sequences, bool backward) const;
  // Reads and writes so many bytes and hardly computes: norms, activations, residual sums. Beside the bytes
  // each kernel takes Accelerator::memory_latency.
  Estimate memory(Bytes traffic, double kernels = 1) const;
  // A product that adds `traffic` of gradients to those before: exposed_accumulation's share of that longer,
  // at least as long as that takes.
  Estimate accumulating(const Estimate& product, Bytes traffic) const;
  // Linear attention: the roofline with attention's efficiency, measured for nothing yet.
  Estimate scan(Flops flops, Bytes traffic) const;

 private:
  // Of a time: over that of the platform's own kernels.
  struct Longer {
    double times = 1;
    Evidence evidence = Evidence::Measured;
  };

  Estimate in_a_long_run(Estimate alone, const TimeFactors::ByEvidence& factors) const;
  // Of what goes by the clock.
  Estimate computing(Estimate alone, const TimeFactors::ByEvidence& factors) const;

  struct Fitted;
  std::shared_ptr<const Fitted> fitted_;
  Longer attention_, attention_backward_;
  TimeFactors factors_;
};

}  // namespace spillway
