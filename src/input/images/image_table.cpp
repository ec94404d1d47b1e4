#include "input/images/image_table.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/number.h"
#include "base/text.h"
#include "input/images/image_json.h"
#include "input/images/swapped_sides.h"
#include "json/node.h"

namespace spillway {
namespace {

using Lines = std::vector<std::string_view>;

constexpr std::array<char, 4> kSeparators = {',', ';', '\t', '|'};

// Returns the position at which the quoted field that begins at `open` ends: a quote followed only by blanks
// before the next separator. Returns npos if there is none.
std::size_t closing_quote(std::string_view line, std::size_t open, char separator) {
  for (std::size_t at = line.find('"', open + 1); at != std::string_view::npos; at = line.find('"', at + 1)) {
    if (line.substr(at + 1, 1) == "\"") {
      ++at;
      continue;
    }
    const std::size_t next = line.find_first_not_of(" \r", at + 1);
    if (next == std::string_view::npos || line[next] == separator) return at;
  }
  return std::string_view::npos;
}

std::string unquoted(std::string_view inside) {
  std::string text;
  for (std::size_t i = 0; i < inside.size(); ++i) {
    text += inside[i];
    i += inside[i] == '"';  // skip the first of two
  }
  return text;
}

// Returns the fields of a line, without blanks around them. A quote opens a field only if the field begins
// with it and is closed again (RFC 4180); doubled quotes inside are one quote. Any other quote is a
// character: 5" tablet.
std::vector<std::string> split_row(std::string_view line, char separator) {
  std::vector<std::string> fields;
  bool may_close = true;  // if a search finds no end, later fields have none either
  for (std::size_t begin = 0;;) {
    const std::size_t first = line.find_first_not_of(" \r", begin);
    const bool quote = first != std::string_view::npos && line[first] == '"' && may_close;
    const std::size_t close = quote ? closing_quote(line, first, separator) : std::string_view::npos;
    may_close = may_close && !(quote && close == std::string_view::npos);
    const bool quoted = close != std::string_view::npos;
    const std::size_t end = std::min(line.find(separator, quoted ? close : begin), line.size());
    fields.emplace_back(trimmed(quoted ? unquoted(line.substr(first + 1, close - first - 1))
                                       : std::string(line.substr(begin, end - begin))));
    if (end == line.size()) return fields;
    begin = end + 1;
  }
}

bool is_remark(std::string_view line) {
  return trimmed(line).empty() || line.starts_with('#');
}

// The column of each field in a row.
struct Columns {
  char separator;
  std::array<std::optional<std::size_t>, kImageFields> at;  // [field]

  std::optional<std::size_t> of(ImageField field) const { return at[static_cast<std::size_t>(field)]; }
};

std::optional<std::size_t> column_of(const std::vector<std::string>& header, ImageField field) {
  for (const std::string_view name : names_of(field))
    for (std::size_t i = 0; i < header.size(); ++i)
      if (plain_name(header[i]) == name) return i;
  return std::nullopt;
}

std::optional<Columns> columns_of(std::string_view header) {
  for (const char separator : kSeparators) {
    const std::vector<std::string> fields = split_row(header, separator);
    Columns columns{separator, {}};
    for (std::size_t i = 0; i < kImageFields; ++i)
      columns.at[i] = column_of(fields, static_cast<ImageField>(i));
    if (columns.of(ImageField::Width) && columns.of(ImageField::Height)) return columns;
  }
  return std::nullopt;
}

// Returns true if a row names no image and states no size, in a table that names images.
bool is_of_text(const ImageRow& row, const Columns& columns) {
  const auto is_unknown = [&](ImageField field) {
    return is_unknown_value(row[static_cast<std::size_t>(field)]);
  };
  return columns.of(ImageField::Name) && is_unknown(ImageField::Name) && is_unknown(ImageField::Width) &&
         is_unknown(ImageField::Height);
}

void read_rows(const Lines& lines, std::size_t header, const Columns& columns, ImageRows& rows,
               Findings& findings) {
  std::size_t needed = 0;
  for (const ImageField field : {ImageField::Width, ImageField::Height, ImageField::Count})
    needed = std::max(needed, columns.of(field).value_or(0) + 1);
  for (std::size_t i = header + 1; i < lines.size(); ++i) {
    if (is_remark(lines[i])) continue;
    const std::vector<std::string> fields = split_row(lines[i], columns.separator);
    const std::string place = "line " + std::to_string(i + 1);
    if (fields.size() < needed) {
      findings.add(place, "at least " + counted(needed, "field"), describe({std::string(lines[i])}));
      continue;
    }
    ImageRow row;
    for (std::size_t field = 0; field < kImageFields; ++field)
      if (columns.at[field] && *columns.at[field] < fields.size()) row[field] = fields[*columns.at[field]];
    if (is_of_text(row, columns))
      rows.add_text();
    else
      rows.add(place, row);
  }
}

// The position of two adjacent numbers in a line, which may be a width and a height.
struct Pair {
  char separator;
  std::size_t first;
};

std::optional<std::uint32_t> side(std::string_view text) {
  const auto value = number_from<double>(text);
  if (!value || !(*value >= 1 && *value <= kLongestSide)) return std::nullopt;
  return static_cast<std::uint32_t>(*value);
}

std::optional<Pair> numbers_in(std::string_view line) {
  for (const char separator : kSeparators) {
    const std::vector<std::string> fields = split_row(line, separator);
    for (std::size_t i = 0; i + 1 < fields.size(); ++i)
      if (side(fields[i]) && side(fields[i + 1])) return Pair{separator, i};
  }
  return std::nullopt;
}

std::string likelier_order(const Lines& lines, std::size_t first, Pair pair) {
  SwappedSides sides;
  for (std::size_t i = first; i < lines.size(); ++i) {
    const std::vector<std::string> fields = split_row(lines[i], pair.separator);
    if (fields.size() < pair.first + 2) continue;
    const auto a = side(fields[pair.first]), b = side(fields[pair.first + 1]);
    if (a && b) sides.add({*a, *b});
  }
  return sides.likelier_order();
}

void refuse_header(const Lines& lines, std::size_t header, Findings& findings) {
  const std::string place = "line " + std::to_string(header + 1);
  const std::string found = describe({std::string(trimmed(lines[header]))});
  const auto numbers = numbers_in(lines[header]);
  if (!numbers) return findings.add(place, "a header with columns width and height, or value,prob", found);
  const std::string order = likelier_order(lines, header, *numbers);
  findings.add(place,
               "a header that names the columns width and height, since their order is unknown without it",
               found + (order.empty() ? "" : "; " + order));
}

void read_image_rows(std::string_view text, ImageRows& rows, Findings& findings) {
  const Lines lines = split(text, '\n');
  const auto header =
      static_cast<std::size_t>(std::find_if_not(lines.begin(), lines.end(), is_remark) - lines.begin());
  if (header == lines.size())
    return findings.add("line 1", "a header with columns width and height", "an empty file");
  const std::optional<Columns> columns = columns_of(lines[header]);
  if (!columns) return refuse_header(lines, header, findings);
  read_rows(lines, header, *columns, rows, findings);
}

// Most lists of instructions name images without their sizes.
std::string why_none(const ImageList& list, bool lacks_sizes) {
  std::string found = "none";
  for (const std::string& remark : list.remarks) found += "; " + remark;
  if (lacks_sizes) found += "; give the folder that contains the images instead";
  return found;
}

}  // namespace

ImageList read_image_table(std::string_view text, const ResizeRule& rule, Findings& findings) {
  ImageRows rows(rule, findings);
  const std::size_t begin = std::min(text.find_first_not_of(" \t\r\n"), text.size());
  if (text.substr(begin).starts_with('{') || text.substr(begin).starts_with('['))
    read_image_json(text, rows, findings);
  else
    read_image_rows(text, rows, findings);
  const bool lacks_sizes = rows.lacks_sizes();
  ImageList list = std::move(rows).take();
  if (findings.empty() && list.sizes.empty())
    findings.add("", "at least one image with its size", why_none(list, lacks_sizes));
  return list;
}

}  // namespace spillway
