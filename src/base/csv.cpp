#include "base/csv.h"

#include "base/text.h"
#include "base/utf8.h"

namespace spillway {
namespace {

std::string_view unquoted(std::string_view field) {
  const bool quotes = field.size() >= 2 && field.front() == '"' && field.back() == '"';
  return quotes ? field.substr(1, field.size() - 2) : field;
}

}  // namespace

void split_csv(std::string_view line, std::vector<std::string_view>& fields) {
  fields.clear();
  std::size_t begin = 0;
  bool quotes = false;
  for (std::size_t i = 0; i <= line.size(); ++i) {
    if (i < line.size() && line[i] == '"') quotes = !quotes;
    if (i < line.size() && (line[i] != ',' || quotes)) continue;
    fields.push_back(unquoted(trimmed(line.substr(begin, i - begin))));
    begin = i + 1;
  }
}

bool CsvLine::has(std::string_view columns) const {
  return fields == split(columns, ',');
}

std::vector<CsvLine> csv_lines(std::string_view text) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  std::vector<CsvLine> lines;
  std::size_t number = 0;
  for (std::string_view line : split(text, '\n')) {
    ++number;
    line = trimmed(line);
    if (line.empty() || is_csv_comment(line)) continue;
    split_csv(line, lines.emplace_back(CsvLine{number, line, {}}).fields);
  }
  return lines;
}

std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string field = "\"";
  for (char c : text) {
    if (c == '"') field += c;
    field += c;
  }
  return field + '"';
}

}  // namespace spillway
