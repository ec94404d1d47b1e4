#include "mutations.h"

namespace spillway {
namespace {

using Json = nlohmann::json;
using Pointer = Json::json_pointer;

void collect(const Json& node, const Pointer& pointer, std::vector<Pointer>& all) {
  if (!pointer.empty()) all.push_back(pointer);
  if (node.is_object())
    for (const auto& [key, child] : node.items()) collect(child, pointer / key, all);
  if (node.is_array())
    for (std::size_t i = 0; i < node.size(); ++i) collect(node[i], pointer / i, all);
}

std::string kind(const Json& value) {
  return value.type_name();
}

// Returns values of every other JSON type; for a number, also -1 and 0.5.
std::vector<Json> others(const Json& value) {
  std::vector<Json> values;
  for (const Json& candidate :
       {Json(nullptr), Json(true), Json(7), Json("text"), Json::array(), Json::object()})
    if (kind(candidate) != kind(value)) values.push_back(candidate);
  if (value.is_number()) values.insert(values.end(), {Json(-1), Json(0.5)});
  return values;
}

}  // namespace

std::vector<Mutation> mutations_of(const Json& document) {
  std::vector<Pointer> pointers;
  collect(document, Pointer(), pointers);
  std::vector<Mutation> all;
  for (const Pointer& pointer : pointers) {
    Json& parent = all.emplace_back(Mutation{"remove " + pointer.to_string(), document})
                       .document[pointer.parent_pointer()];
    if (!parent.is_object()) {
      all.pop_back();
    } else {
      parent.erase(pointer.back());
      Json& renamed = all.emplace_back(Mutation{"rename " + pointer.to_string(), document})
                          .document[pointer.parent_pointer()];
      renamed[pointer.back() + "_"] = renamed[pointer.back()];
      renamed.erase(pointer.back());
    }
    for (const Json& other : others(document[pointer])) {
      all.push_back({pointer.to_string() + " = " + other.dump(), document});
      all.back().document[pointer] = other;
    }
  }
  return all;
}

}  // namespace spillway
