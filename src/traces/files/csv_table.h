// Reads the rows of a CSV file with a header, one at a time, and records violations by line. Private to
// src/traces.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/findings.h"
#include "base/number.h"
#include "traces/files/line_source.h"

namespace spillway {

class CsvTable {
 public:
  // Reads up to the header, the first line that is neither blank nor a comment ("# ..."). The header must
  // have `columns`, in any order; other columns are ignored. Throws InputError that names every missing
  // column, or if there is no header.
  explicit CsvTable(const std::string& path, std::span<const std::string_view> columns = {});

  const std::string& path() const { return lines_.path(); }
  // The comments before the header, without "# ".
  const std::vector<std::string>& comments() const { return comments_; }
  const std::string& header() const { return header_; }  // the unchanged line

  // Adds the first column whose name fits. Returns its number for text() and number() below; the columns of
  // the constructor are numbered as in `columns`. Returns nothing if the header has no such name.
  std::optional<std::size_t> find(std::string_view name);
  std::optional<std::size_t> find_if(const std::function<bool(std::string_view name)>& will_do);

  // Goes to the next row. Returns false at the end of the file. Blank lines and comments are left out. A row
  // whose number of fields differs from the header's is a violation and is left out, too.
  bool next();
  // Records a violation if the last line that was read has no end: then the file was cut.
  void require_end();
  // The line of the row, or of the header before the first row: from 1, and as "line 1".
  std::size_t line() const { return lines_.number(); }
  std::string place() const { return lines_.place(); }

  // The row's field in a column. The view holds until the next row.
  std::string_view text(std::size_t column) const { return fields_[places_[column]]; }

  // The field as a number. Any other text, or a number that does not fit, is a violation and returns nothing.
  template <class Number>
  std::optional<Number> number(std::size_t column, std::string_view expected) {
    const auto value = number_from<Number>(text(column));
    if (!value) refuse(column, expected);
    return value;
  }

  // A number without a fraction, from `least` to `most`. 8.0 is accepted, because table libraries write
  // counts so.
  std::optional<double> whole_number(std::size_t column, double least, double most,
                                     std::string_view expected);
  std::optional<std::uint32_t> count(std::size_t column);

  // Records a violation: this row does not have what is expected in a column.
  void refuse(std::size_t column, std::string_view expected);
  void refuse(std::string expected, std::string found);

  // The violations so far.
  Findings& refused() { return refused_; }
  void throw_if_any() const { refused_.throw_if_any(); }

 private:
  void require(std::string_view column);

  LineSource lines_;
  Findings refused_;
  std::vector<std::string> comments_;
  std::string header_;
  std::vector<std::string> names_;   // of the header, by place
  std::vector<std::size_t> places_;  // [column]: the field's place in a row
  std::vector<std::string_view> fields_;
};

}  // namespace spillway
