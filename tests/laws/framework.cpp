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

bool is_of_host(const std::string& key) {
  return key == "waits" || key.ends_with("_host_us");
}

// An operator states what its host does only if the host's launches are stated, and no wait that a graph
// could hold.
Json operators(bool launches, bool graphs) {
  const Json& known = schema()["definitions"]["operators"]["properties"];
  Json operators;
  for (std::uint32_t i = number(2, 8); i > 0; --i) {
    const std::string name = any_of(names_in(known));
    const std::string kind =
        known[name]["$ref"].get<std::string>().substr(std::string("#/definitions/").size());
    for (std::uint32_t k = number(1, 3); k > 0; --k) {
      const std::string key = any_of(names_in(schema()["definitions"][kind]["properties"]));
      if ((launches || !is_of_host(key)) && !(graphs && key == "waits"))
        operators[name][key] = operator_figure(key);
    }
  }
  return operators.is_null() ? Json::object() : operators;
}

// A graph of the whole step holds its messages.
void state_graphs(Json& framework) {
  const Json parts = {"attn", "mlp", "moe_router", "moe_preprocess"};
  const Json covers = any_of<Json>({"none", "layer", "step", parts, Json::array({"moe"})});
  framework["graphs"] = {{"covers", covers}, {"kind", "measured"}, {"source", "the dice"}};
  if (covers == "step") framework.erase("message_us");
  if (one_in(2)) framework["graph_launch_us"] = figure(number(0, 90));
}

void state_host(Json& framework) {
  if (one_in(2)) framework["launch_us"] = figure(number(0, 80));
  if (one_in(2)) framework["message_us"] = figure(number(0, 500));
  if (one_in(2)) framework["update_us"] = figure(number(0, 500));
  if (!framework.contains("launch_us")) return;
  if (one_in(2)) framework["stage_kernels"] = figure(number(1, 40));
  if (one_in(2)) framework["collective_us"] = figure(number(0, 200));
  if (one_in(2)) state_graphs(framework);
}

Json said(Json value) {
  Json said = figure(1);
  said.erase("interval");
  said.erase("points");
  said["value"] = std::move(value);
  return said;
}

void state_documents(Json& framework) {
  if (one_in(2)) framework["attends_across_documents"] = said(one_in(2));
  if (one_in(2)) framework["pads_to"] = said(any_of(std::vector<std::string>{"none", "microbatch", "batch"}));
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

Json choice(const Json& about);

void state_sharding(Json& framework) {
  const Json& known = schema()["properties"]["sharding"]["properties"];
  Json& sharding = framework["sharding"] = Json::object();
  for (const char* key : {"weights", "reduces"})
    if (one_in(2)) sharding[key] = choice(known[key]);
  for (const char* key : {"gather_bytes", "reduce_bytes"})
    if (one_in(2)) sharding[key] = figure(number(0, 8));
  if (!framework.contains("launch_us") || framework.contains("graphs")) return;
  if (one_in(2)) sharding["synchronizes"] = choice(known["synchronizes"]);
  if (one_in(2)) sharding["layer_us"] = figure(number(0, 900));
}

Json choice(const Json& about) {
  Json stated = figure(0);
  for (const char* key : {"interval", "points"}) stated.erase(key);
  stated["value"] = any_of(about["properties"]["value"]["enum"].get<std::vector<std::string>>());
  return stated;
}

// Reductions that begin after a whole backward hide in none, so nothing may be stated to hide.
void state_end(Json& framework) {
  const Json& known = schema()["properties"]["step_end"]["properties"];
  Json& end = framework["step_end"];
  end["reductions"] = choice(known["reductions"]);
  for (const char* key : {"gradients", "parameters"})
    if (one_in(2)) end[key] = choice(known[key]);
  for (const char* key : {"averages", "checks", "norms", "losses", "between_us"})
    if (one_in(2)) end[key] = figure(number(0, 4));
  if (one_in(2)) end["clips"] = figure(number(0, 4) * 0.25);
  const std::string start = end["reductions"]["value"];
  if ((start == "after-backward" || start == "by-stage") && framework.contains("hidden"))
    framework["hidden"].erase("gradients");
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

// Statements that no figure of a run depends on.
void state_models(Json& framework) {
  const auto stated = [](Json statement) {
    statement.update(said(0));
    statement.erase("value");
    return statement;
  };
  if (one_in(3))
    framework["models"] =
        stated({{"text", !one_in(4)}, {"images", one_in(2) ? Json("any") : Json({"qwen2_vl"})}});
  if (one_in(3)) framework["stages"] = stated({{"layers", one_in(2) ? "any" : "ends"}});
  if (framework.contains("stages") && one_in(2)) framework["stages"]["encoder"] = one_in(2) ? "first" : "any";
  if (one_in(3)) framework["dispatch"] = choice(schema()["properties"]["dispatch"]);
}

Json any_framework() {
  Json framework = {{"schema", "spillway/framework/1"}, {"name", "drawn"}};
  if (one_in(3)) framework["note"] = "drawn by dice";
  for (const auto& [key, about] : schema()["properties"].items())
    if (about.value("type", "") == "boolean" && key != "kernels_per_expert" && one_in(2))
      framework[key] = one_in(2);
  state_host(framework);
  state_documents(framework);
  state_gradients(framework);
  state_loss(framework);
  state_hidden(framework);
  if (one_in(2)) state_end(framework);
  if (one_in(3)) state_sharding(framework);
  const bool launches = framework.contains("launch_us");
  if (launches && one_in(2)) framework["kernels_per_expert"] = one_in(2);
  const bool graphs = framework.contains("graphs");
  if (one_in(2)) framework["operators"] = operators(launches, graphs);
  if (one_in(2)) framework["encoder_operators"] = operators(launches, graphs);
  state_models(framework);
  return framework;
}

}  // namespace spillway::testing
