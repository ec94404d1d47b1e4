#include "json/node.h"

#include <algorithm>
#include <charconv>

#include "base/printable.h"
#include "base/text.h"

namespace spillway {
namespace {

std::string number_text(double value) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, value).ptr;
  const std::string shown(text, end);
  const bool looks_whole = shown.find_first_of(".en") == std::string::npos;
  return looks_whole ? shown + ".0" : shown;
}

constexpr std::size_t kShownKeys = 3;

struct Describe {
  std::string operator()(std::nullptr_t) const { return "null"; }
  std::string operator()(bool value) const { return value ? "true" : "false"; }
  std::string operator()(std::int64_t value) const { return std::to_string(value); }
  std::string operator()(std::uint64_t value) const { return std::to_string(value); }
  std::string operator()(double value) const { return number_text(value); }
  std::string operator()(const std::string& value) const { return in_quotes(value); }
  std::string operator()(const List& value) const {
    return value.empty() ? "an empty list" : "a list of " + std::to_string(value.size());
  }
  std::string operator()(const Object& value) const {
    if (value.empty()) return "an empty object";
    std::string text;
    for (std::size_t i = 0; i < std::min(value.size(), kShownKeys); ++i)
      add_to_list(text, in_quotes(value[i].key));
    if (value.size() > kShownKeys) text += " and " + std::to_string(value.size() - kShownKeys) + " more";
    return "an object with " + text;
  }
};

// Replaces every `from` in one pass.
std::string replaced(std::string_view text, std::string_view from, std::string_view to) {
  std::string all;
  while (!text.empty()) {
    const std::size_t at = text.find(from);
    all += text.substr(0, at);
    if (at == std::string_view::npos) break;
    all += to;
    text.remove_prefix(at + from.size());
  }
  return all;
}

}  // namespace

bool operator==(const Node& a, const Node& b) {
  return a.value == b.value;
}

Node* find(Object& object, std::string_view key) {
  const auto member =
      std::find_if(object.begin(), object.end(), [&](const Member& m) { return m.key == key; });
  return member == object.end() ? nullptr : &member->value;
}

const Node* find(const Object& object, std::string_view key) {
  const auto member =
      std::find_if(object.begin(), object.end(), [&](const Member& m) { return m.key == key; });
  return member == object.end() ? nullptr : &member->value;
}

const Node* member(const Node* object, std::string_view key) {
  const auto* members = object ? std::get_if<Object>(&object->value) : nullptr;
  return members ? find(*members, key) : nullptr;
}

const Node* element(const Node* list, std::size_t index) {
  const auto* elements = list ? std::get_if<List>(&list->value) : nullptr;
  return elements && index < elements->size() ? &(*elements)[index] : nullptr;
}

std::string describe(const Node& node) {
  return std::visit(Describe{}, node.value);
}

std::string child(std::string_view pointer, std::string_view token) {
  return std::string(pointer) + '/' + printable(replaced(replaced(token, "~", "~0"), "/", "~1"));
}

std::vector<std::string> tokens_of(std::string_view pointer) {
  std::vector<std::string> tokens;
  while (!pointer.empty()) {
    const std::size_t next = std::min(pointer.find('/', 1), pointer.size());
    tokens.push_back(replaced(replaced(pointer.substr(1, next - 1), "~1", "/"), "~0", "~"));
    pointer.remove_prefix(next);
  }
  return tokens;
}

}  // namespace spillway
