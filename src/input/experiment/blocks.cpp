#include "input/experiment/blocks.h"

#include <array>
#include <set>

namespace spillway {
namespace {

using RoleWord = std::pair<std::string_view, Role>;
constexpr std::array<RoleWord, 3> kRoles = {
    {{"encoder", Role::Encoder}, {"backbone", Role::Backbone}, {"generator", Role::Generator}}};

const Node* find_in(const Node* node, std::string_view key) {
  const auto* object = node ? std::get_if<Object>(&node->value) : nullptr;
  return object ? find(*object, key) : nullptr;
}

}  // namespace

std::optional<Block> read_block(const Fields& fields) {
  const auto name = fields.need("name", [](const Place& p) { return read_text(p); });
  const auto role = fields.get("role", [](const Place& p) { return read_choice<Role>(p, kRoles); });
  const auto trainable = fields.get("trainable", [](const Place& p) { return read_boolean(p); });
  if (!name) return std::nullopt;
  return Block{*name, role.value_or(role_from_name(*name)), 0, trainable.value_or(true)};
}

bool is_analytic(const Fields& experiment) {
  if (experiment.at("platform") || experiment.at("workload")) return true;
  const std::optional<Place> model = experiment.at("model");
  const Node* blocks = model ? find_in(model->node, "blocks") : nullptr;
  const auto* list = blocks ? std::get_if<List>(&blocks->value) : nullptr;
  if (!list) return false;
  for (const Node& block : *list)
    if (find_in(&block, "architecture")) return true;
  return false;
}

void refuse_equal_names(const std::vector<Place>& elements) {
  std::set<std::string> names;
  for (const Place& element : elements) {
    const Node* node = find_in(element.node, "name");
    const auto* name = node ? std::get_if<std::string>(&node->value) : nullptr;
    if (!name || names.insert(*name).second) continue;
    element.findings->add(child(element.pointer, "name"), "a name used once", describe(*node));
  }
}

}  // namespace spillway
