// The rows of a CSV file with a header, read one at a time, and what is wrong with them by line. Private to
// src/measured.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/number.h"
#include "measured/line_source.h"

namespace spillway {

class CsvTable {
 public:
  // Reads up to the header, the first line that is neither blank nor a comment ("# ..."). `columns` have to
  // be in it, in any order; others are ignored. Throws InputError naming every column that is missing, or
  // where there is no header.
  CsvTable(const std::string& path, std::span<const std::string_view> columns);

  const std::string& path() const { return lines_.path(); }
  // Those before the header, without "# ".
  const std::vector<std::string>& comments() const { return comments_; }

  // Goes to the next row; false at the end of the file. Blank lines and comments are left out, a row without
  // a field for each column of the header is a violation and left out too.
  bool next();
  std::size_t line() const { return lines_.number(); }  // of the row, from 1

  // The field of the row in columns[column], a view until the next row.
  std::string_view text(std::size_t column) const { return fields_[places_[column]]; }

  // The same as a number; anything else, or one that does not fit, is a violation and no value.
  template <class Number>
  std::optional<Number> number(std::size_t column, std::string_view expected) {
    const auto value = number_from<Number>(text(column));
    if (!value) refuse(column, expected);
    return value;
  }

  // This row has something else than what is expected in a column.
  void refuse(std::size_t column, std::string_view expected);
  void refuse(std::string expected, std::string found);

  // Throws InputError if any row was refused: the first twenty, the others counted.
  void throw_if_any() const;

 private:
  void read_header(std::span<const std::string_view> columns);

  LineSource lines_;
  std::vector<std::string> comments_;
  std::vector<std::string_view> names_;
  std::vector<std::size_t> places_;  // [column]: the field's place in a row
  std::vector<std::string_view> fields_;
  std::size_t width_ = 0;  // fields in the header
  std::vector<Violation> violations_;
  std::size_t beyond_ = 0;
};

}  // namespace spillway
