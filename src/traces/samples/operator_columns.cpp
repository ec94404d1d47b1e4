#include "traces/samples/operator_columns.h"

#include <initializer_list>
#include <string_view>

namespace spillway {
namespace {

// The first of `names` that the header has.
std::optional<std::size_t> find_any(CsvTable& table, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names)
    if (const auto column = table.find(name)) return column;
  return std::nullopt;
}

std::optional<TimeColumn> time_column(CsvTable& table) {
  if (const auto s = find_any(table, {"time_s", "latency_s"})) return TimeColumn{*s, 1};
  if (const auto ms = find_any(table, {"time_ms", "latency_ms"})) return TimeColumn{*ms, 1e-3};
  if (const auto us = find_any(table, {"time_us", "latency_us"})) return TimeColumn{*us, 1e-6};
  return std::nullopt;
}

std::vector<std::size_t> all_of(const std::vector<std::optional<std::size_t>>& columns) {
  std::vector<std::size_t> found;
  for (const auto& column : columns)
    if (column) found.push_back(*column);
  return found.size() == columns.size() ? found : std::vector<std::size_t>();
}

}  // namespace

OperatorColumns operator_columns(CsvTable& table) {
  OperatorColumns columns;
  columns.sizes = all_of({table.find("m"), table.find("n"), table.find("k")});
  if (columns.sizes.empty())
    columns.sizes = all_of({find_any(table, {"batch_size", "batch"}), find_any(table, {"isl", "length"}),
                            find_any(table, {"num_heads", "heads"}), table.find("head_dim")});
  columns.time = time_column(table);
  columns.device = table.find("device");
  columns.kernel = table.find("kernel_source");
  return columns;
}

bool is_operator_table(CsvTable& table) {
  return find_any(table, {"groups", "causal"}).has_value();
}

}  // namespace spillway
