// Where a CSV file of single operators has what (operator_csv.h). Private to src/traces.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "traces/files/csv_table.h"

namespace spillway {

struct TimeColumn {
  std::size_t column;
  double seconds;  // of one unit
};

// Columns of the table that they were found in. Without sizes or time where the header lacks them.
struct OperatorColumns {
  std::vector<std::size_t> sizes;  // m, n, k, or batch, length, heads, width
  std::optional<TimeColumn> time;
  std::optional<std::size_t> device;
  std::optional<std::size_t> kernel;
};

OperatorColumns operator_columns(CsvTable& table);

// Whether the header is an operator table's (input/platform/operator_table.h) that only those have; they are
// read where platforms are.
bool is_operator_table(CsvTable& table);

}  // namespace spillway
