#include "spec/images/image_json.h"

#include <optional>
#include <string>
#include <variant>

#include "base/text.h"
#include "spec/images/image_fields.h"
#include "spec/json/document.h"
#include "spec/json/node.h"

namespace spillway {
namespace {

const Node* field_value(const Object& object, ImageField field) {
  for (const std::string_view name : names_of(field))
    for (const Member& member : object)
      if (plain_name(member.key) == name) return &member.value;
  return nullptr;
}

void add_object(const std::string& place, const Node& node, ImageRows& rows, Findings& findings) {
  const auto* object = std::get_if<Object>(&node.value);
  ImageRow row;
  bool sides = object != nullptr;
  for (std::size_t i = 0; object && i < kImageFields; ++i) {
    const auto field = static_cast<ImageField>(i);
    const Node* value = field_value(*object, field);
    if (value) row[i] = describe(*value);
    if (!value && (field == ImageField::Width || field == ImageField::Height)) sides = false;
  }
  if (!sides) return findings.add(place, "an object with width and height", describe(node));
  rows.add(place, row);
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
