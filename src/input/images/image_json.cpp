#include "input/images/image_json.h"

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <variant>

#include "base/text.h"
#include "input/images/image_fields.h"
#include "json/document.h"
#include "json/node.h"

namespace spillway {
namespace {

const Node* field_value(const Object& object, ImageField field) {
  for (const std::string_view name : names_of(field))
    for (const Member& member : object)
      if (plain_name(member.key) == name) return &member.value;
  return nullptr;
}

using Values = std::array<const Node*, kImageFields>;  // [field], null where the object does not say it

const Node* field_of(const Values& values, ImageField field) {
  return values[static_cast<std::size_t>(field)];
}

const List* list_in(const Values& values, ImageField field) {
  const Node* value = field_of(values, field);
  return value ? std::get_if<List>(&value->value) : nullptr;
}

// The image of a sample, or the one at `index` where it has several: then a value that is no list is of none
// of them.
void add_image(const std::string& place, const Values& values, std::optional<std::size_t> index,
               ImageRows& rows) {
  ImageRow row;
  for (std::size_t i = 0; i < kImageFields; ++i)
    if (const Node* value = index ? element(values[i], *index) : values[i]) row[i] = describe(*value);
  rows.add(place, row);
}

bool says_nothing(const Node* value) {
  if (!value || std::holds_alternative<std::nullptr_t>(value->value)) return true;
  const auto* list = std::get_if<List>(&value->value);
  return list && list->empty();
}

void add_object(const std::string& place, const Node& node, ImageRows& rows, Findings& findings) {
  const auto* object = std::get_if<Object>(&node.value);
  if (!object) return findings.add(place, "an object with width and height", describe(node));
  Values values;
  for (std::size_t i = 0; i < kImageFields; ++i) values[i] = field_value(*object, static_cast<ImageField>(i));
  const Node* width = field_of(values, ImageField::Width);
  const Node* height = field_of(values, ImageField::Height);
  if (says_nothing(width) && says_nothing(height) && says_nothing(field_of(values, ImageField::Name)))
    return rows.add_text();
  if (!width != !height) return findings.add(place, "an object with width and height", describe(node));
  const List* widths = list_in(values, ImageField::Width);
  const List* heights = list_in(values, ImageField::Height);
  if (!widths && !heights) return add_image(place, values, std::nullopt, rows);
  if (!widths || !heights || widths->size() != heights->size())
    return findings.add(place, "a list of as many widths as heights",
                        describe(*width) + " and " + describe(*height));
  for (std::size_t i = 0; i < widths->size(); ++i) add_image(place, values, i, rows);
}

void read_json_lines(std::string_view text, ImageRows& rows, Findings& findings) {
  std::size_t number = 0;
  for (const std::string_view line : split(text, '\n')) {
    ++number;
    if (trimmed(line).empty()) continue;
    const std::string place = "line " + std::to_string(number);
    Findings ignored;
    if (const std::optional<Node> node = parse_json(line, ignored))
      add_object(place, *node, rows, findings);
    else
      findings.add(place, "a JSON object", describe({std::string(line)}));
  }
}

void read_document(const Node& document, ImageRows& rows, Findings& findings) {
  const auto* object = std::get_if<Object>(&document.value);
  const Node* images = object ? find(*object, "images") : &document;
  const auto* list = images ? std::get_if<List>(&images->value) : nullptr;
  if (!list)
    return findings.add(images && object ? "/images" : "", "a list of images with width and height",
                        describe(images ? *images : document));
  for (std::size_t i = 0; i < list->size(); ++i)
    add_object((object ? "/images/" : "/") + std::to_string(i), (*list)[i], rows, findings);
}

bool has_json_lines(std::string_view text) {
  const std::string_view first = trimmed(text.substr(0, text.find('\n')));
  return first.starts_with('{') && first.ends_with('}') && first.size() < trimmed(text).size();
}

}  // namespace

void read_image_json(std::string_view text, ImageRows& rows, Findings& findings) {
  if (has_json_lines(trimmed(text))) return read_json_lines(text, rows, findings);
  if (const std::optional<Node> document = parse_json(text, findings))
    read_document(*document, rows, findings);
}

}  // namespace spillway
