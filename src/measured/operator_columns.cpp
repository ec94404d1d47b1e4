#include "measured/operator_columns.h"

#include <algorithm>

namespace spillway {
namespace {

std::optional<TimeColumn> time_column(const Fields& header) {
  if (const auto s = column(header, {"time_s", "latency_s"})) return TimeColumn{*s, 1};
  if (const auto ms = column(header, {"time_ms", "latency_ms"})) return TimeColumn{*ms, 1e-3};
  if (const auto us = column(header, {"time_us", "latency_us"})) return TimeColumn{*us, 1e-6};
  return std::nullopt;
}

std::vector<std::size_t> all_of(const std::vector<std::optional<std::size_t>>& columns) {
  std::vector<std::size_t> found;
  for (const auto& index : columns)
    if (index) found.push_back(*index);
  return found.size() == columns.size() ? found : std::vector<std::size_t>();
}

}  // namespace

std::optional<std::size_t> column(const Fields& header, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    const auto found = std::find(header.begin(), header.end(), name);
    if (found != header.end()) return static_cast<std::size_t>(found - header.begin());
  }
  return std::nullopt;
}

OperatorColumns operator_columns(const Fields& header) {
  OperatorColumns columns;
  columns.count = header.size();
  columns.sizes = all_of({column(header, {"m"}), column(header, {"n"}), column(header, {"k"})});
  if (columns.sizes.empty())
    columns.sizes = all_of({column(header, {"batch_size", "batch"}), column(header, {"isl", "length"}),
                            column(header, {"num_heads", "heads"}), column(header, {"head_dim"})});
  columns.time = time_column(header);
  columns.device = column(header, {"device"});
  columns.kernel = column(header, {"kernel_source"});
  return columns;
}

bool is_operator_table(const Fields& header) {
  return column(header, {"groups"}) || column(header, {"causal"});
}

bool is_operator_header(const Fields& header) {
  return is_operator_table(header) || !operator_columns(header).sizes.empty();
}

}  // namespace spillway
