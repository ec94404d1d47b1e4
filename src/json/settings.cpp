#include "json/settings.h"

#include <optional>
#include <span>

#include "base/number.h"
#include "base/utf8.h"
#include "json/document.h"
#include "json/place.h"

namespace spillway {
namespace {

Node* list_element(List& list, std::string_view token) {
  const auto index = number_from<std::size_t>(token);
  return index && *index < list.size() ? &list[*index] : nullptr;
}

Node* descend(Node& node, std::string_view token) {
  if (auto* list = std::get_if<List>(&node.value)) return list_element(*list, token);
  auto* object = std::get_if<Object>(&node.value);
  if (!object) return nullptr;
  return find(*object, token);
}

bool is_behind(const List& list, std::string_view token) {
  return token == "-" || number_from<std::size_t>(token) == list.size();
}

// The deepest value to which the tokens lead; `reached` counts the tokens.
Node& deepest(Node& document, std::span<const std::string> tokens, std::size_t& reached) {
  Node* node = &document;
  for (reached = 0; reached < tokens.size(); ++reached) {
    Node* next = descend(*node, tokens[reached]);
    if (!next) break;
    node = next;
  }
  return *node;
}

// Wraps the value in an object for each token, or in a list if the token begins one.
Node wrapped(Node value, std::span<const std::string> tokens) {
  for (auto token = tokens.rbegin(); token != tokens.rend(); ++token) {
    if (is_behind({}, *token))
      value = Node{List{std::move(value)}};
    else
      value = Node{Object{{*token, std::move(value)}}};
  }
  return value;
}

// Returns false if there is no place: neither a new key of an object nor a new last element of a list.
bool add(Node& node, std::span<const std::string> tokens, Node value) {
  if (auto* object = std::get_if<Object>(&node.value)) {
    object->push_back({tokens.front(), wrapped(std::move(value), tokens.subspan(1))});
    return true;
  }
  auto* list = std::get_if<List>(&node.value);
  if (!list || tokens.size() > 1 || !is_behind(*list, tokens.front())) return false;
  list->push_back(std::move(value));
  return true;
}

void mark_as_typed(Node& node) {
  node.from_user = true;
  if (auto* list = std::get_if<List>(&node.value))
    for (Node& element : *list) mark_as_typed(element);
  if (auto* object = std::get_if<Object>(&node.value))
    for (Member& member : *object) mark_as_typed(member.value);
}

std::optional<Node> value_of(const Setting& setting, Findings& findings) {
  if (first_invalid_utf8(setting.value)) {
    findings.add(setting.pointer, "a value in UTF-8", "other bytes");
    return std::nullopt;
  }
  Findings ignored("");  // a value that is not JSON is text
  std::optional<Node> parsed = parse_json(setting.value, ignored);
  return parsed && ignored.empty() ? parsed : Node{setting.value};
}

void put(const std::string& pointer, Node value, Node& document, Findings& findings) {
  const std::vector<std::string> tokens = tokens_of(pointer);
  if (tokens.size() > kDeepest)
    return findings.add(pointer, "at most " + std::to_string(kDeepest) + " levels of nesting",
                        std::to_string(tokens.size()));
  std::size_t reached = 0;
  Node& node = deepest(document, tokens, reached);
  const auto missing = std::span(tokens).subspan(reached);
  if (missing.empty()) {
    node = std::move(value);
  } else if (!add(node, missing, std::move(value))) {
    std::string there;
    for (const std::string& token : std::span(tokens).first(reached)) there = child(there, token);
    findings.add(pointer, std::string(kNoPlace), "nothing below " + (there.empty() ? "/" : there));
  }
}

void apply(const Setting& setting, Node& document, Findings& findings) {
  if (!setting.pointer.starts_with('/') || first_invalid_utf8(setting.pointer)) {
    findings.add("--set", "a JSON pointer that starts with /", describe({setting.pointer}));
    return;
  }
  std::optional<Node> value = value_of(setting, findings);
  if (!value) return;
  mark_as_typed(*value);
  put(setting.pointer, *std::move(value), document, findings);
}

const Node* descend(const Node& node, std::string_view token) {
  if (const auto* object = std::get_if<Object>(&node.value)) return find(*object, token);
  const auto* list = std::get_if<List>(&node.value);
  const auto index = list ? number_from<std::size_t>(token) : std::nullopt;
  return index && *index < list->size() ? &(*list)[*index] : nullptr;
}

}  // namespace

void apply(const std::vector<Setting>& settings, Node& document, Findings& findings) {
  for (const Setting& setting : settings) apply(setting, document, findings);
}

void apply(const Object& values, Node& document, Findings& findings) {
  for (const auto& [pointer, value] : values) {
    if (pointer.starts_with('/')) {
      put(pointer, value, document, findings);
    } else {
      findings.add(pointer, "a JSON pointer that starts with /", describe({pointer}));
    }
  }
}

const Node* value_at(const Node& document, std::string_view pointer) {
  const Node* node = &document;
  for (const std::string& token : tokens_of(pointer))
    if (node) node = descend(*node, token);
  return node;
}

bool is_within(std::string_view pointer, std::string_view place) {
  return pointer.starts_with(place) && (pointer.size() == place.size() || pointer[place.size()] == '/');
}

std::optional<std::string> wrong_below(const Violation& violation, std::string_view place) {
  if (is_within(violation.pointer, place)) return violation.pointer.substr(place.size());
  if (violation.expected.starts_with(kKnownKey) && is_within(place, violation.pointer)) return "";
  return std::nullopt;
}

}  // namespace spillway
