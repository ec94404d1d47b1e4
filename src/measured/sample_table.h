// A CSV file with a header line, row by row; comments begin with '#'. Private to src/measured.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "measured/line_source.h"
#include "measured/message_rows.h"

namespace spillway {

class SampleTable {
 public:
  // Reads up to the header line. Throws InputError where there is none.
  explicit SampleTable(const std::string& path);

  const std::vector<std::string>& comments() const { return comments_; }  // above the header line
  const std::vector<std::string>& columns() const { return columns_; }
  std::optional<std::size_t> column(std::string_view name) const;
  // Throws InputError with every one that the header lacks.
  std::vector<std::size_t> columns(std::initializer_list<std::string_view> names) const;

  // To the next row; one that has not as many fields as the header is refused, and passed.
  bool next(MessageRows& rows);

  std::string place() const { return lines_.place(); }
  std::string_view text(std::size_t column) const { return fields_[column]; }
  // Nothing, and a refusal, where the field is no number, or none of at least 0 without a fraction.
  std::optional<double> number(std::size_t column, MessageRows& rows) const;
  std::optional<std::uint32_t> count(std::size_t column, MessageRows& rows) const;

 private:
  LineSource lines_;
  std::vector<std::string> comments_;
  std::vector<std::string> columns_;
  std::vector<std::string_view> fields_;
};

}  // namespace spillway
