#include "json/place.h"

#include <algorithm>
#include <cmath>

#include "base/nearest.h"

namespace spillway {
namespace {

std::optional<double> as_double(const Node& node) {
  if (const auto* value = std::get_if<double>(&node.value)) return *value;
  if (const auto* value = std::get_if<std::int64_t>(&node.value)) return static_cast<double>(*value);
  if (const auto* value = std::get_if<std::uint64_t>(&node.value)) return static_cast<double>(*value);
  return std::nullopt;
}

// A bound that comes only from the type is named only if the number exceeds it.
std::string whole_expected(std::uint64_t least, std::uint64_t most, bool exceeded) {
  if (most >= std::numeric_limits<std::uint32_t>::max() && !exceeded)
    return "a whole number of at least " + std::to_string(least);
  return "a whole number from " + std::to_string(least) + " to " + std::to_string(most);
}

// Lists each word once; other code refuses names that a document states twice.
std::string one_of(const std::vector<std::string_view>& words) {
  std::vector<std::string_view> different;
  for (const std::string_view word : words)
    if (std::ranges::find(different, word) == different.end()) different.push_back(word);
  std::string text = different.size() == 1 ? "" : "one of ";
  for (std::size_t i = 0; i < different.size(); ++i)
    text += (i == 0 ? "\"" : ", \"") + std::string(different[i]) + '"';
  return text;
}

// Shows the keys to write to who gave a number or a list instead.
std::string object_of(const std::vector<std::string_view>& known) {
  constexpr std::size_t shown = 8;
  std::string text;
  for (std::size_t i = 0; i < std::min(known.size(), shown); ++i)
    text += (i == 0 ? " with keys such as \"" : ", \"") + std::string(known[i]) + '"';
  return "an object" + text;
}

std::string known_key(std::string_view key, const std::vector<std::string_view>& known) {
  if (const auto near = near_word(key, known))
    return std::string(kKnownKey) + ", such as \"" + std::string(*near) + '"';
  return std::string(kKnownKey) + ": " + one_of(known);
}

}  // namespace

std::optional<double> read_number(const Place& place, const Range& range) {
  const std::optional<double> value = as_double(*place.node);
  if (value && *value != 0 && !(std::abs(*value) >= kSmallestNumber && std::abs(*value) <= kLargestNumber)) {
    place.refuse("a number of a size from 1e-30 to 1e30, or 0");
    return std::nullopt;
  }
  if (value && *value > range.above && *value >= range.at_least && *value <= range.at_most) return value;
  place.refuse(range.expected);
  return std::nullopt;
}

std::optional<bool> read_boolean(const Place& place) {
  if (const auto* value = std::get_if<bool>(&place.node->value)) return *value;
  place.refuse("true or false");
  return std::nullopt;
}

std::optional<std::string> read_text(const Place& place) {
  const auto* value = std::get_if<std::string>(&place.node->value);
  if (value && !value->empty()) return *value;
  place.refuse("text");
  return std::nullopt;
}

std::optional<std::uint64_t> read_whole(const Place& place, std::uint64_t least, std::uint64_t most) {
  const auto* value = std::get_if<std::uint64_t>(&place.node->value);
  if (value && *value >= least && *value <= most) return *value;
  place.refuse(whole_expected(least, most, value && *value > most));
  return std::nullopt;
}

std::optional<std::uint32_t> read_count(const Place& place, std::uint32_t least, std::uint32_t most) {
  const std::optional<std::uint64_t> value = read_whole(place, least, most);
  return value ? std::optional(static_cast<std::uint32_t>(*value)) : std::nullopt;
}

std::optional<std::size_t> read_word(const Place& place, const std::vector<std::string_view>& words) {
  if (const auto* value = std::get_if<std::string>(&place.node->value)) {
    const auto word = std::find(words.begin(), words.end(), *value);
    if (word != words.end()) return static_cast<std::size_t>(word - words.begin());
  }
  place.refuse(one_of(words));
  return std::nullopt;
}

std::optional<std::vector<Place>> read_list(const Place& place) {
  const auto* list = std::get_if<List>(&place.node->value);
  if (!list) {
    place.refuse("a list");
    return std::nullopt;
  }
  std::vector<Place> elements;
  elements.reserve(list->size());
  for (std::size_t i = 0; i < list->size(); ++i)
    elements.push_back({&(*list)[i], child(place.pointer, std::to_string(i)), place.findings, place.files});
  return elements;
}

std::vector<std::pair<std::string, Place>> read_members(const Place& place) {
  std::vector<std::pair<std::string, Place>> members;
  const auto* object = std::get_if<Object>(&place.node->value);
  if (!object) {
    place.refuse("an object");
    return members;
  }
  for (const Member& member : *object)
    members.push_back(
        {member.key, {&member.value, child(place.pointer, member.key), place.findings, place.files}});
  return members;
}

Fields::Fields(const Place& place, std::vector<std::string_view> known)
    : place_(place), object_(std::get_if<Object>(&place.node->value)) {
  if (!object_) {
    place.refuse(object_of(known));
    return;
  }
  for (const Member& member : *object_) {
    if (std::find(known.begin(), known.end(), member.key) != known.end()) continue;
    if (member.key == kEditorsKey && place.pointer.empty()) continue;
    place_.findings->add(child(place_.pointer, member.key), known_key(member.key, known),
                         describe({member.key}));
  }
}

std::optional<Place> Fields::at(std::string_view key) const {
  const Node* node = object_ ? find(*object_, key) : nullptr;
  if (!node) return std::nullopt;
  return Place{node, child(place_.pointer, key), place_.findings, place_.files};
}

std::optional<Place> Fields::require(std::string_view key) const {
  std::optional<Place> place = at(key);
  if (!place && object_) place_.findings->add(child(place_.pointer, key), "a value", "nothing");
  return place;
}

void Fields::forbid(std::string_view key, const std::string& expected) const {
  if (const std::optional<Place> place = at(key)) place->refuse(expected);
}

void require_schema(const Fields& fields, const std::string& schema) {
  fields.need("schema", [&](const Place& place) { return read_word(place, {schema}); });
}

void require_once(const Fields& fields, std::string_view list, std::string_view key) {
  const std::optional<Place> place = fields.at(list);
  const auto* entries = place ? std::get_if<List>(&place->node->value) : nullptr;
  if (!entries) return;
  std::vector<std::string> known;
  for (std::size_t i = 0; i < entries->size(); ++i) {
    const auto* entry = std::get_if<Object>(&(*entries)[i].value);
    const Node* value = entry ? find(*entry, key) : nullptr;
    const auto* text = value ? std::get_if<std::string>(&value->value) : nullptr;
    if (!text) continue;
    if (std::find(known.begin(), known.end(), *text) != known.end())
      Place{value, child(child(place->pointer, std::to_string(i)), std::string(key)), place->findings,
            place->files}
          .refuse("a " + std::string(key) + " used once");
    known.push_back(*text);
  }
}

}  // namespace spillway
