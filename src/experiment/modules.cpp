#include "experiment/modules.h"

#include <algorithm>

#include "base/text.h"
#include "cost/analytic_costs.h"
#include "model/model.h"

namespace spillway {
namespace {

std::uint64_t devices_of(const PlacedModule& module) {
  return std::uint64_t{module.ranks} * module.replicas * module.members();
}

// Checks the blocks of a module alone, on its devices and with its parallelism.
void check_parallelism_of(const PlacedModule& module, const std::string& pointer, const AnalyticCosts& costs,
                          const Model& model, std::vector<Violation>& violations) {
  Parallelism own = costs.parallelism;
  own.tensor = module.tensor;
  own.context = module.context;
  for (Violation& found : check_parallelism(own, module.replicas)) {
    found.pointer = pointer;
    found.expected += " (in this module's parallelism)";
    violations.push_back(std::move(found));
  }
  for (std::size_t block = 0; block < costs.blocks.size(); ++block) {
    const LayerRange layers = model.layers_of(block);
    if (layers.first < module.layers.first || layers.end > module.layers.end) continue;
    for (Violation& found : check_split(costs.blocks[block], own)) {
      found.pointer = pointer + found.pointer.substr(std::string_view("/parallel").size());
      violations.push_back(std::move(found));
    }
    if (routed_experts(costs.blocks[block].architecture) > 0 && own.expert_devices() > own.members())
      violations.push_back({"", pointer,
                            "expert groups within the " + counted(own.members(), "device") +
                                " of a rank, since modules have dedicated devices",
                            std::to_string(own.expert_devices()) + " devices of an expert group"});
  }
}

}  // namespace

std::string name_of(const PlacedModule& module, const Model& model) {
  std::string name;
  for (std::size_t block = 0; block < model.blocks().size(); ++block) {
    const LayerRange layers = model.layers_of(block);
    if (layers.first < module.layers.first || layers.end > module.layers.end) continue;
    name += (name.empty() ? "" : "+") + model.blocks()[block].name;
  }
  return name;
}

std::vector<Violation> check_modules(const std::vector<PlacedModule>& modules, const Pipeline& job,
                                     const JobCosts& costs, const Model& model) {
  std::vector<Violation> violations;
  const AnalyticCosts* priced = on_platform(costs);
  const std::uint64_t microbatches = std::uint64_t{job.microbatches} * job.replicas;
  std::uint64_t devices = 0;
  for (std::size_t i = 0; i < modules.size(); ++i) {
    const std::string pointer = "/modules/" + std::to_string(i);
    devices += devices_of(modules[i]);
    if (microbatches % modules[i].replicas != 0)
      violations.push_back({"", pointer + "/replicas",
                            "a divisor of the job's " + std::to_string(microbatches) +
                                " microbatches, so that its pipelines get equally many",
                            std::to_string(modules[i].replicas)});
    if (priced) check_parallelism_of(modules[i], pointer, *priced, model, violations);
  }
  const std::uint64_t there = std::uint64_t{job.ranks} * job.replicas * parallelism_of(costs).members();
  if (devices != there)
    violations.push_back({"", "/modules",
                          "modules whose ranks x replicas x tensor x context add up to the " +
                              counted(there, "device") + " of the job",
                          std::to_string(devices)});
  return violations;
}

std::vector<std::string> describe(const std::vector<PlacedModule>& modules, const Pipeline& job,
                                  const Model& model) {
  if (modules.empty()) return {};
  const Pipeline unit = unit_of(job, modules);
  std::string devices = "modules on dedicated devices: ",
              covered = "the order covers the smallest symmetric unit: ";
  for (std::size_t i = 0; i < modules.size(); ++i) {
    const PlacedModule& module = modules[i];
    const std::string name = name_of(module, model), between = i == 0 ? "" : ", ";
    devices += between + name + " " + counted(devices_of(module), "device") + " (" +
               counted(module.replicas, "pipeline") + " of " + counted(module.ranks, "rank");
    if (module.members() > 1) devices += " of " + std::to_string(module.members());
    devices += ")";
    covered += between + counted(module.replicas / unit.replicas, "pipeline") + " of " + name;
  }
  covered += "; the job has " + counted(unit.replicas, "such unit") + " of " +
             std::to_string(unit.microbatches) + (unit.microbatches == 1 ? " microbatch" : " microbatches");
  return {devices, covered};
}

}  // namespace spillway
