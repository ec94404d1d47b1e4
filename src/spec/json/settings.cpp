#include "spec/json/settings.h"

#include <optional>
#include <span>

#include "base/number.h"
#include "base/utf8.h"
#include "spec/json/document.h"

namespace spillway {
namespace {

Node* element(List& list, std::string_view token) {
  const auto index = number_from<std::size_t>(token);
  return index && *index < list.size() ? &list[*index] : nullptr;
}

Node* descend(Node& node, std::string_view token) {
  if (auto* list = std::get_if<List>(&node.value)) return element(*list, token);
  auto* object = std::get_if<Object>(&node.value);
  if (!object) return nullptr;
  return find(*object, token);
}

bool is_behind(const List& list, std::string_view token) {
  return token == "-" || number_from<std::size_t>(token) == list.size();
}

// A new key of an object, or a new last element of a list; null where the token names neither.
Node* add(Node& node, const std::string& token) {
  if (auto* object = std::get_if<Object>(&node.value)) {
    object->push_back({token, Node{nullptr}});
    return &object->back().value;
  }
  auto* list = std::get_if<List>(&node.value);
  if (!list || !is_behind(*list, token)) return nullptr;
  return &list->emplace_back(Node{nullptr});
}

// Where the value goes; the last key of an object, or the last element of a list, may be new.
Node* target(Node& document, std::span<const std::string> tokens, std::string& reached) {
  Node* node = &document;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    Node* next = descend(*node, tokens[i]);
    if (!next && i + 1 == tokens.size()) next = add(*node, tokens[i]);
    if (!next) return nullptr;
    reached = child(reached, tokens[i]);
    node = next;
  }
  return node;
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
  Findings ignored("");  // what is not JSON is text
  std::optional<Node> parsed = parse_json(setting.value, ignored);
  return parsed && ignored.empty() ? parsed : Node{setting.value};
}

void put(const std::string& pointer, Node value, Node& document, Findings& findings) {
  std::string reached;
  if (Node* node = target(document, tokens_of(pointer), reached)) {
    *node = std::move(value);
  } else {
    findings.add(pointer, std::string(kNoPlace), "nothing below " + (reached.empty() ? "/" : reached));
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

}  // namespace spillway
