// Uses the tables first (operator_surfaces.h), and the roofline where they have no answer.
//
// A batch of unequal sequences is one call. Sequences of a length take their share, by tokens, of the time of
// a call of as many tokens in sequences of that length. For equal sequences that is the call itself.
//
// A window of w tokens leaves n w - w^2 / 2 pairs of a sequence of n. That equals n / w - 1/2 squares of w x
// w, priced from the tables of attention without a mask. A kernel reads keys by tiles: all tiles that any of
// its 128 queries sees (Dao 2023, arXiv 2307.08691, section 3.3), so w + 128 keys for w useful ones.
// Attention with a window never takes longer than without. No table measures windows, so the time is
// extrapolated. Blocks of w tokens are n / w sequences of w.
#include "cost/operators/operator_times.h"

#include <algorithm>
#include <optional>

#include "cost/operators/operator_surfaces.h"
#include "cost/operators/operator_work.h"

namespace spillway {
namespace {

// Generations of attention kernels are compared on this sequence. Published figures level off there (arXiv
// 2307.08691, figures 4 to 7; arXiv 2407.08608, figures 5 and 6).
constexpr AttentionShape kLongAttention{
    .heads = 32, .key_value_heads = 32, .key_width = 128, .value_width = 128, .causal = true};
constexpr Sequences kLongSequence{.count = 1, .length = 16384};

constexpr double kQueriesOfATile = 128;

// One call over sequences, whose lengths may differ. price(alike) is the time of a call over equal ones.
template <class Price>
Estimate one_call(std::span<const Sequences> sequences, Price price) {
  double tokens = 0;
  for (const auto& [count, length] : sequences) tokens += count * length;
  Estimate total{Seconds(), Evidence::Measured};
  double length_before = 0;
  for (const auto& [count, length] : sequences) {
    const double share = count * length / tokens;
    if (!(share > 0)) continue;
    const Estimate alike = price(Sequences{tokens / length, length});
    total = {total.time + share * alike.time, weaker(total.evidence, alike.evidence)};
    const bool unequal = length_before != 0 && length != length_before;
    if (unequal) total.evidence = weaker(total.evidence, Evidence::Derived);
    length_before = length;
  }
  return total;
}

}  // namespace

struct OperatorTimes::Fitted {
  explicit Fitted(const Accelerator& device)
      : peak(device.peak),
        efficiency(device.efficiency),
        sustained(device.sustained),
        clock(clock_kept(device)),
        memory{device.memory_bandwidth.value * efficiency.memory.value,
               weaker(device.memory_bandwidth.evidence, efficiency.memory.evidence),
               {}},
        memory_latency(device.memory_latency.value),
        exposed_accumulation(device.exposed_accumulation),
        surfaces(device.operators) {
    if (device.fp8_peak) faster_in_fp8 = device.fp8_peak->value / device.peak.value;
    if (device.fp4_peak) faster_in_fp4 = device.fp4_peak->value / device.peak.value;
    fp8_attention = {device.fp8_attention_forward, device.fp8_attention_backward};
  }

  Estimate gemm(const GemmShape& shape) const {
    const auto known = surfaces.gemm(shape);
    return known ? *known : roofline(operator_work(shape), efficiency.gemm);
  }

  Estimate grouped_gemm(const GroupedGemmShape& shape) const {
    const auto known = surfaces.grouped_gemm(shape);
    return known ? *known : roofline(operator_work(shape), efficiency.grouped_gemm);
  }

  Estimate gemm(const GemmShape& shape, Operands operands) const {
    if (operands == Operands::Bf16) return gemm(shape);
    if (const auto known = surfaces.narrow_gemm(operands, shape)) return *known;
    return by_peaks(gemm(shape), operands);
  }

  Estimate grouped_gemm(const GroupedGemmShape& shape, Operands operands) const {
    if (operands == Operands::Bf16) return grouped_gemm(shape);
    if (const auto known = surfaces.narrow_grouped_gemm(operands, shape)) return *known;
    return by_peaks(grouped_gemm(shape), operands);
  }

  Estimate by_peaks(const Estimate& bf16, Operands operands) const {
    return {bf16.time / (operands == Operands::Fp4 ? faster_in_fp4 : faster_in_fp8), Evidence::Assumed};
  }

  Estimate roofline(const OperatorWork& work, const Sourced<double>& achieved) const {
    const Seconds computing = work.flops / (peak.value * achieved.value);
    const Estimate moving = traffic(work.traffic);
    if (moving.time > computing) return moving;
    return {computing, weaker(peak.evidence, achieved.evidence)};
  }

  Estimate traffic(Bytes bytes) const { return {bytes / memory.value, memory.evidence}; }

  // All sequences have equal length.
  Estimate attention(const AttentionShape& shape, Sequences sequences, bool backward) const {
    const Estimate whole = all_attention(shape, sequences, backward);
    if (shape.window == 0 || shape.window >= sequences.length) return whole;
    if (shape.blocks) {
      const Sequences blocks{sequences.count * sequences.length / shape.window, shape.window};
      const Estimate each = all_attention(shape, blocks, backward);
      return {std::min(whole.time, each.time), each.evidence};
    }
    AttentionShape square = shape;
    square.causal = false;
    const double squares = sequences.length / shape.window - 0.5;
    const Estimate inside = all_attention(square, {sequences.count * squares, shape.window}, backward);
    const Seconds time = inside.time * ((shape.window + kQueriesOfATile) / shape.window);
    return {std::min(whole.time, time), weaker(inside.evidence, Evidence::Extrapolated)};
  }

  Estimate all_attention(const AttentionShape& shape, Sequences sequences, bool backward) const {
    if (const auto known = surfaces.attention(shape, sequences, backward)) return *known;
    return roofline(operator_work(shape, sequences, backward),
                    backward ? efficiency.attention_backward : efficiency.attention);
  }

  // All sequences have equal length.
  Estimate scan(const ScanShape& shape, Sequences sequences, bool backward) const {
    const bool tabled = shape.form.rule == ScanRule::DeltaRule;
    if (const auto known = tabled ? surfaces.scan(shape, sequences, backward) : std::nullopt) return *known;
    return roofline(operator_work(shape, sequences, backward),
                    backward ? efficiency.attention_backward : efficiency.attention);
  }

  Sourced<FlopsPerSecond> peak;
  Efficiencies efficiency;
  Sourced<double> sustained;
  Sourced<double> clock;
  Sourced<BytesPerSecond> memory;
  Seconds memory_latency;
  std::optional<Sourced<double>> exposed_accumulation;
  OperatorSurfaces surfaces;
  double faster_in_fp8 = 1, faster_in_fp4 = 1;
  std::array<std::optional<Sourced<double>>, 2> fp8_attention;  // by backward
};

OperatorTimes::OperatorTimes(const Accelerator& accelerator)
    : fitted_(std::make_shared<const Fitted>(accelerator)) {}

Estimate OperatorTimes::in_a_long_run(Estimate alone, const TimeFactors::ByEvidence& factors) const {
  const Sourced<double>& sustained = fitted_->sustained;
  const double factor = factors[static_cast<std::size_t>(alone.evidence)];
  if (sustained.value == 1) return {alone.time * factor, alone.evidence};
  return {alone.time * factor / sustained.value, weaker(alone.evidence, sustained.evidence)};
}

Estimate OperatorTimes::computing(Estimate alone, const TimeFactors::ByEvidence& factors) const {
  const Sourced<double>& clock = fitted_->clock;
  if (clock.value == 1) return in_a_long_run(alone, factors);
  return in_a_long_run({alone.time / clock.value, weaker(alone.evidence, clock.evidence)}, factors);
}

OperatorTimes OperatorTimes::scaled(const TimeFactors& factors) const {
  OperatorTimes other = *this;
  other.factors_ = factors;
  return other;
}

Estimate OperatorTimes::gemm(const GemmShape& shape) const {
  return computing(fitted_->gemm(shape), factors_.gemm);
}

Estimate OperatorTimes::grouped_gemm(const GroupedGemmShape& shape) const {
  return computing(fitted_->grouped_gemm(shape), factors_.grouped_gemm);
}

Estimate OperatorTimes::gemm(const GemmShape& shape, Operands operands) const {
  return computing(fitted_->gemm(shape, operands), factors_.gemm);
}

Estimate OperatorTimes::grouped_gemm(const GroupedGemmShape& shape, Operands operands) const {
  return computing(fitted_->grouped_gemm(shape, operands), factors_.grouped_gemm);
}

Estimate OperatorTimes::attention(const AttentionShape& shape, std::span<const Sequences> sequences,
                                  bool backward) const {
  const Estimate total =
      one_call(sequences, [&](Sequences alike) { return fitted_->attention(shape, alike, backward); });
  const Longer& longer = backward ? attention_backward_ : attention_;
  return computing({total.time * longer.times, weaker(total.evidence, longer.evidence)}, factors_.attention);
}

Estimate OperatorTimes::fp8_attention(const AttentionShape& shape, std::span<const Sequences> sequences,
                                      bool backward) const {
  const Estimate bf16 = attention(shape, sequences, backward);
  const auto& faster = fitted_->fp8_attention[backward ? 1 : 0];
  if (!faster) return {bf16.time, weaker(bf16.evidence, Evidence::Assumed)};
  return {bf16.time / faster->value, weaker(bf16.evidence, faster->evidence)};
}

OperatorTimes OperatorTimes::with_attention(const AttentionKernel& kernel) const {
  OperatorTimes other = *this;
  const auto longer = [&](const Sourced<double>& achieved, bool backward) {
    const Seconds here = fitted_->attention(kLongAttention, kLongSequence, backward).time;
    const Seconds there =
        operator_work(kLongAttention, kLongSequence, backward).flops / (fitted_->peak.value * achieved.value);
    return Longer{there / here, weaker(achieved.evidence, Evidence::Derived)};
  };
  other.attention_ = longer(kernel.forward, false);
  other.attention_backward_ = longer(kernel.backward, true);
  return other;
}

OperatorTimes OperatorTimes::with_assumed_attention() const {
  OperatorTimes other = *this;
  other.attention_ = other.attention_backward_ = {1, Evidence::Assumed};
  return other;
}

OperatorTimes OperatorTimes::with_memory_latency(Seconds latency) const {
  OperatorTimes other = *this;
  other.memory_latency_ = latency;
  return other;
}

Estimate OperatorTimes::memory(Bytes traffic, double kernels) const {
  Estimate alone = fitted_->traffic(traffic);
  alone.time += memory_latency_.value_or(fitted_->memory_latency) * kernels;
  return in_a_long_run(alone, factors_.memory);
}

Estimate OperatorTimes::accumulating(const Estimate& product, Bytes traffic) const {
  const auto& exposed = fitted_->exposed_accumulation;
  const Estimate moved = memory(traffic);
  Estimate adds = product;
  if (exposed)
    adds = {product.time + memory(traffic * exposed->value, 0).time,
            weaker(product.evidence, weaker(moved.evidence, exposed->evidence))};
  return adds.time < moved.time ? moved : adds;
}

Estimate OperatorTimes::scan(const ScanShape& shape, std::span<const Sequences> sequences,
                             bool backward) const {
  const Estimate all =
      one_call(sequences, [&](Sequences alike) { return fitted_->scan(shape, alike, backward); });
  return computing(all, factors_.attention);
}

}  // namespace spillway
