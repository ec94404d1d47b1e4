#include "report/table.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/printable.h"

namespace spillway {

std::string table_text(std::vector<std::vector<std::string>> rows) {
  for (auto& row : rows)
    for (std::string& cell : row) cell = printable(cell);
  std::vector<std::size_t> widths(rows.front().size(), 0);
  for (const auto& row : rows)
    for (std::size_t column = 0; column < row.size(); ++column)
      widths[column] = std::max(widths[column], row[column].size());
  std::string text;
  for (const auto& row : rows) {
    text += fmt::format("  {:<{}}", row[0], widths[0]);
    for (std::size_t column = 1; column < row.size(); ++column)
      text += fmt::format("  {:>{}}", row[column], widths[column]);
    text += '\n';
  }
  return text;
}

}  // namespace spillway
