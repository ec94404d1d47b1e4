#include "evaluate/platform_warnings.h"

#include <string>

#include "base/text.h"

namespace spillway {
namespace {

// platform.h, not_stated: what a platform leaves out.
bool is_stated(const Sourced<double>& number) {
  return number.evidence != Evidence::Assumed || number.value != 1;
}

std::string blocks_without_efficiency(const AnalyticCosts& costs, const Model& model) {
  std::string names;
  for (std::size_t i = 0; i < costs.blocks.size(); ++i)
    if (!costs.blocks[i].efficiency.compute) add_to_list(names, model.blocks()[i].name);
  return names;
}

}  // namespace

std::vector<Warning> platform_warnings(const Experiment& experiment) {
  const auto* analytic = std::get_if<AnalyticExperiment>(&experiment.costs);
  if (!analytic) return {};
  const Platform& platform = analytic->costs.platform;
  const Accelerator& accelerator = platform.accelerator;
  std::vector<Warning> warnings;
  const std::string at_peak = blocks_without_efficiency(analytic->costs, experiment.model);
  if (accelerator.operators.gemms.empty() && !is_stated(accelerator.efficiency.gemm) && !at_peak.empty())
    warnings.push_back(
        {"at-peak", "platform " + platform.name +
                        " has neither measured matrix products nor an efficiency of them: they run at "
                        "100 % of its peak in " +
                        at_peak +
                        ", which no device reaches; its steps are bounds, not to be held "
                        "against those of a platform that states one"});
  if (!is_stated(accelerator.sustained))
    warnings.push_back(
        {"sustained-not-stated",
         "platform " + platform.name +
             " does not say what of an operator's rate a long run keeps (sustained), and all of it is "
             "taken; beside a platform that says so (hgx-h100 0.797, b200 0.932) it looks quicker by "
             "as much"});
  return warnings;
}

}  // namespace spillway
