#include "calibrate/operator_errors.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "cost/operators/operator_times.h"

namespace spillway {
namespace {

auto shape(const MeasuredGemm& row) {
  return std::array{row.m, row.n, row.k};
}
auto shape(const MeasuredGroupedGemm& row) {
  return std::array{row.groups, row.rows, row.n, row.k};
}
auto shape(const MeasuredAttention& row) {
  return std::array{double(row.causal), double(row.backward), row.batch,     row.length,
                    row.heads,          row.key_value_heads,  row.key_width, row.value_width};
}

Seconds row_time(const OperatorTimes& times, const MeasuredGemm& row) {
  return times.gemm({row.m, row.n, row.k}).time;
}
Seconds row_time(const OperatorTimes& times, const MeasuredGroupedGemm& row) {
  return times.grouped_gemm({row.groups, row.rows, row.n, row.k}).time;
}
Seconds row_time(const OperatorTimes& times, const MeasuredAttention& row) {
  const std::array<Sequences, 1> sequences = {{{row.batch, row.length}}};
  return times
      .attention({row.heads, row.key_value_heads, row.key_width, row.value_width, row.causal}, sequences,
                 row.backward)
      .time;
}

// Puts every other shape into `fitted`, and returns the rows of the shapes between.
template <class Row>
std::vector<Row> held_back_of(std::vector<Row> rows, std::vector<Row>& fitted) {
  std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return shape(a) < shape(b); });
  std::vector<Row> held_back;
  std::size_t distinct = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i > 0 && shape(rows[i]) != shape(rows[i - 1])) ++distinct;
    (distinct % 2 == 0 ? fitted : held_back).push_back(rows[i]);
  }
  return held_back;
}

template <class Row>
void add_error(const std::string& what, const OperatorTimes& times, const std::vector<Row>& rows,
               std::vector<HeldBackError>& all) {
  if (rows.empty()) return;
  std::vector<double> errors;
  for (const Row& row : rows) errors.push_back(row_time(times, row) / row.time - 1);
  all.push_back({error_summary(errors), what});
}

// A row is one operator run alone, so the sustained rate does not apply.
Accelerator alone(Accelerator accelerator) {
  accelerator.sustained = not_stated(1.0);
  return accelerator;
}

}  // namespace

std::vector<HeldBackError> table_errors(const OperatorTables& tables, const Accelerator& accelerator) {
  Accelerator with_half = alone(accelerator);
  OperatorTables half;
  const auto gemms = held_back_of(tables.gemms, half.gemms);
  const auto grouped = held_back_of(tables.grouped_gemms, half.grouped_gemms);
  const auto attentions = held_back_of(tables.attentions, half.attentions);
  with_half.operators = std::move(half);
  const OperatorTimes times(with_half);
  const std::string how = " of any size, by a table of the other half";
  std::vector<HeldBackError> all;
  add_error("matrix products" + how, times, gemms, all);
  add_error("grouped matrix products" + how, times, grouped, all);
  add_error("attentions" + how, times, attentions, all);
  return all;
}

std::vector<HeldBackError> operator_errors(const Platform& platform, const Samples& measured) {
  const OperatorTimes times(alone(platform.accelerator));
  std::vector<HeldBackError> all;
  add_error("matrix products", times, measured.operators.gemms, all);
  add_error("grouped matrix products", times, measured.operators.grouped_gemms, all);
  add_error("attentions", times, measured.operators.attentions, all);
  return all;
}

}  // namespace spillway
