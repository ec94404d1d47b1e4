#include "evaluate/job.h"

#include "cost/layers/layer_cost.h"
#include "experiment/fold.h"

namespace spillway {
namespace {

std::vector<BlockParameters> parameters_of(const AnalyticCosts& costs, const Model& model) {
  std::vector<BlockParameters> all;
  for (std::size_t i = 0; i < costs.blocks.size(); ++i) {
    const LayerStack stack = layer_stack(costs.blocks[i].architecture);
    all.push_back({model.blocks()[i].name, cost_of(stack.layers).parameters()});
  }
  return all;
}

}  // namespace

Job job_of(const Experiment& experiment) {
  const Pipeline& pipeline = experiment.pipeline;
  Job job{.seed = experiment.seed};
  job.layout = {pipeline.ranks, pipeline.microbatches, pipeline.replicas * equal_replicas(experiment)};
  const auto* analytic = std::get_if<AnalyticExperiment>(&experiment.costs);
  if (!analytic) return job;
  const AnalyticCosts& costs = analytic->costs;
  const Parallelism& by = costs.parallelism;
  job.platform = costs.platform.name;
  job.layout.devices = {by.tensor, by.context, by.expert, device_grid(costs, pipeline).device_count()};
  job.parameters = parameters_of(costs, experiment.model);
  return job;
}

}  // namespace spillway
