// Where a CSV file of single operators has what (operator_csv.h). Private to src/measured.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <vector>

namespace spillway {

using Fields = std::vector<std::string_view>;

struct TimeColumn {
  std::size_t index;
  double seconds;  // of one unit
};

// Without sizes or time where the header lacks them.
struct OperatorColumns {
  std::size_t count = 0;
  std::vector<std::size_t> sizes;  // m, n, k, or batch, length, heads, width
  std::optional<TimeColumn> time;
  std::optional<std::size_t> device;
  std::optional<std::size_t> kernel;
};

OperatorColumns operator_columns(const Fields& header);

// Whether the header has the sizes of an operator, or is one of an operator table's (spec/operator_table.h).
bool is_operator_header(const Fields& header);

// An operator table's that only those have; they are read where platforms are.
bool is_operator_table(const Fields& header);

// The first of `names` that the header has.
std::optional<std::size_t> column(const Fields& header, std::initializer_list<std::string_view> names);

}  // namespace spillway
