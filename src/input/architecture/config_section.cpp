#include "input/architecture/config_section.h"

#include <algorithm>
#include <array>

#include "base/nearest.h"
#include "input/architecture/class_defaults.h"
#include "input/architecture/idle_config_keys.h"

namespace spillway {
namespace {

constexpr std::array<std::string_view, 24> kStructural = {
    "head", "heads",  "layer", "layers",       "expert", "experts", "hidden", "dim",
    "dims", "rank",   "size",  "sizes",        "width",  "depth",   "inner",  "window",
    "embd", "blocks", "block", "intermediate", "kernel", "groups",  "stages", "channels"};

template <class Names>
bool contains(const Names& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool looks_like_a_size(std::string_view key) {
  for (std::size_t begin = 0; begin <= key.size();) {
    const std::size_t end = std::min(key.find('_', begin), key.size());
    const std::string_view word = key.substr(begin, end - begin);
    if (contains(kStructural, word)) return true;
    begin = end + 1;
  }
  return false;
}

struct IsInert {
  bool operator()(std::nullptr_t) const { return true; }
  bool operator()(bool value) const { return !value; }
  bool operator()(std::int64_t value) const { return value == 0; }
  bool operator()(std::uint64_t value) const { return value == 0; }
  bool operator()(double value) const { return value == 0; }
  bool operator()(const std::string& value) const { return value.empty(); }
  bool operator()(const List& value) const { return value.empty(); }
  bool operator()(const Object& value) const { return value.empty(); }
};

bool is_null(const Node& node) {
  return std::holds_alternative<std::nullptr_t>(node.value);
}

}  // namespace

ConfigSection::ConfigSection(const Node& document, Findings& findings, std::string pointer)
    : object_(std::get_if<Object>(&document.value)), pointer_(std::move(pointer)), findings_(findings) {
  if (!object_) findings_.add(pointer_, "an object", describe(document));
}

ConfigSection::ConfigSection(const Node* section, std::string pointer, ConfigSection& whole,
                             Findings& findings)
    : object_(section ? std::get_if<Object>(&section->value) : nullptr),
      pointer_(std::move(pointer)),
      whole_(&whole),
      findings_(findings) {
  if (!object_) findings_.add(pointer_, "an object", section ? describe(*section) : "nothing");
}

std::optional<Place> ConfigSection::at(std::string_view key) {
  known_.emplace_back(key);
  const Node* node = object_ ? find(*object_, key) : nullptr;
  if (!node || is_null(*node)) return std::nullopt;
  return Place{node, pointer_to(key), &findings_, nullptr};
}

std::optional<Place> ConfigSection::require(std::string_view key) {
  std::optional<Place> place = at(key);
  if (place || !object_) return place;
  findings_.add(pointer_to(key), "a value", find(*object_, key) ? "null" : "nothing");
  return std::nullopt;
}

bool ConfigSection::has(std::string_view key) {
  return at(key).has_value();
}

ConfigSection ConfigSection::part(std::string_view key) {
  const std::optional<Place> place = at(key);
  return {place ? place->node : nullptr, pointer_to(key), whole(), findings_};
}

void ConfigSection::assume(std::span<const ClassDefault> defaults) {
  if (!is_nested()) return;
  for (const ClassDefault& one : defaults) defaults_.emplace(one.key, one.value);
}

std::optional<std::uint32_t> ConfigSection::assumed(std::string_view key) {
  const auto found = defaults_.find(key);
  if (found == defaults_.end() || at(key)) return std::nullopt;
  const std::string said = found->first + ' ' + std::to_string(found->second);
  if (!contains(assumed_, said)) assumed_.push_back(said);
  return found->second;
}

std::string ConfigSection::assumed() const {
  std::string list;
  for (const std::string& one : assumed_) list += (list.empty() ? "" : ", ") + one;
  return list;
}

std::uint32_t ConfigSection::size(std::string_view key) {
  if (const std::optional<std::uint32_t> usual = assumed(key)) return *usual;
  const std::optional<Place> place = require(key);
  return place ? read_count(*place, 0).value_or(0) : 0;
}

std::uint32_t ConfigSection::size_of_any(std::string_view field,
                                         std::initializer_list<std::string_view> keys) {
  for (const std::string_view key : keys)
    if (at(key)) return size(field, key);
  return size(field, *keys.begin());
}

std::uint32_t ConfigSection::square(std::string_view field, std::string_view key) {
  keys_.emplace(field, key);
  const std::optional<Place> place = at(key);
  if (!place || !std::holds_alternative<List>(place->node->value)) return size(key);
  const std::vector<std::uint32_t> sides = sizes(key);
  if (sides.size() == 2 && sides[0] == sides[1]) return sides[0];
  refuse(key, "a size, or two equal ones", describe(*place->node));
  return 0;
}

std::uint32_t ConfigSection::size(std::string_view field, std::string_view key) {
  keys_.emplace(field, key);
  return size(key);
}

std::optional<std::uint32_t> ConfigSection::optional_size(std::string_view key) {
  if (const std::optional<std::uint32_t> usual = assumed(key)) return usual;
  const std::optional<Place> place = at(key);
  return place ? read_count(*place, 0) : std::nullopt;
}

std::uint32_t ConfigSection::size_or(std::string_view field, std::string_view key, std::uint32_t otherwise) {
  keys_.emplace(field, key);
  return optional_size(key).value_or(otherwise);
}

std::uint32_t ConfigSection::positive(std::string_view key) {
  const std::optional<Place> place = require(key);
  return place ? read_count(*place, 1).value_or(1) : 1;
}

std::uint32_t ConfigSection::positive_or(std::string_view key, std::uint32_t otherwise) {
  const std::optional<Place> place = at(key);
  return place ? read_count(*place, 1).value_or(1) : otherwise;
}

std::optional<double> ConfigSection::ratio(std::string_view key, const Range& range) {
  const std::optional<Place> place = require(key);
  return place ? read_number(*place, range) : std::nullopt;
}

bool ConfigSection::flag(std::string_view key, bool otherwise) {
  const std::optional<Place> place = at(key);
  return place ? read_boolean(*place).value_or(otherwise) : otherwise;
}

bool ConfigSection::flag_anywhere(std::string_view key, bool otherwise) {
  if (at(key) || !whole_) return flag(key, otherwise);
  return whole_->flag(key, otherwise);
}

std::vector<std::uint32_t> ConfigSection::sizes(std::string_view key) {
  const std::optional<Place> place = at(key);
  if (!place) return {};
  return read_each(*place, [](const Place& p) { return read_count(p, 0); })
      .value_or(std::vector<std::uint32_t>());
}

std::vector<std::string> ConfigSection::words(std::string_view key) {
  const std::optional<Place> place = at(key);
  if (!place) return {};
  return read_each(*place, read_text).value_or(std::vector<std::string>());
}

std::string ConfigSection::word(std::string_view key) {
  const std::optional<Place> place = at(key);
  const auto* text = place ? std::get_if<std::string>(&place->node->value) : nullptr;
  return text ? *text : "";
}

bool ConfigSection::has_list(std::string_view key) {
  const std::optional<Place> place = at(key);
  return place && std::holds_alternative<List>(place->node->value);
}

std::vector<ConfigSection> ConfigSection::each(std::string_view key) {
  const std::optional<Place> place = at(key);
  const auto* list = place ? std::get_if<List>(&place->node->value) : nullptr;
  if (place && !list) place->refuse("a list");
  std::vector<ConfigSection> sections;
  for (std::size_t i = 0; list && i < list->size(); ++i)
    sections.emplace_back(&(*list)[i], child(place->pointer, std::to_string(i)), whole(), findings_);
  return sections;
}

std::uint32_t ConfigSection::backbone_width() {
  keys_.emplace("out_hidden_size", "hidden_size");
  for (const char* section : {"text_config", "llm_config", "language_config"}) {
    const std::optional<Place> place = whole().at(section);
    if (!place) continue;
    ConfigSection text(place->node, place->pointer, whole(), findings_);
    text.assume(class_defaults(text.word("model_type")));
    return text.size("hidden_size");
  }
  return whole().size("hidden_size");
}

bool ConfigSection::is_whole(std::string_view key, std::int64_t value) {
  const std::optional<Place> place = at(key);
  const auto* found = place ? std::get_if<std::int64_t>(&place->node->value) : nullptr;
  const auto* positive = place ? std::get_if<std::uint64_t>(&place->node->value) : nullptr;
  return (found && *found == value) ||
         (positive && value >= 0 && *positive == static_cast<std::uint64_t>(value));
}

void ConfigSection::expect_whole(std::string_view key, std::int64_t value) {
  const std::optional<Place> place = at(key);
  if (place && !is_whole(key, value))
    place->refuse(std::to_string(value) + ": other values are not supported");
}

void ConfigSection::expect_list_of(std::string_view key, std::uint32_t value) {
  const std::vector<std::uint32_t> found = sizes(key);
  for (std::size_t i = 0; i < found.size(); ++i)
    if (found[i] != value) return refuse_element(key, i, std::to_string(value), std::to_string(found[i]));
}

void ConfigSection::expect_flag(std::string_view key, bool value) {
  const std::optional<Place> place = at(key);
  const auto* found = place ? std::get_if<bool>(&place->node->value) : nullptr;
  if (!place || (found && *found == value)) return;
  place->refuse(value ? "true: other values are not supported" : "false: other values are not supported");
}

void ConfigSection::expect_size(std::string_view key, std::uint32_t value) {
  const std::optional<std::uint32_t> found = optional_size(key);
  if (found && *found != value)
    refuse(key, std::to_string(value) + ": other values are not supported", std::to_string(*found));
}

void ConfigSection::expect_word(std::string_view key, const std::vector<std::string_view>& one_of) {
  if (const std::optional<Place> place = at(key)) read_word(*place, one_of);
}

void ConfigSection::expect_empty(std::string_view key) {
  const std::optional<Place> place = at(key);
  if (place && !std::visit(IsInert{}, place->node->value))
    place->refuse("an empty list: other values are not supported");
}

void ConfigSection::pass_over(std::initializer_list<std::string_view> keys) {
  known_.insert(known_.end(), keys.begin(), keys.end());
}

void ConfigSection::pass_over(std::span<const std::string_view> keys) {
  known_.insert(known_.end(), keys.begin(), keys.end());
}

void ConfigSection::pass_over_keys_of(const Node& section) {
  const auto* object = std::get_if<Object>(&section.value);
  if (!object) return;
  for (const Member& member : *object) known_.push_back(member.key);
}

void ConfigSection::pass_over_rest() {
  if (!object_) return;
  for (const Member& member : *object_) known_.push_back(member.key);
  if (whole_) whole_->pass_over_rest();
}

std::string ConfigSection::pointer_to(std::string_view key) const {
  return child(pointer_, key);
}

void ConfigSection::refuse(std::string_view key, std::string expected, std::string found) {
  findings_.add(pointer_to(key), std::move(expected), std::move(found));
}

void ConfigSection::refuse_element(std::string_view key, std::size_t index, std::string expected,
                                   std::string found) {
  findings_.add(child(pointer_to(key), std::to_string(index)), std::move(expected), std::move(found));
}

void ConfigSection::refuse_unknown() const {
  if (!object_) return;
  const std::vector<std::string_view> known(known_.begin(), known_.end());
  for (const Member& member : *object_) {
    if (contains(known, member.key) || std::visit(IsInert{}, member.value.value)) continue;
    if (is_idle_config_key(member.key)) continue;
    const std::string_view kind = looks_like_a_size(member.key) ? "a size" : "a key";
    findings_.add(
        pointer_to(member.key),
        std::string(kind) + " that is supported, such as \"" + std::string(nearest(member.key, known)) + '"',
        describe(member.value));
  }
}

std::vector<std::string> ConfigSection::keys(bool asked_for) const {
  std::vector<std::string> all;
  if (!object_) return all;
  for (const Member& member : *object_)
    if (contains(known_, member.key) == asked_for) all.push_back(member.key);
  return all;
}

std::vector<Violation> ConfigSection::in_file(std::vector<Violation> violations) const {
  for (Violation& violation : violations) {
    const std::size_t end = std::min(violation.pointer.find('/', 1), violation.pointer.size());
    const auto key = keys_.find(violation.pointer.substr(1, end - 1));
    if (key != keys_.end()) violation.pointer.replace(1, end - 1, key->second);
  }
  return located(std::move(violations), findings_.file(), pointer_);
}

}  // namespace spillway
