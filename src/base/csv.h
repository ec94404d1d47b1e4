// Comma-separated values (RFC 4180), as every reader of a table here takes them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace spillway {

// The fields of a line. A field may stand in double quotes, commas inside; doubled quotes are kept as they
// are. Blanks around a field are dropped. Views into `line`, in `fields`, which is emptied first.
void split_csv(std::string_view line, std::vector<std::string_view>& fields);

// A line that says something about the rows: "# ...".
inline bool is_csv_comment(std::string_view line) {
  return line.starts_with('#');
}

struct CsvLine {
  std::size_t number;  // in the file, from 1
  std::string_view text;
  std::vector<std::string_view> fields;

  std::string place() const { return "line " + std::to_string(number); }
  bool has(std::string_view columns) const;  // exactly these, "a,b,c"
};

// The lines of a whole file; comments and blank ones are left out. They end with LF or CRLF; a byte-order
// mark is none of the text. Views into `text`.
std::vector<CsvLine> csv_lines(std::string_view text);

// The text as one field: in quotes where it has a comma, a quote or a line break.
std::string csv_field(std::string_view text);

}  // namespace spillway
