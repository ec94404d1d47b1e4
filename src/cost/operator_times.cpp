// Which table prices which operator.
//
//   operator        table, in this order                       efficiency depends on
//   GEMM            GEMM                                       m, n, k
//   grouped GEMM    grouped GEMM                               rows of a group, n, k, groups
//                   GEMM, so often as there are groups, but launched once
//   attention       the same mask and direction                batch x heads, length, both widths
//                   the other mask; the other direction; both
//
// A batch of unequal sequences is one call: sequences of a length take their share, by tokens, of the time of
// a call of as many tokens in sequences of that length. For equal sequences that is the call itself.
#include "cost/operator_times.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "cost/conventions.h"
#include "cost/efficiency_surface.h"
#include "cost/operator_work.h"

namespace spillway {
namespace {

using Surface = std::optional<EfficiencySurface>;

Point point_of(const GemmShape& shape) {
  return {0, std::log(shape.m), std::log(shape.n), std::log(shape.k)};
}

Point point_of(const GroupedGemmShape& shape) {
  return {std::log(shape.groups), std::log(shape.rows / shape.groups), std::log(shape.n), std::log(shape.k)};
}

// Heads and sequences are computed apart from each other; only how many there are together matters.
Point point_of(const AttentionShape& shape, Sequences sequences) {
  return {std::log(shape.key_width), std::log(shape.value_width), std::log(sequences.count * shape.heads),
          std::log(sequences.length)};
}

MeasuredWork measured(const MeasuredGemm& row) {
  const GemmShape shape{row.m, row.n, row.k};
  return {point_of(shape), operator_work(shape), row.time};
}

MeasuredWork measured(const MeasuredGroupedGemm& row) {
  const GroupedGemmShape shape{row.groups, row.rows, row.n, row.k};
  return {point_of(shape), operator_work(shape), row.time};
}

MeasuredWork measured(const MeasuredAttention& row) {
  const AttentionShape shape{row.heads, row.key_value_heads, row.key_width, row.value_width, row.causal};
  const Sequences sequences{row.batch, row.length};
  return {point_of(shape, sequences), operator_work(shape, sequences, row.backward), row.time};
}

template <class Row>
Surface fitted(const std::vector<Row>& table, BytesPerSecond memory) {
  std::vector<MeasuredWork> rows;
  rows.reserve(table.size());
  for (const Row& row : table) rows.push_back(measured(row));
  if (rows.empty()) return std::nullopt;
  return EfficiencySurface(std::move(rows), memory);
}

Surface fitted(const std::vector<MeasuredAttention>& table, bool causal, bool backward,
               BytesPerSecond memory) {
  std::vector<MeasuredAttention> rows;
  for (const MeasuredAttention& row : table)
    if (row.causal == causal && row.backward == backward) rows.push_back(row);
  return fitted(rows, memory);
}

Estimate extrapolated(Seconds time) {
  return {time, Evidence::Extrapolated};
}

}  // namespace

struct OperatorTimes::Fitted {
  explicit Fitted(const Accelerator& device)
      : peak(device.peak), efficiency(device.efficiency), sustained_rate(device.sustained) {
    memory_rate = {device.memory_bandwidth.value * efficiency.memory.value,
                   weaker(device.memory_bandwidth.evidence, efficiency.memory.evidence),
                   {}};
    const OperatorTables& tables = device.operators;
    gemm = fitted(tables.gemms, memory_rate.value);
    grouped_gemm = fitted(tables.grouped_gemms, memory_rate.value);
    for (const bool causal : {false, true})
      for (const bool backward : {false, true})
        attention[causal][backward] = fitted(tables.attentions, causal, backward, memory_rate.value);
  }

  Estimate roofline(const OperatorWork& work, const Sourced<double>& achieved) const {
    const Seconds computing = work.flops / (peak.value * achieved.value);
    const Estimate moving = traffic(work.traffic);
    if (moving.time > computing) return moving;
    return {computing, weaker(peak.evidence, achieved.evidence)};
  }

  Estimate traffic(Bytes bytes) const { return {bytes / memory_rate.value, memory_rate.evidence}; }

  Estimate gemm_alone(const GemmShape& shape) const {
    const OperatorWork work = operator_work(shape);
    return gemm ? gemm->at(point_of(shape), work) : roofline(work, efficiency.gemm);
  }

  Estimate grouped_alone(const GroupedGemmShape& shape) const {
    const OperatorWork work = operator_work(shape);
    if (grouped_gemm) return grouped_gemm->at(point_of(shape), work);
    if (!gemm) return roofline(work, efficiency.grouped_gemm);
    const Seconds one = gemm_alone({shape.rows / shape.groups, shape.n, shape.k}).time;
    const Seconds another = std::max(one - gemm->launch(), Seconds());
    return extrapolated(one + (shape.groups - 1) * another);
  }

  // Equal sequences.
  Estimate attention_alone(const AttentionShape& shape, Sequences sequences, bool backward) const {
    const OperatorWork work = operator_work(shape, sequences, backward);
    const Point point = point_of(shape, sequences);
    if (const Surface& own = attention[shape.causal][backward]) return own->at(point, work);
    for (const Surface* other : {&attention[!shape.causal][backward], &attention[shape.causal][!backward],
                                 &attention[!shape.causal][!backward]})
      if (*other) return extrapolated((*other)->at(point, work).time);
    return roofline(work, backward ? efficiency.attention_backward : efficiency.attention);
  }

  Estimate sustained(Estimate alone) const {
    if (sustained_rate.value == 1) return alone;
    return {alone.time / sustained_rate.value, weaker(alone.evidence, sustained_rate.evidence)};
  }

  Sourced<FlopsPerSecond> peak;
  Efficiencies efficiency;
  Sourced<double> sustained_rate;
  Sourced<BytesPerSecond> memory_rate;
  Surface gemm;
  Surface grouped_gemm;
  std::array<std::array<Surface, 2>, 2> attention;  // by causal, by backward
};

OperatorTimes::OperatorTimes(const Accelerator& accelerator)
    : fitted_(std::make_shared<const Fitted>(accelerator)) {}

Estimate OperatorTimes::gemm(const GemmShape& shape) const {
  return fitted_->sustained(fitted_->gemm_alone(shape));
}

Estimate OperatorTimes::grouped_gemm(const GroupedGemmShape& shape) const {
  return fitted_->sustained(fitted_->grouped_alone(shape));
}

Estimate OperatorTimes::attention(const AttentionShape& shape, std::span<const Sequences> sequences,
                                  bool backward) const {
  double tokens = 0;
  for (const auto& [count, length] : sequences) tokens += count * length;
  Estimate total{Seconds(), Evidence::Measured};
  for (const auto& [count, length] : sequences) {
    const double share = count * length / tokens;
    if (!(share > 0)) continue;
    const Estimate alike = fitted_->attention_alone(shape, {tokens / length, length}, backward);
    total = {total.time + share * alike.time, weaker(total.evidence, alike.evidence)};
  }
  return fitted_->sustained(total);
}

Estimate OperatorTimes::memory(Bytes traffic) const {
  return fitted_->sustained(fitted_->traffic(traffic));
}

Estimate OperatorTimes::scan(Flops flops, Bytes traffic) const {
  return fitted_->sustained(fitted_->roofline({flops, traffic}, fitted_->efficiency.attention));
}

}  // namespace spillway
