#include "compare/report_nodes.h"

namespace spillway {

std::optional<double> number_in(const Node* node) {
  if (!node) return std::nullopt;
  if (const auto* value = std::get_if<double>(&node->value)) return *value;
  if (const auto* value = std::get_if<std::uint64_t>(&node->value)) return static_cast<double>(*value);
  if (const auto* value = std::get_if<std::int64_t>(&node->value)) return static_cast<double>(*value);
  return std::nullopt;
}

std::optional<double> figure_in(const Node& of, std::string_view key, std::string_view part) {
  const Node* node = member(&of, key);
  if (!node) return std::nullopt;
  const auto alone = number_in(node);
  return alone ? alone : number_in(member(node, part));
}

std::optional<std::uint64_t> whole_in(const Node& node, std::string_view key) {
  const Node* value = member(&node, key);
  const auto* whole = value ? std::get_if<std::uint64_t>(&value->value) : nullptr;
  return whole ? std::optional(*whole) : std::nullopt;
}

std::string text_in(const Node& node, std::string_view key) {
  const Node* value = member(&node, key);
  const auto* text = value ? std::get_if<std::string>(&value->value) : nullptr;
  return text ? *text : "";
}

}  // namespace spillway
