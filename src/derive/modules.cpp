#include "derive/modules.h"

#include <algorithm>
#include <numeric>
#include <string>

#include "base/error.h"

namespace spillway {
namespace {

bool holds(LayerRange all, LayerRange part) {
  return all.first <= part.first && part.end <= all.end;
}

std::string layers_text(LayerRange layers) {
  return "layers " + std::to_string(layers.first) + " to " + std::to_string(layers.end - 1);
}

}  // namespace

Pipeline unit_of(const Pipeline& job, std::span<const PlacedModule> modules) {
  Pipeline unit{0, 0, 0};
  for (const PlacedModule& module : modules) unit.replicas = std::gcd(unit.replicas, module.replicas);
  for (const PlacedModule& module : modules) unit.ranks += module.ranks * (module.replicas / unit.replicas);
  const std::uint64_t all = std::uint64_t{job.microbatches} * job.replicas;
  unit.microbatches = static_cast<std::uint32_t>(all / unit.replicas);
  return unit;
}

std::vector<ModulePlace> places_of(std::span<const PlacedModule> modules, const Pipeline& unit) {
  std::vector<ModulePlace> places;
  std::uint32_t first = 0;
  for (const PlacedModule& module : modules) {
    places.push_back({first, module.replicas / unit.replicas});
    first += module.ranks * places.back().copies;
  }
  return places;
}

std::size_t module_of_layer(std::span<const PlacedModule> modules, std::uint32_t layer) {
  std::size_t module = 0;
  while (module < modules.size() && modules[module].layers.end <= layer) ++module;
  ensure(module < modules.size(), "modules hold every layer");
  return module;
}

std::size_t module_of_rank(std::span<const ModulePlace> places, RankId rank) {
  std::size_t module = places.size() - 1;
  while (places[module].first_rank > rank.index()) --module;
  return module;
}

std::vector<double> devices_by_rank(const Outline& outline) {
  std::vector<double> devices;
  const std::vector<ModulePlace> places = places_of(outline.modules, outline.pipeline);
  for (std::size_t i = 0; i < places.size(); ++i)
    devices.insert(devices.end(), outline.modules[i].ranks * places[i].copies, outline.modules[i].members());
  return devices;
}

std::vector<Violation> check_module_regions(std::span<const PlacedModule> modules,
                                            const std::vector<Region>& regions, const Schedule& schedule) {
  std::vector<Violation> violations;
  if (modules.empty()) return violations;
  const auto found = [&](std::string expected, std::string what) {
    violations.push_back({"", "/schedule", std::move(expected), std::move(what)});
  };
  if (transposes(schedule))
    found("only pipelined regions, since modules have dedicated devices", to_string(schedule));
  for (const PlacedModule& module : modules) {
    const auto own = [&](const Region& region) { return holds(module.layers, region.layers); };
    const auto count = std::count_if(regions.begin(), regions.end(), own);
    std::uint32_t held = 0;
    for (const Region& region : regions)
      if (own(region)) held += region.layers.size();
    if (held != module.layers.size())
      violations.push_back(
          {"", "/cut", "boundaries at the ends of every module, such as around " + layers_text(module.layers),
           "a region that is of two modules"});
    else if (count > 1 && &module != &modules.back())
      found("one region for each module but the last, which alone may be interleaved", to_string(schedule));
  }
  return violations;
}

}  // namespace spillway
