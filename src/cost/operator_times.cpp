#include "cost/operator_times.h"

#include <algorithm>

#include "cost/conventions.h"

namespace spillway {
namespace {

// Gradients of Q, K and V take two products each where the forward has one, and the scores a fifth one:
// 2.5 times the forward (Dao 2023, FlashAttention-2, arXiv 2307.08691, section 4.1).
constexpr double kBackwardProducts = 2.5;

struct Work {
  double flops = 0;
  double elements = 0;  // read and written
};

Work operator+(Work a, Work b) {
  return {a.flops + b.flops, a.elements + b.elements};
}

Work gemm_work(const GemmShape& shape) {
  const auto [m, n, k] = shape;
  return {kFlopsPerMac * m * n * k, m * k + k * n + m * n};
}

Work grouped_work(const GroupedGemmShape& shape) {
  const auto [groups, rows, n, k] = shape;
  return {kFlopsPerMac * rows * n * k, rows * k + groups * k * n + rows * n};
}

// Q and O have `heads` heads, K and V `key_value_heads`. The backward reads all four and the gradient of O,
// and writes three gradients.
Work attention_work(const AttentionShape& shape, Sequences sequences, bool backward) {
  const double tokens = sequences.count * sequences.length;
  const double square = tokens * sequences.length * (shape.causal ? kCausalShare : 1);
  const double widths = shape.key_width + shape.value_width;
  const double products = kFlopsPerMac * square * shape.heads * widths;
  const double elements = tokens * (shape.heads + shape.key_value_heads) * widths;
  if (!backward) return {products, elements};
  return {kBackwardProducts * products, 2 * elements + tokens * shape.heads * shape.value_width};
}

}  // namespace

struct OperatorTimes::Fitted {
  Accelerator accelerator;

  Estimate bound(const Work& work, const Sourced<double>& efficiency) const {
    const Seconds compute = Flops(work.flops) / (accelerator.peak.value * efficiency.value);
    const Estimate traffic = memory(work.elements * kElement);
    if (traffic.time > compute) return traffic;
    return {compute, weaker(accelerator.peak.evidence, efficiency.evidence)};
  }

  Estimate memory(Bytes traffic) const {
    const Sourced<double>& efficiency = accelerator.efficiency.memory;
    return {traffic / (accelerator.memory_bandwidth.value * efficiency.value),
            weaker(accelerator.memory_bandwidth.evidence, efficiency.evidence)};
  }

  Estimate sustained(Estimate alone) const {
    const Sourced<double>& kept = accelerator.sustained;
    if (kept.value == 1) return alone;
    return {alone.time / kept.value, weaker(alone.evidence, kept.evidence)};
  }
};

OperatorTimes::OperatorTimes(const Accelerator& accelerator)
    : fitted_(std::make_shared<const Fitted>(Fitted{accelerator})) {}

Estimate OperatorTimes::gemm(const GemmShape& shape) const {
  return fitted_->sustained(fitted_->bound(gemm_work(shape), fitted_->accelerator.efficiency.gemm));
}

Estimate OperatorTimes::grouped_gemm(const GroupedGemmShape& shape) const {
  return fitted_->sustained(
      fitted_->bound(grouped_work(shape), fitted_->accelerator.efficiency.grouped_gemm));
}

Estimate OperatorTimes::attention(const AttentionShape& shape, std::span<const Sequences> sequences,
                                  bool backward) const {
  Work work;
  for (const Sequences& some : sequences) work = work + attention_work(shape, some, backward);
  const Efficiencies& efficiency = fitted_->accelerator.efficiency;
  return fitted_->sustained(
      fitted_->bound(work, backward ? efficiency.attention_backward : efficiency.attention));
}

Estimate OperatorTimes::memory(Bytes traffic) const {
  return fitted_->sustained(fitted_->memory(traffic));
}

}  // namespace spillway
