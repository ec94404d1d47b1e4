// A table of text for the terminal: columns are as wide as their widest cell; the first is aligned left, the
// others right.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace spillway {

using TableRows = std::vector<std::vector<std::string>>;

// The longest line. Columns beyond it go into another part below, beside a copy of the first column.
inline constexpr std::size_t kTableColumns = 100;

// The first row is the heading. Contract: all rows are equally long. Each line is indented by two; cells are
// made printable.
std::string table_text(TableRows rows);

}  // namespace spillway
