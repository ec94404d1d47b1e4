#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <vector>

#include "json/dumped.h"
#include "order/rank_lists.h"
#include "report/order/derivation.h"

namespace spillway {
namespace {

using Json = nlohmann::ordered_json;

Json owner_json(const Outline& derived, const ByLayer& by_layer) {
  Json parts = Json::array();
  for (StageId id : by_layer.stages) {
    const Stage& stage = derived.stage(id);
    parts.push_back({{"rank", stage.rank.index()}, {"first", stage.layers.first}, {"end", stage.layers.end}});
  }
  return {{"by_layer", parts}};
}

Json owner_json(const Outline&, const ByMicrobatch& by_microbatch) {
  Json ranks = Json::array();
  for (RankId rank : by_microbatch.owner) ranks.push_back(rank.index());
  return {{"by_microbatch", ranks}};
}

Json placement_json(const Outline& derived) {
  Json regions = Json::array();
  for (std::size_t i = 0; i < derived.placement.size(); ++i) {
    const RegionPlacement& placement = derived.placement[i];
    regions.push_back({{"region", derived.regions[i].name},
                       {"layout", to_string(placement.layout)},
                       {"owner", std::visit([&](const auto& owner) { return owner_json(derived, owner); },
                                            placement.owner)}});
  }
  return regions;
}

Json collectives_json(const Outline& derived) {
  const auto name = [&](RegionId region) { return derived.regions[region.index()].name; };
  Json seams = Json::array();
  for (const Seam& seam : derived.collectives.seams)
    seams.push_back({{"seam", {name(seam.upstream), name(seam.downstream)}},
                     {"forward", to_string(seam.forward)},
                     {"backward", seam.backward ? Json(to_string(*seam.backward)) : Json(nullptr)}});
  Json reduces = Json::array();
  for (const Reduce& reduce : derived.collectives.reduces)
    reduces.push_back({{"region", name(reduce.region)}, {"group", to_string(reduce.group)}});
  return {{"seams", seams}, {"reduces", reduces}};
}

// Stages are in the order of the paper's stage_index: rank + (region - 1) P if each rank holds one stage of
// each region.
Json numbered_stages(const Outline& derived) {
  Json stages = Json::array();
  for (std::size_t index = 0; index < derived.stages.size(); ++index) {
    const Stage& stage = derived.stages[index];
    stages.push_back({{"stage_index", index},
                      {"region", derived.regions[stage.region.index()].name},
                      {"stage", stage.index},
                      {"rank", stage.rank.index()},
                      {"first_layer", stage.layers.first},
                      {"end_layer", stage.layers.end}});
  }
  return stages;
}

// Returns every event's name as a JSON string, since edges repeat the names.
std::vector<std::string> quoted_names(const Derived& derived) {
  std::vector<std::string> names;
  names.reserve(derived.order.event_count());
  for (const Event& event : derived.order.events()) names.push_back(dumped(Json(event_name(event, derived))));
  return names;
}

void write_nodes(std::ostream& out, const Order& order, const std::vector<std::string>& names) {
  std::uint32_t rank = 0;
  for (const auto& list : rank_lists(order)) {
    out << (rank == 0 ? "\n" : ",\n") << "      \"" << rank << "\": [";
    const char* separator = "";
    for (EventId id : list) {
      out << separator << names[id.index()];
      separator = ", ";
    }
    out << ']';
    ++rank;
  }
}

void write_edges(std::ostream& out, const Order& order, const std::vector<std::string>& names) {
  const char* separator = "\n";
  for (const Edge& edge : order.edges()) {
    out << separator << "      { \"from\": " << names[edge.from.index()]
        << ", \"to\": " << names[edge.to.index()] << ", \"kind\": \"" << to_string(edge.kind) << "\" }";
    separator = ",\n";
  }
}

}  // namespace

// The order is written while it is visited, because a JSON value of a large order takes many times the memory
// of its text.
void write_derivation_json(std::ostream& out, const Derived& derived) {
  const std::vector<std::string> names = quoted_names(derived);
  out << "{\n  \"schema\": \"spillway/derivation/1\",\n  \"placement\": " << dumped(placement_json(derived))
      << ",\n  \"stages\": " << dumped(numbered_stages(derived))
      << ",\n  \"collectives\": " << dumped(collectives_json(derived))
      << ",\n  \"order\": {\n    \"nodes\": {";
  write_nodes(out, derived.order, names);
  out << "\n    },\n    \"edges\": [";
  write_edges(out, derived.order, names);
  out << "\n    ]\n  }\n}\n";
}

}  // namespace spillway
