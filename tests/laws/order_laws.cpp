#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "documents.h"
#include "law_list.h"

namespace spillway::testing {
namespace {

void double_times(Json& object) {
  for (auto& [key, value] : object.items())
    if (key.ends_with("_ms")) value = 2 * value.get<double>();
}

// Removes the schedules to which a law does not apply; returns false if none is left.
template <class Says>
bool keep(Json& document, Says says) {
  Json kept = Json::array();
  for (Json& schedule : document["schedules"])
    if (says(schedule)) kept.push_back(std::move(schedule));
  document["schedules"] = std::move(kept);
  document.erase("baseline");
  return !document["schedules"].empty();
}

// States the default cut, which is the boundaries of the blocks: these change when blocks are split.
void say_cut(Json& document) {
  std::vector<std::uint32_t> boundaries;
  std::uint32_t layers = 0;
  for (const Json& block : document["model"]["blocks"]) {
    if (layers > 0) boundaries.push_back(layers);
    layers += block["layers"].get<std::uint32_t>();
  }
  for (Json& schedule : document["schedules"]) {
    if (!schedule.contains("schedule") || schedule.contains("modules")) continue;
    const std::string text = schedule["schedule"];
    const auto regions = static_cast<std::size_t>(std::count(text.begin(), text.end(), ',')) + 1;
    if (regions > 1 && regions == boundaries.size() + 1 && !schedule.contains("cut"))
      schedule["cut"] = boundaries;
  }
}

// Adds the second half to the modules that name the block.
void name_halves(Json& schedules, const std::string& name, const std::string& half) {
  for (Json& schedule : schedules) {
    if (!schedule.contains("modules") || schedule["modules"].is_string()) continue;
    for (Json& module : schedule["modules"]) {
      auto names = module["blocks"].get<std::vector<std::string>>();
      if (const auto at = std::find(names.begin(), names.end(), name); at != names.end())
        names.insert(at + 1, half);
      module["blocks"] = names;
    }
  }
}

// A system whose pipeline is interleaved ends its regions where blocks do, if there are as many.
bool counts_blocks(const Json& schedule) {
  return schedule.contains("system") &&
         (schedule.value("chunks", 1) > 1 || schedule.value("body", "").find(',') != std::string::npos);
}

// The first half keeps the name, and both halves keep the role.
void split(Json& document, std::size_t at) {
  Json& blocks = document["model"]["blocks"];
  Json second = blocks[at];
  const auto layers = second["layers"].get<std::uint32_t>();
  const std::string name = second["name"];
  second["name"] = name + "-second-half";
  name_halves(document["schedules"], name, second["name"]);
  blocks[at]["layers"] = layers / 2;
  second["layers"] = layers - layers / 2;
  blocks.insert(blocks.begin() + static_cast<std::ptrdiff_t>(at) + 1, std::move(second));
}

constexpr std::array kWorks{"work_per_microbatch", "backward_work_per_microbatch"};

// Returns whether the work of each replica is stated, and none of it is drawn by the replica's number.
bool tells_replicas_apart(const Json& document) {
  bool told = false;
  for (const Json& block : document["model"]["blocks"]) {
    if (block.contains("image_work") || block.contains("measured_work")) return false;
    for (const char* key : kWorks) told = told || (block.contains(key) && block[key][0].is_array());
  }
  return told;
}

void state_roles(Json& blocks) {
  for (Json& block : blocks)
    if (!block.contains("role")) block["role"] = role_of(block);
}

void rename_in_modules(Json& schedules, const std::string& from, const std::string& to) {
  for (Json& schedule : schedules) {
    if (!schedule.contains("modules") || schedule["modules"].is_string()) continue;
    for (Json& module : schedule["modules"])
      for (Json& name : module["blocks"])
        if (name == from) name = to;
  }
}

// Returns whether any figure of a job depends on roles.
bool asks_for_roles(const Json& document) {
  if (document.contains("what_if") && document["what_if"].contains("encoder_time")) return true;
  // Only encoders stand side by side.
  for (const Json& block : document["model"]["blocks"])
    if (block.contains("feeds")) return true;
  return std::ranges::any_of(document["schedules"], [](const Json& schedule) {
    return schedule.contains("system") || schedule.value("split", "") == "disaggregated";
  });
}

}  // namespace

// A block's name implies its role if no key states it. The law states roles where figures depend on them.
Verdict names_say_nothing(const Case& one) {
  if (!one.is_given()) return kSaysNothing;
  Json document = Json::parse(one.job().document);
  if (asks_for_roles(document)) state_roles(document["model"]["blocks"]);
  Json& blocks = document["model"]["blocks"];
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const std::string name = (i % 2 == 0 ? "enc" : "gen") + std::to_string(i);
    rename_in_modules(document["schedules"], blocks[i]["name"], name);
    for (Json& block : blocks)
      if (block.value("feeds", Json()) == blocks[i]["name"]) block["feeds"] = name;
    blocks[i]["name"] = name;
  }
  const PointOutcome renamed = outcome_of(experiment_of(document.dump()));
  for (std::size_t s = 0; s < renamed.schedules.size(); ++s)
    if (renamed.schedules[s] != one.outcome().schedules[s])
      return broken(renamed.schedules[s].name + ": " + text(renamed.schedules[s].makespans[0]) + " for " +
                    text(one.outcome().schedules[s].makespans[0]) + ", or another figure");
  return kHolds;
}

// Modules assign microbatches to their pipelines in turn, replica by replica: these schedules are left out.
Verdict replicas_have_no_order(const Case& one) {
  if (!one.is_given()) return kSaysNothing;
  Json document = Json::parse(one.job().document);
  if (!tells_replicas_apart(document)) return kSaysNothing;
  if (!keep(document, [](const Json& schedule) { return !schedule.contains("modules"); }))
    return kSaysNothing;
  document.erase("fit");
  const PointOutcome in_order = outcome_of(experiment_of(document.dump()));
  for (Json& block : document["model"]["blocks"])
    for (const char* key : kWorks)
      if (block.contains(key) && block[key][0].is_array()) std::reverse(block[key].begin(), block[key].end());
  return same_makespans(in_order, outcome_of(experiment_of(document.dump())), Held::ToRounding);
}

Verdict time_has_no_unit(const Case& one) {
  if (!one.is_given()) return kSaysNothing;
  Json document = Json::parse(one.job().document);
  if (document.contains("fit")) return kSaysNothing;  // bisected to a bound in seconds
  for (Json& block : document["model"]["blocks"]) double_times(block["profile"]);
  for (const char* part : {"network", "what_if"})
    if (document.contains(part)) double_times(document[part]);
  for (Json& schedule : document["schedules"]) double_times(schedule);
  return same_makespans(one.outcome(), outcome_of(experiment_of(document.dump())), Held::Exactly, 2);
}

Verdict a_block_is_its_halves(const Case& one) {
  if (!one.is_given()) return kSaysNothing;
  Json document = Json::parse(one.job().document);
  if (document.contains("fit")) return kSaysNothing;  // a fit is of one block, which then has two numbers
  document.erase("equal_terms");                      // its chunks interleave every system
  for (const Json& block : document["model"]["blocks"])
    if (block.contains("feeds")) return kSaysNothing;  // half a tower feeds its other half
  if (!keep(document, [](const Json& schedule) { return !counts_blocks(schedule); })) return kSaysNothing;
  const PointOutcome whole = outcome_of(experiment_of(document.dump()));
  say_cut(document);
  for (std::size_t i = document["model"]["blocks"].size(); i-- > 0;)
    if (document["model"]["blocks"][i]["layers"] > 1) split(document, i);
  return same_makespans(whole, outcome_of(experiment_of(document.dump())), Held::ToRounding);
}

}  // namespace spillway::testing
