#include "cost/operators/operator_surfaces.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "base/error.h"
#include "cost/layers/conventions.h"
#include "cost/operators/operator_work.h"

namespace spillway {
namespace {

Point point_of(const GemmShape& shape) {
  return {0, std::log(shape.m), std::log(shape.n), std::log(shape.k)};
}

Point point_of(const GroupedGemmShape& shape) {
  return {std::log(shape.groups), std::log(shape.rows / shape.groups), std::log(shape.n), std::log(shape.k)};
}

// Heads and sequences are computed independently; only their product matters.
Point point_of(const AttentionShape& shape, Sequences sequences) {
  return {std::log(shape.key_width), std::log(shape.value_width), std::log(sequences.count * shape.heads),
          std::log(sequences.length)};
}

Point point_of(const ScanShape& shape, Sequences sequences) {
  return {std::log(shape.key_width), std::log(shape.value_width), std::log(sequences.count * shape.heads),
          std::log(sequences.length)};
}

GemmShape shape_of(const MeasuredGemm& row) {
  return {row.m, row.n, row.k};
}

GroupedGemmShape shape_of(const MeasuredGroupedGemm& row) {
  return {row.groups, row.rows, row.n, row.k};
}

TimedShape measured(const MeasuredGemm& row) {
  const GemmShape shape = shape_of(row);
  return {point_of(shape), operator_work(shape), row.time};
}

TimedShape measured(const MeasuredGroupedGemm& row) {
  const GroupedGemmShape shape = shape_of(row);
  return {point_of(shape), operator_work(shape), row.time};
}

TimedShape measured(const MeasuredAttention& row) {
  const AttentionShape shape{row.heads, row.key_value_heads, row.key_width, row.value_width, row.causal};
  const Sequences sequences{row.batch, row.length};
  return {point_of(shape, sequences), operator_work(shape, sequences, row.backward), row.time};
}

TimedShape measured(const MeasuredScan& row) {
  const ScanShape shape{row.heads, row.key_width, row.value_width};
  const Sequences sequences{row.batch, row.length};
  return {point_of(shape, sequences), operator_work(shape, sequences, row.backward), row.time};
}

// The highest bytes/s of any row.
template <class Row>
BytesPerSecond shown(const std::vector<Row>& table) {
  BytesPerSecond most;
  for (const Row& row : table) {
    const TimedShape work = measured(row);
    most = std::max(most, BytesPerSecond(work.work.traffic.value() / work.time.value()));
  }
  return most;
}

template <class Row>
std::optional<EfficiencySurface> fitted(const std::vector<Row>& table, BytesPerSecond memory) {
  std::vector<TimedShape> rows;
  rows.reserve(table.size());
  for (const Row& row : table) rows.push_back(measured(row));
  if (rows.empty()) return std::nullopt;
  return EfficiencySurface(std::move(rows), memory);
}

std::optional<EfficiencySurface> fitted(const std::vector<MeasuredAttention>& table, bool causal,
                                        bool backward, BytesPerSecond memory) {
  std::vector<MeasuredAttention> rows;
  for (const MeasuredAttention& row : table)
    if (row.causal == causal && row.backward == backward) rows.push_back(row);
  return fitted(rows, memory);
}

std::optional<EfficiencySurface> fitted(const std::vector<MeasuredScan>& table, bool backward,
                                        BytesPerSecond memory) {
  std::vector<MeasuredScan> rows;
  for (const MeasuredScan& row : table)
    if (row.backward == backward) rows.push_back(row);
  return fitted(rows, memory);
}

template <class Row>
std::optional<EfficiencySurface> fitted_narrow(const std::vector<Row>& table, Bytes element,
                                               BytesPerSecond memory) {
  std::vector<TimedShape> rows;
  for (const Row& row : table) {
    TimedShape one = measured(row);
    one.work.traffic = operator_work(shape_of(row), element).traffic;
    rows.push_back(one);
  }
  if (rows.empty()) return std::nullopt;
  return EfficiencySurface(std::move(rows), memory);
}

// An estimate from a table is no better than the table.
Estimate at_best(Evidence evidence, const Estimate& estimate) {
  return {estimate.time, weaker(evidence, estimate.evidence)};
}

}  // namespace

OperatorSurfaces::OperatorSurfaces(const OperatorTables& tables)
    : gemm_evidence_(tables.gemm_evidence),
      grouped_gemm_evidence_(tables.grouped_gemm_evidence),
      attention_evidence_(tables.attention_evidence),
      scan_evidence_(tables.scan_evidence) {
  const BytesPerSecond memory =
      std::max({shown(tables.gemms), shown(tables.grouped_gemms), shown(tables.attentions)});
  gemm_ = fitted(tables.gemms, memory);
  grouped_gemm_ = fitted(tables.grouped_gemms, memory);
  narrow_.emplace_back(tables.fp8, kFp8Element, memory);
  narrow_.emplace_back(tables.fp8_blocks, kFp8Element, memory);
  narrow_.emplace_back(tables.fp4, kFp4Element, memory);
  for (const bool causal : {false, true})
    for (const bool backward : {false, true})
      attention_[causal][backward] = fitted(tables.attentions, causal, backward, memory);
  for (const bool backward : {false, true}) scan_[backward] = fitted(tables.scans, backward, memory);
}

std::optional<Estimate> OperatorSurfaces::gemm(const GemmShape& shape) const {
  if (!gemm_) return std::nullopt;
  return products_->of({shape.m, shape.n, shape.k}, [&] {
    return at_best(gemm_evidence_, gemm_->at(point_of(shape), operator_work(shape)));
  });
}

std::optional<Estimate> OperatorSurfaces::grouped_gemm(const GroupedGemmShape& shape) const {
  if (grouped_gemm_)
    return at_best(grouped_gemm_evidence_, grouped_gemm_->at(point_of(shape), operator_work(shape)));
  const std::optional<Estimate> one = gemm({shape.rows / shape.groups, shape.n, shape.k});
  if (!one) return std::nullopt;
  const Seconds another = std::max(one->time - gemm_->launch(), Seconds());
  return at_best(Evidence::Extrapolated, {one->time + (shape.groups - 1) * another, one->evidence});
}

OperatorSurfaces::Narrow::Narrow(const ProductTables& tables, Bytes size, BytesPerSecond memory)
    : element(size),
      gemm(fitted_narrow(tables.gemms, size, memory)),
      grouped_gemm(fitted_narrow(tables.grouped_gemms, size, memory)),
      gemm_evidence(tables.gemm_evidence),
      grouped_gemm_evidence(tables.grouped_gemm_evidence) {}

std::optional<Estimate> OperatorSurfaces::Narrow::at(const GemmShape& shape) const {
  if (!gemm) return std::nullopt;
  return remembered->of({shape.m, shape.n, shape.k}, [&] {
    return at_best(gemm_evidence, gemm->at(point_of(shape), operator_work(shape, element)));
  });
}

std::optional<Estimate> OperatorSurfaces::Narrow::at(const GroupedGemmShape& shape) const {
  if (grouped_gemm)
    return at_best(grouped_gemm_evidence, grouped_gemm->at(point_of(shape), operator_work(shape, element)));
  const std::optional<Estimate> one = at(GemmShape{shape.rows / shape.groups, shape.n, shape.k});
  if (!one) return std::nullopt;
  const Seconds another = std::max(one->time - gemm->launch(), Seconds());
  return at_best(Evidence::Extrapolated, {one->time + (shape.groups - 1) * another, one->evidence});
}

template <class At>
std::optional<Estimate> OperatorSurfaces::first_known(Operands operands, At at) const {
  ensure(operands != Operands::Bf16, "a narrow format");
  if (operands == Operands::Fp4) return at(narrow_[2]);
  const bool blocks = operands == Operands::Fp8Blocks;
  const std::optional<Estimate> own = at(narrow_[blocks ? 1 : 0]);
  if (own) return own;
  const std::optional<Estimate> other = at(narrow_[blocks ? 0 : 1]);
  if (!other) return std::nullopt;
  return at_best(Evidence::Extrapolated, *other);
}

std::optional<Estimate> OperatorSurfaces::narrow_gemm(Operands operands, const GemmShape& shape) const {
  return first_known(operands, [&](const Narrow& format) { return format.at(shape); });
}

std::optional<Estimate> OperatorSurfaces::narrow_grouped_gemm(Operands operands,
                                                              const GroupedGemmShape& shape) const {
  return first_known(operands, [&](const Narrow& format) { return format.at(shape); });
}

std::optional<Estimate> OperatorSurfaces::attention(const AttentionShape& shape, Sequences sequences,
                                                    bool backward) const {
  const Surface* surface = &attention_[shape.causal][backward];
  Evidence evidence = attention_evidence_;
  for (const Surface* other : {&attention_[!shape.causal][backward], &attention_[shape.causal][!backward],
                               &attention_[!shape.causal][!backward]}) {
    if (*surface) break;
    surface = other;
    evidence = weaker(attention_evidence_, Evidence::Extrapolated);
  }
  if (!*surface) return std::nullopt;
  const double kind = (shape.causal ? 2 : 0) + (backward ? 1 : 0);
  return calls_->of({shape.heads, shape.key_value_heads, shape.key_width, shape.value_width, sequences.count,
                     sequences.length, kind},
                    [&] {
                      return at_best(evidence, (*surface)->at(point_of(shape, sequences),
                                                              operator_work(shape, sequences, backward)));
                    });
}

std::optional<Estimate> OperatorSurfaces::scan(const ScanShape& shape, Sequences sequences,
                                               bool backward) const {
  const Surface& own = scan_[backward];
  const Surface& surface = own ? own : scan_[!backward];
  if (!surface) return std::nullopt;
  const Evidence evidence = own ? scan_evidence_ : weaker(scan_evidence_, Evidence::Extrapolated);
  return at_best(evidence,
                 surface->at(point_of(shape, sequences), operator_work(shape, sequences, backward)));
}

}  // namespace spillway
