#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "law_list.h"

namespace spillway::testing {
namespace {

using Json = nlohmann::ordered_json;

void double_times(Json& object) {
  for (auto& [key, value] : object.items())
    if (key.ends_with("_ms")) value = 2 * value.get<double>();
}

// The boundaries of the blocks are the default cut; where there is one it has to be said now.
void say_cut(Json& document) {
  std::vector<std::uint32_t> boundaries;
  std::uint32_t layers = 0;
  for (const Json& block : document["model"]["blocks"]) {
    if (layers > 0) boundaries.push_back(layers);
    layers += block["layers"].get<std::uint32_t>();
  }
  for (Json& schedule : document["schedules"]) {
    const std::string text = schedule["schedule"];
    const auto regions = static_cast<std::size_t>(std::count(text.begin(), text.end(), ',')) + 1;
    if (regions > 1 && regions == boundaries.size() + 1 && !schedule.contains("cut"))
      schedule["cut"] = boundaries;
  }
}

// The first half keeps the name, and both the role.
void split(Json& blocks, std::size_t at) {
  Json second = blocks[at];
  const auto layers = second["layers"].get<std::uint32_t>();
  const std::string name = second["name"];
  second["name"] = name + "-second-half";
  blocks[at]["layers"] = layers / 2;
  second["layers"] = layers - layers / 2;
  blocks.insert(blocks.begin() + static_cast<std::ptrdiff_t>(at) + 1, std::move(second));
}

// Is what each replica's microbatches take stated, and nothing of it drawn by the replica's number?
bool tells_replicas_apart(const Json& document) {
  bool told = false;
  for (const Json& block : document["model"]["blocks"]) {
    if (block.contains("image_work") || block.contains("measured_work")) return false;
    told = told || (block.contains("work_per_microbatch") && block["work_per_microbatch"].size() > 1);
  }
  return told;
}

}  // namespace

// What a block is called says its role where nothing else does, and its role says no figure.
Verdict names_say_nothing(const Case& one) {
  if (!one.is_given()) return kSaysNothing;
  Json document = Json::parse(one.job().document);
  std::size_t number = 0;
  for (Json& block : document["model"]["blocks"])
    block["name"] = (number % 2 == 0 ? "enc" : "gen") + std::to_string(number), ++number;
  const PointOutcome renamed = outcome_of(experiment_of(document.dump()));
  for (std::size_t s = 0; s < renamed.schedules.size(); ++s)
    if (renamed.schedules[s] != one.outcome().schedules[s])
      return broken(renamed.schedules[s].name + ": " + text(renamed.schedules[s].makespans[0]) + " for " +
                    text(one.outcome().schedules[s].makespans[0]) + ", or another figure");
  return kHolds;
}

Verdict replicas_have_no_order(const Case& one) {
  if (!one.is_given()) return kSaysNothing;
  Json document = Json::parse(one.job().document);
  if (!tells_replicas_apart(document)) return kSaysNothing;
  for (Json& block : document["model"]["blocks"])
    if (block.contains("work_per_microbatch"))
      std::reverse(block["work_per_microbatch"].begin(), block["work_per_microbatch"].end());
  return same_makespans(one.outcome(), outcome_of(experiment_of(document.dump())), Held::ToRounding);
}

Verdict time_has_no_unit(const Case& one) {
  if (!one.is_given()) return kSaysNothing;
  Json document = Json::parse(one.job().document);
  for (Json& block : document["model"]["blocks"]) double_times(block["profile"]);
  double_times(document["network"]);
  return same_makespans(one.outcome(), outcome_of(experiment_of(document.dump())), Held::Exactly, 2);
}

Verdict a_block_is_its_halves(const Case& one) {
  if (!one.is_given()) return kSaysNothing;
  Json document = Json::parse(one.job().document);
  Json& blocks = document["model"]["blocks"];
  say_cut(document);
  for (std::size_t i = blocks.size(); i-- > 0;)
    if (blocks[i]["layers"] > 1) split(blocks, i);
  return same_makespans(one.outcome(), outcome_of(experiment_of(document.dump())), Held::ToRounding);
}

}  // namespace spillway::testing
