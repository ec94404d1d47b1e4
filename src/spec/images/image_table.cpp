#include "spec/images/image_table.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <string>

#include "base/number.h"
#include "base/text.h"
#include "spec/json/document.h"
#include "spec/json/node.h"

namespace spillway {
namespace {

constexpr std::uint64_t kLargestCount = 1'000'000'000'000;
constexpr std::array<char, 4> kSeparators = {',', ';', '\t', '|'};

// Names of a column or key, the plainest last: beside an image's size a file may have a box's.
using Aliases = std::array<std::string_view, 7>;
constexpr Aliases kWidths = {"image_width", "img_width", "imagewidth", "original_width",
                             "im_width",    "width",     "w"};
constexpr Aliases kHeights = {"image_height", "img_height", "imageheight", "original_height", "im_height",
                              "height",       "h"};
constexpr Aliases kCounts = {"image_count", "num_images", "n_images", "frequency", "freq", "count", "n"};

std::string plain(std::string_view name) {
  std::string lower(trimmed(name));
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
  return lower;
}

// The fields of a line, quotes and blanks around them off; doubled quotes are one.
std::vector<std::string> split_row(std::string_view line, char separator) {
  std::vector<std::string> fields(1);
  bool quotes = false;
  for (const char c : line) {
    if (c == '"')
      quotes = !quotes;
    else if (c == separator && !quotes)
      fields.emplace_back();
    else if (c != '\r')
      fields.back() += c;
  }
  for (std::string& field : fields) field = std::string(trimmed(field));
  return fields;
}

std::optional<std::size_t> column_of(const std::vector<std::string>& header, const Aliases& names) {
  for (const std::string_view name : names)
    for (std::size_t i = 0; i < header.size(); ++i)
      if (plain(header[i]) == name) return i;
  return std::nullopt;
}

// Where a row has what.
struct Columns {
  char separator;
  std::size_t width, height;
  std::optional<std::size_t> count;
};

std::optional<Columns> columns_of(std::string_view header) {
  for (const char separator : kSeparators) {
    const std::vector<std::string> fields = split_row(header, separator);
    const auto width = column_of(fields, kWidths), height = column_of(fields, kHeights);
    if (width && height) return Columns{separator, *width, *height, column_of(fields, kCounts)};
  }
  return std::nullopt;
}

bool begins_with_numbers(std::string_view line) {
  for (const char separator : kSeparators) {
    const std::vector<std::string> fields = split_row(line, separator);
    if (fields.size() > 1 && number_from<double>(fields[0]) && number_from<double>(fields[1])) return true;
  }
  return false;
}

// A number that is whole, also as a program writes it that keeps all as fractions: 640.0.
std::optional<std::uint64_t> whole(std::string_view text) {
  if (const std::size_t point = text.find('.'); point != std::string_view::npos) {
    if (text.find_first_not_of('0', point + 1) != std::string_view::npos) return std::nullopt;
    text = text.substr(0, point);
  }
  return number_from<std::uint64_t>(text);
}

// One image's numbers as text on their way to a size.
class RowReader {
 public:
  RowReader(const ResizeRule& rule, Findings& findings) : rule_(rule), findings_(findings) {}

  void add(const std::string& place, std::string_view width, std::string_view height,
           std::string_view count = "1") {
    const auto w = number(place, "a width", width, kLongestSide);
    const auto h = number(place, "a height", height, kLongestSide);
    const auto n = number(place, "a count", count, kLargestCount);
    if (!w || !h || !n) return;
    const ImageSize size{static_cast<std::uint32_t>(*w), static_cast<std::uint32_t>(*h)};
    if (resized(size, rule_)) return sizes_.push_back({size, *n});
    findings_.add(place, "an aspect ratio of at most " + std::to_string(rule_.max_aspect),
                  describe({std::to_string(*w) + "x" + std::to_string(*h)}));
  }

  std::vector<SizeCount> take() && { return std::move(sizes_); }

 private:
  std::optional<std::uint64_t> number(const std::string& place, const std::string& what,
                                      std::string_view text, std::uint64_t most) {
    const auto value = whole(text);
    if (value && *value >= 1 && *value <= most) return value;
    findings_.add(place, what + " from 1 to " + std::to_string(most), describe({std::string(text)}));
    return std::nullopt;
  }

  const ResizeRule& rule_;
  Findings& findings_;
  std::vector<SizeCount> sizes_;
};

void read_rows(const std::vector<std::string_view>& lines, std::size_t header, const Columns& at,
               RowReader& reader, Findings& findings) {
  for (std::size_t i = header + 1; i < lines.size(); ++i) {
    if (trimmed(lines[i]).empty() || lines[i].starts_with('#')) continue;
    const std::vector<std::string> row = split_row(lines[i], at.separator);
    const std::string place = "line " + std::to_string(i + 1);
    const std::size_t needed = std::max({at.width, at.height, at.count.value_or(0)}) + 1;
    if (row.size() < needed)
      findings.add(place, "at least " + std::to_string(needed) + " fields",
                   describe({std::string(lines[i])}));
    else if (at.count)
      reader.add(place, row[at.width], row[at.height], row[*at.count]);
    else
      reader.add(place, row[at.width], row[at.height]);
  }
}

void refuse_header(std::string_view line, std::size_t number, Findings& findings) {
  const std::string place = "line " + std::to_string(number + 1);
  if (begins_with_numbers(line))
    findings.add(place,
                 "a header that names its columns width and height: which of them is which cannot be known",
                 describe({std::string(line)}));
  else
    findings.add(place, "a header with columns width and height, or value,prob",
                 describe({std::string(line)}));
}

void read_table(std::string_view text, RowReader& reader, Findings& findings) {
  const std::vector<std::string_view> lines = split(text, '\n');
  std::size_t header = 0;
  while (header < lines.size() && (trimmed(lines[header]).empty() || lines[header].starts_with('#')))
    ++header;
  if (header == lines.size())
    return findings.add("line 1", "a header with columns width and height", "an empty file");
  const std::optional<Columns> at = columns_of(lines[header]);
  if (!at) return refuse_header(trimmed(lines[header]), header, findings);
  read_rows(lines, header, *at, reader, findings);
}

const Node* value_of(const Object& object, const Aliases& names) {
  for (const std::string_view name : names)
    for (const Member& member : object)
      if (plain(member.key) == name) return &member.value;
  return nullptr;
}

void add_object(const std::string& place, const Node& node, RowReader& reader, Findings& findings) {
  const auto* object = std::get_if<Object>(&node.value);
  const Node* width = object ? value_of(*object, kWidths) : nullptr;
  const Node* height = object ? value_of(*object, kHeights) : nullptr;
  if (!width || !height) return findings.add(place, "an object with width and height", describe(node));
  const Node* count = value_of(*object, kCounts);
  reader.add(place, describe(*width), describe(*height), count ? describe(*count) : "1");
}

void read_lines(std::string_view text, RowReader& reader, Findings& findings) {
  std::size_t number = 0;
  for (const std::string_view line : split(text, '\n')) {
    ++number;
    if (trimmed(line).empty()) continue;
    const std::string place = "line " + std::to_string(number);
    Findings ignored;
    if (const std::optional<Node> node = parse_json(line, ignored))
      add_object(place, *node, reader, findings);
    else
      findings.add(place, "a JSON object", describe({std::string(line)}));
  }
}

void read_document(const Node& document, RowReader& reader, Findings& findings) {
  const auto* object = std::get_if<Object>(&document.value);
  const Node* images = object ? find(*object, "images") : &document;
  const auto* list = images ? std::get_if<List>(&images->value) : nullptr;
  if (!list) {
    findings.add(images && object ? "/images" : "", "a list of images with width and height",
                 describe(images ? *images : document));
    return;
  }
  for (std::size_t i = 0; i < list->size(); ++i)
    add_object((object ? "/images/" : "/") + std::to_string(i), (*list)[i], reader, findings);
}

// More than one line that is an object of its own.
bool has_json_lines(std::string_view text) {
  const std::string_view first = trimmed(text.substr(0, text.find('\n')));
  return first.starts_with('{') && first.ends_with('}') && first.size() < trimmed(text).size();
}

}  // namespace

std::vector<SizeCount> read_image_table(std::string_view text, const ResizeRule& rule, Findings& findings) {
  RowReader reader(rule, findings);
  const std::string_view begin = trimmed(text.substr(0, text.find_first_not_of(" \t\r\n") + 1));
  if (begin != "{" && begin != "[") {
    read_table(text, reader, findings);
  } else if (has_json_lines(trimmed(text))) {
    read_lines(text, reader, findings);
  } else if (const std::optional<Node> document = parse_json(text, findings)) {
    read_document(*document, reader, findings);
  }
  std::vector<SizeCount> sizes = std::move(reader).take();
  if (findings.empty() && sizes.empty()) findings.add("", "at least one image", "none");
  return sizes;
}

}  // namespace spillway
