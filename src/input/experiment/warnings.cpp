#include "input/experiment/warnings.h"

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/number.h"
#include "base/text.h"
#include "json/settings.h"

namespace spillway {
namespace {

using Tokens = std::vector<std::string>;

std::optional<std::string> of_tier(const Tokens& tokens, const Platform& platform) {
  if (tokens.size() < 3 || tokens[0] != "tiers") return std::nullopt;
  if (tokens[2] != "latency_us" && tokens[2] != "step_latency_us" && tokens[2] != "bandwidth_gbps")
    return std::nullopt;
  const auto index = number_from<std::size_t>(tokens[1]);
  if (!index || *index >= platform.tiers.size()) return std::nullopt;
  const Tier& tier = platform.tiers[*index];
  if (tier.collectives.empty()) return std::nullopt;
  return "tier " + tier.name + " has " + std::to_string(tier.collectives.size()) +
         " measured sweeps of collectives, which do not change: only groups without a sweep depend on this "
         "value " +
         tokens[2];
}

bool is_measured(const std::string& kind, const OperatorTables& tables) {
  if (kind == "gemm") return !tables.gemms.empty();
  if (kind == "grouped_gemm") return !tables.grouped_gemms.empty();
  return (kind == "attention" || kind == "attention_backward") && !tables.attentions.empty();
}

std::optional<std::string> of_efficiency(const Tokens& tokens, const Platform& platform) {
  if (tokens.size() < 3 || tokens[0] != "accelerator" || tokens[1] != "efficiency") return std::nullopt;
  if (!is_measured(tokens[2], platform.accelerator.operators)) return std::nullopt;
  return "the platform has measured times of these operators, which replace an efficiency";
}

bool same_at(const Node& a, const Node& b, const std::string& pointer) {
  const Node *one = value_at(a, pointer), *other = value_at(b, pointer);
  return one && other ? *one == *other : one == other;
}

const List* list_at(const Node& document, const std::string& pointer) {
  const Node* node = value_at(document, pointer);
  return node ? std::get_if<List>(&node->value) : nullptr;
}

// Returns the pointers at which blocks still state properties of a machine, as written.
std::string stated_of_blocks(const Node& written, const Node& document) {
  const List* blocks = list_at(document, "/model/blocks");
  std::string pointers;
  for (std::size_t i = 0; blocks && i < blocks->size(); ++i)
    for (const char* key : {"/efficiency", "/fixed_ms"}) {
      const std::string pointer = "/model/blocks/" + std::to_string(i) + key;
      if (value_at(document, pointer) && same_at(written, document, pointer)) add_to_list(pointers, pointer);
    }
  return pointers;
}

// Returns the layers of the first transposed regions that feed a pipelined one. Empty if there are none, or
// if the cut was refused.
LayerRange transposed_layers(const ScheduleSpec& schedule, const Model& model) {
  if (!check_cut(schedule.cut, model, schedule.schedule.skeletons.size()).empty()) return {0, 0};
  const NormalForm normal = normal_form(model, schedule.schedule, schedule.cut);
  const auto& skeletons = normal.schedule.skeletons;
  const std::vector<Region> regions = regions_of(model, normal.cut);
  LayerRange layers{0, 0};
  for (std::size_t region = 0; region + 1 < skeletons.size(); ++region) {
    const bool transposed = layout_of(skeletons[region]) == Layout::Replicated;
    if (!transposed && layers.size() > 0) break;
    if (!transposed) continue;
    if (layers.size() == 0) layers.first = regions[region].layers.first;
    layers.end = regions[region].layers.end;
  }
  return layers;
}

}  // namespace

std::vector<Warning> overridden_keys(const Object& changes, const Platform& platform) {
  std::vector<Warning> warnings;
  for (const Member& change : changes) {
    if (!change.key.starts_with('/')) continue;
    const Tokens tokens = tokens_of(change.key);
    auto why = of_tier(tokens, platform);
    if (!why) why = of_efficiency(tokens, platform);
    if (why) warnings.push_back({"measured-instead", child("/platform_set", change.key) + ": " + *why});
  }
  return warnings;
}

std::vector<Warning> carried_along(const Node& written, const Node& document) {
  if (!value_at(written, "/platform")) return {};
  const bool another = !same_at(written, document, "/platform");
  if (!another && same_at(written, document, "/platform_set")) return {};
  std::vector<Warning> warnings;
  const List* fits = list_at(document, "/fit");
  if (fits && !fits->empty() && same_at(written, document, "/fit"))
    warnings.push_back({"fit-carried-along",
                        "the platform is changed but /fit is kept: its parameters are fitted again, so the "
                        "step takes the time measured on the platform as written, whatever the new platform "
                        "is; set /fit=[] to keep the stated values"});
  const std::string stated = another ? stated_of_blocks(written, document) : "";
  if (!stated.empty())
    warnings.push_back(
        {"efficiency-carried-along",
         stated + " was stated for the platform as written, and is taken on this one in place of what "
                  "the platform says of itself"});
  return warnings;
}

std::optional<Warning> role_remark(const Experiment& experiment) {
  const Model& model = experiment.model;
  std::set<std::size_t> blocks;
  std::vector<std::string> schedules;
  for (const ScheduleSpec& schedule : experiment.schedules) {
    const LayerRange layers = transposed_layers(schedule, model);
    const auto is_no_encoder = [&](std::size_t block) {
      return model.part_of(block, layers).size() > 0 && model.blocks()[block].role != Role::Encoder;
    };
    bool any = false;
    for (std::size_t block = 0; block < model.blocks().size(); ++block) {
      if (!is_no_encoder(block)) continue;
      blocks.insert(block);
      any = true;
    }
    if (any) schedules.push_back(schedule.name);
  }
  if (blocks.empty()) return std::nullopt;
  std::vector<std::string> names;
  for (const std::size_t block : blocks) names.push_back(model.blocks()[block].name);
  return Warning{
      "transposed-is-no-encoder",
      "transposed regions count as encoder work (E_r, spill, exposed encoder), whatever their role: " +
          joined(names) + " in " + joined(schedules)};
}

}  // namespace spillway
