// The lines of a CSV file without quoting. Private to src/spec.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace spillway {

struct CsvLine {
  std::size_t number;  // in the file, from 1
  std::string_view text;
  std::vector<std::string_view> fields;

  std::string place() const { return "line " + std::to_string(number); }
};

// Lines end with LF or CRLF; blank ones are left out; blanks around a field are dropped. Views into `text`.
std::vector<CsvLine> csv_lines(std::string_view text);

}  // namespace spillway
