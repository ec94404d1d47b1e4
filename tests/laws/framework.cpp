// Frameworks that state anything that a framework can: operators and their keys come from the schema.
#include <string>
#include <vector>

#include "dice.h"
#include "documents.h"
#include "json/schema.h"

namespace spillway::testing {
namespace {

const Json& schema() {
  static const Json all = Json::parse(json_schema("framework").value());
  return all;
}

std::vector<std::string> names_in(const Json& object) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : object.items()) keys.push_back(key);
  return keys;
}

// Returns a small whole number, which every key of an operator accepts.
Json operator_figure(const std::string& key) {
  return figure(key == "gradient_sum_bytes" ? number(8, 16) : number(1, 4));
}

// An operator states "waits" only if the host's launches are stated.
Json operators(bool launches) {
  const Json& known = schema()["definitions"]["operators"]["properties"];
  Json operators;
  for (std::uint32_t i = number(2, 8); i > 0; --i) {
    const std::string name = any_of(names_in(known));
    const std::string kind =
        known[name]["$ref"].get<std::string>().substr(std::string("#/definitions/").size());
    for (std::uint32_t k = number(1, 3); k > 0; --k) {
      const std::string key = any_of(names_in(schema()["definitions"][kind]["properties"]));
      if (launches || key != "waits") operators[name][key] = operator_figure(key);
    }
  }
  return operators.is_null() ? Json::object() : operators;
}

void state_host(Json& framework) {
  if (one_in(2)) framework["launch_us"] = figure(number(0, 80));
  if (one_in(2)) framework["message_us"] = figure(number(0, 500));
  if (one_in(2)) framework["update_us"] = figure(number(0, 500));
  if (framework.contains("launch_us") && one_in(2)) framework["stage_kernels"] = figure(number(1, 40));
}

void state_gradients(Json& framework) {
  if (one_in(2)) framework["gradient_bytes"] = figure(2);
  if (one_in(3)) framework["gradient_buffer_bytes"] = figure(any_of<double>({2, 4}));
  if (one_in(4)) framework["gradient_bucket_mb"] = figure(number(1, 400));
}

void state_loss(Json& framework) {
  if (!one_in(3)) return;
  Json& loss = framework["chunked_loss"];
  loss = figure(1);
  for (const char* key : {"value", "interval", "points"}) loss.erase(key);
  loss["gradients"] = one_in(2) ? "forward" : "backward";
  if (one_in(2)) loss["chunks"] = figure(number(1, 40));
}

void state_hidden(Json& framework) {
  for (const auto& [share, about] : schema()["properties"]["hidden"]["properties"].items())
    if (one_in(2)) framework["hidden"][share] = figure(number(0, 4) * 0.25);
}

}  // namespace

Json figure(double value) {
  Json figure = {{"value", value},
                 {"kind", any_of(schema()["definitions"]["kind"]["enum"].get<std::vector<std::string>>())},
                 {"source", "the dice"}};
  if (one_in(8)) figure["interval"] = {0.5 * value, 1.5 * value};
  if (one_in(8)) figure["points"] = number(1, 9);
  return figure;
}

Json any_framework() {
  Json framework = {{"schema", "spillway/framework/1"}, {"name", "drawn"}};
  if (one_in(3)) framework["note"] = "drawn by dice";
  for (const auto& [key, about] : schema()["properties"].items())
    if (about.value("type", "") == "boolean" && one_in(2)) framework[key] = one_in(2);
  state_host(framework);
  state_gradients(framework);
  state_loss(framework);
  state_hidden(framework);
  const bool launches = framework.contains("launch_us");
  if (one_in(2)) framework["operators"] = operators(launches);
  if (one_in(2)) framework["encoder_operators"] = operators(launches);
  return framework;
}

}  // namespace spillway::testing
