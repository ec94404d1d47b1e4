#include "used_keys.h"

#include <algorithm>

namespace spillway::testing {
namespace {

// A part of the schema, and the part of a document that it describes: null if all documents are meant.
struct Place {
  std::string pointer;
  const Json& node;
  const Json* value;
};

class Walk {
 public:
  explicit Walk(const Json& schema) : schema_(schema) {}

  Uses from_root(const Json* document) {
    visit({"#", schema_, document});
    return std::move(uses_);
  }

 private:
  const Json& target(const Json& node) const {
    return schema_.at(Json::json_pointer(node["$ref"].get<std::string>().substr(1)));
  }

  // Returns whether the schema accepts the value, by the keywords that the schemas of experiments use.
  bool takes(const Json& node, const Json& value) const {
    if (node.contains("$ref")) return takes(target(node), value);
    if (node.contains("const") && node["const"] != value) return false;
    if (node.contains("enum") && !contains(node["enum"], value)) return false;
    if (node.contains("not") && takes(node["not"], value)) return false;
    return has_type(node, value) && has_form(node, value) && (!value.is_object() || has_keys(node, value)) &&
           (!value.is_array() || !node.contains("items") || value.empty() || takes(node["items"], value[0]));
  }

  static bool contains(const Json& list, const Json& value) {
    return std::find(list.begin(), list.end(), value) != list.end();
  }

  static bool has_type(const Json& node, const Json& value) {
    const std::string type = node.value("type", "");
    if (type == "integer") return value.is_number_integer();
    return type.empty() || type == value.type_name();
  }

  bool has_form(const Json& node, const Json& value) const {
    for (const char* forms : {"oneOf", "anyOf"}) {
      if (!node.contains(forms)) continue;
      const Json& all = node[forms];
      if (std::none_of(all.begin(), all.end(), [&](const Json& form) { return takes(form, value); }))
        return false;
    }
    return true;
  }

  bool has_keys(const Json& node, const Json& value) const {
    if (node.contains("required"))
      for (const Json& key : node["required"])
        if (!value.contains(key)) return false;
    if (!node.contains("properties")) return true;
    const Json& properties = node["properties"];
    for (const auto& [key, below] : value.items()) {
      if (properties.contains(key) ? !takes(properties[key], below) : node.contains("additionalProperties"))
        return false;
    }
    return true;
  }

  void visit(const Place& place) {
    if (place.node.contains("$ref")) {
      const std::string ref = place.node["$ref"];
      if (place.value || seen_.insert(ref).second) visit({ref, target(place.node), place.value});
      return;
    }
    visit_words(place);
    visit_forms(place);
    if (place.node.contains("properties")) visit_keys(place);
    if (!place.node.contains("items")) return;
    const std::string items = place.pointer + "/items";
    if (!place.value) visit({items, place.node["items"], nullptr});
    if (place.value && place.value->is_array())
      for (const Json& item : *place.value) visit({items, place.node["items"], &item});
  }

  void visit_words(const Place& place) {
    const auto use = [&](const Json& word) { uses_.insert(place.pointer + '=' + word.dump()); };
    const bool flag = place.node.value("type", "") == "boolean";
    if (!flag && !place.node.contains("enum")) return;
    if (place.value) return use(*place.value);
    for (const Json& word : flag ? Json{false, true} : place.node["enum"]) use(word);
  }

  void visit_forms(const Place& place) {
    for (const char* forms : {"oneOf", "anyOf", "allOf"}) {
      if (!place.node.contains(forms)) continue;
      for (std::size_t i = 0; i < place.node[forms].size(); ++i) {
        const Json& form = place.node[forms][i];
        if (place.value && !takes(form, *place.value)) continue;
        const std::string pointer = place.pointer + '/' + forms + '/' + std::to_string(i);
        uses_.insert(pointer);
        visit({pointer, form, place.value});
      }
    }
  }

  void visit_keys(const Place& place) {
    for (const auto& [key, node] : place.node["properties"].items()) {
      if (place.value && !(place.value->is_object() && place.value->contains(key))) continue;
      const std::string pointer = place.pointer + "/properties/" + key;
      uses_.insert(pointer);
      visit({pointer, node, place.value ? &(*place.value)[key] : nullptr});
    }
  }

  const Json& schema_;
  std::set<std::string> seen_;  // definitions, if all documents are meant
  Uses uses_;
};

}  // namespace

Uses keys_of(const Json& schema) {
  return Walk(schema).from_root(nullptr);
}

Uses keys_of(const Json& schema, const Json& document) {
  return Walk(schema).from_root(&document);
}

}  // namespace spillway::testing
