// A table of text for the terminal: columns as wide as their widest cell, the first flush left, the others
// right.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace spillway {

using TableRows = std::vector<std::vector<std::string>>;

// A line is no longer than this: the columns that would be beyond stand in another part below, beside the
// first.
inline constexpr std::size_t kTableColumns = 100;

// Contract: every row as long as the first, which is the heading. Each line is indented by two; cells
// are made printable.
std::string table_text(TableRows rows);

}  // namespace spillway
