#include "input/experiment/blocks.h"

#include <cstddef>
#include <set>

namespace spillway {
namespace {

const Node* find_in(const Node* node, std::string_view key) {
  const auto* object = node ? std::get_if<Object>(&node->value) : nullptr;
  return object ? find(*object, key) : nullptr;
}

}  // namespace

std::optional<Block> read_block(const Fields& fields) {
  const auto name = fields.need("name", [](const Place& p) { return read_text(p); });
  const auto role = fields.get("role", [](const Place& p) { return read_choice<Role>(p, kRoles); });
  const auto trainable = fields.get("trainable", [](const Place& p) { return read_boolean(p); });
  fields.get("feeds", [](const Place& p) { return read_text(p); });  // see read_towers_beside
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

std::vector<bool> read_towers_beside(const std::vector<Place>& blocks, const std::vector<Role>& roles) {
  const auto text = [&](std::size_t block, std::string_view key) {
    const Node* node = find_in(blocks[block].node, key);
    const auto* found = node ? std::get_if<std::string>(&node->value) : nullptr;
    return found ? *found : std::string();
  };
  std::size_t towers = 0;  // leading encoders
  while (towers < roles.size() && roles[towers] == Role::Encoder) ++towers;
  std::vector<bool> beside(blocks.size(), false);
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const std::string fed = text(i, "feeds");
    if (fed.empty() || (i + 1 < blocks.size() && fed == text(i + 1, "name"))) continue;
    const bool first = i == 0 || beside[i - 1];
    beside[i] = first && i + 1 < towers && towers < blocks.size() && fed == text(towers, "name");
    if (beside[i]) continue;
    const std::string behind =
        towers < blocks.size()
            ? ", or for encoders before any other block its name, " + describe({text(towers, "name")})
            : "";
    blocks[i].findings->add(child(blocks[i].pointer, "feeds"), "the name of the next block" + behind,
                            describe({fed}));
  }
  return beside;
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
