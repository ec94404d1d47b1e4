#include "evaluate/warnings.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/text.h"
#include "evaluate/straddling.h"
#include "evaluate/workload_use.h"

namespace spillway {
namespace {

std::string name_of(const IdleKey& key) {
  return key.pointer.substr(key.pointer.rfind('/') + 1);
}

bool alike(const IdleKey& a, const IdleKey& b) {
  return name_of(a) == name_of(b) && a.reason == b.reason;
}

std::string blocks_without_efficiency(const AnalyticCosts& costs, const Model& model) {
  std::string names;
  for (std::size_t i = 0; i < costs.blocks.size(); ++i)
    if (!costs.blocks[i].efficiency.compute) add_to_list(names, model.blocks()[i].name);
  return names;
}

}  // namespace

std::vector<Warning> warnings_of(const std::vector<IdleKey>& idle) {
  std::vector<Warning> warnings;
  for (auto first = idle.begin(); first != idle.end(); ++first) {
    if (std::any_of(idle.begin(), first, [&](const IdleKey& key) { return alike(key, *first); })) continue;
    std::string places;
    for (auto key = first; key != idle.end(); ++key)
      if (alike(*key, *first)) add_to_list(places, key->pointer);
    const bool several = places.find(',') != std::string::npos;
    warnings.push_back(
        {"no-effect", places + (several ? " have no effect: " : " has no effect: ") + first->reason});
  }
  return warnings;
}

std::vector<Warning> platform_warnings(const Experiment& experiment) {
  const AnalyticCosts* priced = on_platform(experiment.costs);
  if (!priced) return {};
  const Platform& platform = priced->platform;
  const Accelerator& accelerator = platform.accelerator;
  std::vector<Warning> warnings;
  const std::string at_peak = blocks_without_efficiency(*priced, experiment.model);
  if (accelerator.operators->gemms.empty() && !is_stated(accelerator.efficiency.gemm) && !at_peak.empty())
    warnings.push_back({"at-peak", "platform " + platform.name +
                                       " states neither measured matrix products nor an efficiency for them, "
                                       "so they run at 100 % of its peak in " +
                                       at_peak +
                                       ", which no device reaches; its step times are bounds, so do not "
                                       "compare them with those of a platform that states an efficiency"});
  if (!is_stated(accelerator.sustained))
    warnings.push_back(
        {"sustained-not-stated",
         "platform " + platform.name +
             " states no sustained-rate factor (sustained), so every operator keeps its full rate; it looks "
             "faster by that factor than a platform that states one"});
  return warnings;
}

std::vector<Warning> image_list_warnings(const Experiment& experiment) {
  std::vector<Warning> warnings;
  for (const PlacedWorkload& workload : workloads(experiment))
    for (const std::string& remark : workload.spec.patches.remarks)
      warnings.push_back({"image-list", workload.pointer + "/trace: " + remark});
  return warnings;
}

std::vector<Warning> warnings_of(const DrawCosts& costs) {
  std::vector<Warning> all = costs.experiment().warnings;
  for (Warning& warning : warnings_of(costs.experiment().idle_keys)) all.push_back(std::move(warning));
  for (Warning& warning : platform_warnings(costs.experiment())) all.push_back(std::move(warning));
  for (Warning& warning : image_list_warnings(costs.experiment())) all.push_back(std::move(warning));
  for (Warning& warning : straddling_warnings(costs.experiment())) all.push_back(std::move(warning));
  for (Warning& warning : warnings_of(workload_uses(costs))) all.push_back(std::move(warning));
  return all;
}

}  // namespace spillway
