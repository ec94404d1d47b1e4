// The time of a single operator on one device, in BF16 or, for products and attention, in narrower formats.
//
// If the accelerator has a measured table, a time is measured (this very shape), derived (interpolated
// between measured shapes: efficiency_surface.h) or extrapolated (outside the measured range, or from the
// table of another operator at the same efficiency). It is never better than the table's own evidence.
// Without a table, the time is the roofline max(W / (F e), D / (B e_memory)) with the constants of
// Accelerator::efficiency. Every time is divided by Accelerator::sustained. host_overhead and
// slowdown_under_communication are not included.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>

#include "base/quantity.h"
#include "cost/layers/layer.h"
#include "platform/evidence.h"
#include "platform/platform.h"

namespace spillway {

// A time and its evidence.
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

// `groups` products [rows / groups x k] times [k x n], each with its own weights, in one call. The gradient
// of the weights is `groups` products [n x rows / groups] times [rows / groups x k]: {groups, groups * n, k,
// rows / groups}.
struct GroupedGemmShape {
  double groups;
  double rows;  // over all groups
  double n;
  double k;
};

// Fused (flash) attention of one token. Widths are those of one head; causal counts half of the square.
struct AttentionShape {
  double heads;
  double key_value_heads;
  double key_width;
  double value_width;
  bool causal;
  double window = 0;    // causal attention to the last `window` tokens; 0: to all
  bool blocks = false;  // attention within blocks of `window` tokens instead, causal or not
};

// Linear attention, computed chunk by chunk (cost/layers/scan.h). Each head has its own values and state;
// `sharing` heads share queries and keys.
struct ScanShape {
  double heads;
  double key_width;
  double value_width;
  double sharing = 1;
  ScanForm form = {};
};

// `count` sequences of `length` tokens each.
struct Sequences {
  double count;
  double length;

  friend bool operator==(const Sequences&, const Sequences&) = default;
};

// The number of pairs of tokens in the same sequence.
inline double pairs_of(std::span<const Sequences> sequences) {
  double pairs = 0;
  for (const auto& [count, length] : sequences) pairs += count * length * length;
  return pairs;
}

// Factors on times, by the evidence of the time; 1 leaves the time unchanged.
struct TimeFactors {
  using ByEvidence = std::array<double, kEvidenceKinds>;
  static constexpr ByEvidence kNone = {1, 1, 1, 1, 1, 1};
  ByEvidence gemm = kNone;
  ByEvidence grouped_gemm = kNone;
  ByEvidence attention = kNone;  // and scans
  ByEvidence memory = kNone;
};

// Prices operators of one accelerator. The constructor fits the tables; copies share them. A query allocates
// only the memory in which a new product or attention is remembered.
class OperatorTimes {
 public:
  // Contract: the numbers of the accelerator and its tables are positive and finite.
  explicit OperatorTimes(const Accelerator& accelerator);
  // The same device with another generation of attention kernels. For every shape, attention takes longer by
  // the factor by which `kernel` takes longer on one long causal sequence.
  OperatorTimes with_attention(const AttentionKernel& kernel) const;
  // The same times, where attention is assumed to run by the platform's own kernels.
  OperatorTimes with_assumed_attention() const;
  // The same device with another latency of memory-bound operators.
  OperatorTimes with_memory_latency(Seconds latency) const;
  // Multiplies every time by its factor.
  OperatorTimes scaled(const TimeFactors& factors) const;

  // Sizes are above 0, whole or not. Times are above 0, and finite for sizes up to 1e7.
  Estimate gemm(const GemmShape& shape) const;
  Estimate grouped_gemm(const GroupedGemmShape& shape) const;
  // Operands in any format, results in BF16. Without a table of a narrow format, the BF16 time over the ratio
  // of the peaks, assumed. Contract: the accelerator has that format's peak.
  Estimate gemm(const GemmShape& shape, Operands operands) const;
  Estimate grouped_gemm(const GroupedGemmShape& shape, Operands operands) const;
  // One call over all sequences. A backward is the backward of this call: all gradients of Q, K and V, with
  // the scores computed again. Sequences with no count or no length take no time. A window shorter than a
  // sequence is priced by its pairs, in squares as wide as the window (operator_times.cpp).
  Estimate attention(const AttentionShape& shape, std::span<const Sequences> sequences, bool backward) const;
  // The same with Q, K and V in FP8, casts not included: the BF16 time over the speed-up that the accelerator
  // states. What it does not state takes as long as in BF16.
  Estimate fp8_attention(const AttentionShape& shape, std::span<const Sequences> sequences,
                         bool backward) const;
  // Reads and writes `traffic` and hardly computes: norms, activations, residual sums. Each kernel also takes
  // Accelerator::memory_latency.
  Estimate memory(Bytes traffic, double kernels = 1) const;
  // A product that adds `traffic` of gradients to the accumulated ones. It takes longer by
  // exposed_accumulation's share of that traffic's time, and at least that traffic's time.
  Estimate accumulating(const Estimate& product, Bytes traffic) const;
  // Linear attention: one call over all sequences. The gated delta rule takes what the table of scans says;
  // other rules, and all without a table, the roofline over the traffic of their kernels (operator_work.h)
  // with attention's efficiency.
  Estimate scan(const ScanShape& shape, std::span<const Sequences> sequences, bool backward) const;

 private:
  // Factor on the time of the platform's own kernels.
  struct Longer {
    double times = 1;
    Evidence evidence = Evidence::Measured;
  };

  Estimate in_a_long_run(Estimate alone, const TimeFactors::ByEvidence& factors) const;
  // The time of work that the clock bounds.
  Estimate computing(Estimate alone, const TimeFactors::ByEvidence& factors) const;

  struct Fitted;
  std::shared_ptr<const Fitted> fitted_;
  Longer attention_, attention_backward_;
  std::optional<Seconds> memory_latency_;  // if not the accelerator's
  TimeFactors factors_;
};

}  // namespace spillway
