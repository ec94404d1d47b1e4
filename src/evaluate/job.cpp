// Describes the job of an evaluation, by numbers that no draw changes.
#include <algorithm>
#include <utility>

#include "cost/layers/layer_cost.h"
#include "draws/fold.h"
#include "evaluate/evaluation.h"

namespace spillway {
namespace {

std::vector<BlockParameters> parameters_of(const AnalyticCosts& costs, const Model& model) {
  std::vector<BlockParameters> all;
  for (std::size_t i = 0; i < costs.blocks.size(); ++i) {
    const LayerStack stack = layer_stack(costs.blocks[i].architecture);
    all.push_back({model.blocks()[i].name, cost_of(stack.layers).parameters(), parameter_parts(stack)});
  }
  return all;
}

// Adds the numbers that an experiment states of a block in place of its platform's.
void add_stated(const std::string& block, const BlockCosts& costs, Evidence fixed,
                std::vector<PlatformInput>& inputs) {
  const std::string source = "the experiment";
  const Efficiency& efficiency = costs.efficiency;
  if (efficiency.compute)
    inputs.push_back({block + ": compute efficiency", *efficiency.compute, "", efficiency.evidence, source});
  if (efficiency.memory)
    inputs.push_back({block + ": memory efficiency", *efficiency.memory, "", efficiency.evidence, source});
  const double fixed_ms = costs.fixed_per_microbatch.value() * 1e3;
  if (fixed_ms > 0) inputs.push_back({block + ": fixed per microbatch", fixed_ms, "ms", fixed, source});
}

}  // namespace

Job job_of(const Experiment& experiment) {
  const Pipeline& pipeline = experiment.pipeline;
  Job job{.seed = experiment.seed};
  job.layout = {pipeline.ranks, pipeline.microbatches, pipeline.replicas * equal_replicas(experiment)};
  const AnalyticCosts* priced = on_platform(experiment.costs);
  if (!priced) return job;
  const AnalyticCosts& costs = *priced;
  const Parallelism& by = costs.parallelism;
  job.platform = costs.platform.name;
  if (!costs.framework.name.empty()) job.framework = costs.framework.name;
  job.layout.devices = {by.tensor, by.context, by.expert, device_grid(costs, pipeline).device_count()};
  job.parameters = parameters_of(costs, experiment.model);
  return job;
}

std::vector<PlatformInput> inputs_of(const Experiment& experiment,
                                     const std::vector<FittedParameter>& fitted) {
  const AnalyticCosts* priced = on_platform(experiment.costs);
  if (!priced) return {};
  const AnalyticCosts& costs = *priced;
  std::vector<PlatformInput> inputs =
      platform_inputs(costs.platform, device_grid(costs, experiment.pipeline).device_count());
  for (PlatformInput& input : framework_inputs(costs.framework, costs.platform.accelerator))
    inputs.push_back(std::move(input));
  for (std::size_t i = 0; i < costs.blocks.size(); ++i) {
    const std::string pointer = "/model/blocks/" + std::to_string(i) + "/fixed_ms";
    const bool is_fitted = std::any_of(fitted.begin(), fitted.end(),
                                       [&](const FittedParameter& f) { return f.pointer == pointer; });
    add_stated("block " + experiment.model.blocks()[i].name, costs.blocks[i],
               is_fitted ? Evidence::Fitted : Evidence::Assumed, inputs);
  }
  return inputs;
}

}  // namespace spillway
