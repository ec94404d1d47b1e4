// Comma-separated values (RFC 4180). Every reader of a table uses these functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace spillway {

// Splits a line into fields. A field in double quotes may contain commas; doubled quotes are kept as they
// are. Blanks around a field are dropped. `fields` is emptied first and then holds views into `line`.
void split_csv(std::string_view line, std::vector<std::string_view>& fields);

// A comment line: "# ...".
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

// The lines of a whole file, without comments and blank lines. Lines end with LF or CRLF; a byte-order mark
// is skipped. Returns views into `text`.
std::vector<CsvLine> csv_lines(std::string_view text);

// The text as one field: quoted if it has a comma, a quote or a line break.
std::string csv_field(std::string_view text);

}  // namespace spillway
