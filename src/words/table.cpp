#include "words/table.h"

#include <algorithm>

#include "base/printable.h"
#include "base/utf8.h"
#include "words/wording.h"

namespace spillway {
namespace {

// The blanks between columns, and before lines.
constexpr std::size_t kGap = 2;

std::vector<std::size_t> widths_of(const TableRows& rows) {
  std::vector<std::size_t> widths(rows.front().size(), 0);
  for (const auto& row : rows)
    for (std::size_t column = 0; column < row.size(); ++column)
      widths[column] = std::max(widths[column], display_width(row[column]));
  return widths;
}

// One past the last column that fits on a line with columns from `first` on, beside the first column. At
// least one fits.
std::size_t end_of_part(const std::vector<std::size_t>& widths, std::size_t first) {
  std::size_t width = kGap + widths.front(), end = first;
  while (end < widths.size() && (end == first || width + kGap + widths[end] <= kTableColumns))
    width += kGap + widths[end++];
  return end;
}

std::string part_text(const TableRows& rows, const std::vector<std::size_t>& widths, std::size_t first,
                      std::size_t end) {
  std::string text;
  for (const auto& row : rows) {
    text += std::string(kGap, ' ') + row.front() + padding(row.front(), widths.front());
    for (std::size_t column = first; column < end; ++column)
      text += std::string(kGap, ' ') + padding(row[column], widths[column]) + row[column];
    text += '\n';
  }
  return text;
}

}  // namespace

std::string table_text(TableRows rows) {
  for (auto& row : rows)
    for (std::string& cell : row) cell = printable(cell);
  const std::vector<std::size_t> widths = widths_of(rows);
  if (widths.size() == 1) return part_text(rows, widths, 1, 1);
  std::string text;
  for (std::size_t first = 1; first < widths.size();) {
    const std::size_t end = end_of_part(widths, first);
    text += part_text(rows, widths, first, end);
    first = end;
  }
  return text;
}

}  // namespace spillway
