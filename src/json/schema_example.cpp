#include "json/schema_example.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "json/dumped.h"

namespace spillway {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kExamples = "examples";
constexpr const char* kToReplace = "a number to replace: ";

class Example {
 public:
  explicit Example(const Json& schema) : root_(schema) {}

  bool has_examples(const Json& given) const {
    const Json schema = whole(given);
    if (schema.contains(kExamples)) return true;
    if (schema.contains("items") && has_examples(schema["items"])) return true;
    const auto of_value = [&](const Json& value) { return has_examples(value); };
    return schema.contains("properties") && std::ranges::any_of(schema["properties"], of_value);
  }

  // `item`: the position of the list's item that the value belongs to.
  Json of(const std::string& key, const Json& given, std::size_t item) {
    const Json schema = whole(given);
    if (schema.contains("const")) return schema["const"];
    if (is_figure(schema)) return figure(schema, item);
    if (schema.contains("properties")) return object(schema, item);
    if (schema.contains("items")) return list(key, schema["items"]);
    const Json value = example(schema, item);
    if (value.is_number()) explain(key, schema);
    return value;
  }

  const std::string& explained() const { return explained_; }

 private:
  // The schema with all that it refers to laid under it.
  Json whole(const Json& given) const {
    Json schema = Json::object(), own = given;
    if (given.contains("$ref")) schema = whole(root_.at(Json::json_pointer(referred(given))));
    if (given.contains("allOf"))
      for (const Json& part : given["allOf"]) schema.merge_patch(whole(part));
    own.erase("$ref");
    own.erase("allOf");
    schema.merge_patch(own);
    return schema;
  }

  static std::string referred(const Json& given) { return given["$ref"].get<std::string>().substr(1); }

  static bool is_figure(const Json& schema) {
    if (!schema.contains("properties")) return false;
    const Json& keys = schema["properties"];
    return keys.contains("value") && keys.contains("kind") && keys.contains("source");
  }

  static Json example(const Json& schema, std::size_t item) {
    const Json& all = schema.at(kExamples);
    return all.at(std::min(item, all.size() - 1));
  }

  static Json figure(const Json& schema, std::size_t item) {
    const std::string words = schema.at("description").get<std::string>();
    return {{"value", example(schema["properties"]["value"], item)},
            {"kind", "assumed"},
            {"source", kToReplace + words}};
  }

  Json object(const Json& schema, std::size_t item) {
    const Json required = schema.value("required", Json::array());
    Json made = Json::object();
    for (const auto& [key, value] : schema["properties"].items()) {
      const bool needed = std::ranges::find(required, Json(key)) != required.end();
      if (needed || has_examples(value)) made[key] = of(key, value, item);
    }
    return made;
  }

  Json list(const std::string& key, const Json& given) {
    const Json schema = whole(given);
    const Json& first = schema["properties"][schema["required"][0].get<std::string>()];
    Json made = Json::array();
    for (std::size_t item = 0; item < whole(first).at(kExamples).size(); ++item)
      made.push_back(of(key, given, item));
    return made;
  }

  void explain(const std::string& key, const Json& schema) {
    const std::string words = " " + key + ": " + schema.at("description").get<std::string>();
    if (explained_.find(words) == std::string::npos) explained_ += words;
  }

  const Json& root_;
  std::string explained_;
};

}  // namespace

std::string schema_example(std::string_view schema, const std::string& name) {
  const Json whole = undumped(std::string(schema));
  Example example(whole);
  if (!example.has_examples(whole)) return "";
  Json made = example.of("", whole, 0);
  made["name"] = name;
  made["note"] =
      "An example: every number is to be replaced, and its source says what it is." + example.explained();
  return dumped(made, 2) + "\n";
}

}  // namespace spillway
