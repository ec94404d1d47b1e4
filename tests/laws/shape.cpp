#include "shape.h"

#include <array>

#include "dice.h"
#include "model/model.h"

namespace spillway::testing {
namespace {

bool is_drawn(const Json& document) {
  if (document.contains("workload")) return !document["workload"].contains("sequences_per_microbatch");
  for (const Json& block : document["model"]["blocks"])
    if (block.contains("image_work") || block.contains("measured_work")) return true;
  return false;
}

void add_block(const Json& block, std::string& last, Shape& shape) {
  const std::string role = role_of(block);
  if (role != last) shape.modules.emplace_back();
  ModuleShape& module = shape.modules.back();
  module.blocks.push_back(block["name"]);
  module.layers += block["layers"].get<std::uint32_t>();
  module.trained = module.trained || block.value("trainable", true);
  last = role;
}

}  // namespace

std::uint32_t Shape::layers() const {
  std::uint32_t all = 0;
  for (const ModuleShape& module : modules) all += module.layers;
  return all;
}

std::string role_of(const Json& block) {
  if (block.contains("role")) return block["role"];
  constexpr std::array kWords{"encoder", "backbone", "generator"};
  return kWords[static_cast<std::size_t>(role_from_name(block["name"].get<std::string>()))];
}

void graphs_without_images(Json& document) {
  const Json::json_pointer covers("/framework/graphs/covers");
  if (document["framework"].is_null()) document.erase("framework");
  if (!document.contains(covers) || document[covers] != "step") return;
  for (const Json& block : document["model"]["blocks"])
    if (role_of(block) == "encoder") document[covers] = "layer";
}

Shape shape_of(const Json& document) {
  Shape shape;
  const Json& pipeline = document["pipeline"];
  shape.ranks = pipeline["ranks"];
  shape.microbatches = pipeline["microbatches"];
  shape.replicas = pipeline.value("replicas", 1U);
  if (document.contains("parallel")) {
    shape.tensor = document["parallel"].value("tensor", 1U);
    shape.context = document["parallel"].value("context", 1U);
  }
  shape.analytic = document.contains("platform");
  shape.drawn = is_drawn(document);
  std::string last;
  for (const Json& block : document["model"]["blocks"]) add_block(block, last, shape);
  shape.has_encoder = shape.modules.size() > 1 && role_of(document["model"]["blocks"][0]) == "encoder";
  return shape;
}

std::vector<std::uint32_t> parts_of(std::uint32_t total, std::uint32_t count) {
  std::vector<std::uint32_t> parts(count, 1);
  for (std::uint32_t left = total - count; left > 0; --left) ++parts[number(0, count - 1)];
  return parts;
}

}  // namespace spillway::testing
