#include "cost/stage_slabs.h"

#include <algorithm>
#include <utility>

namespace spillway {
namespace {

OperatorTimes platform_times(const AnalyticCosts& costs) {
  const Accelerator& accelerator = costs.platform.accelerator;
  OperatorTimes times = costs.operator_times ? *costs.operator_times : OperatorTimes(accelerator);
  if (const auto& latency = accelerator.device_latency; latency && costs.framework.launch)
    times = times.with_memory_latency(latency->value);
  if (!costs.framework.attention) return times;
  if (const AttentionKernel* kernel = attention_kernel(costs.framework, accelerator))
    return times.with_attention(*kernel);
  ensure(costs.framework.own_attention_otherwise, "analytic costs: the platform has the kernel");
  return times.with_assumed_attention();
}

OperatorTimes block_times(const OperatorTimes& platform, Accelerator accelerator,
                          const Efficiency& efficiency, bool two_clocks) {
  if (!efficiency.compute && !efficiency.memory) return platform;
  const auto stated = [&](double value) {
    return Sourced<double>{value, efficiency.evidence, "the experiment"};
  };
  if (efficiency.compute) {
    Efficiencies& all = accelerator.efficiency;
    all.gemm = all.grouped_gemm = all.attention = all.attention_backward = stated(*efficiency.compute);
    accelerator.operators = OperatorTables();
    accelerator.sustained = not_stated(1.0);
  }
  if (efficiency.memory) accelerator.efficiency.memory = stated(*efficiency.memory);
  const OperatorTimes times(accelerator);
  return accelerator.device_latency && two_clocks
             ? times.with_memory_latency(accelerator.device_latency->value)
             : times;
}

HostIssue host_issue(const AnalyticCosts& costs) {
  const Accelerator& accelerator = costs.platform.accelerator;
  const Framework& framework = costs.framework;
  if (!framework.launch) return {.launch = accelerator.host_overhead.value};
  // One graph of the whole step is issued once, before its passes.
  const bool step = framework.graphs && framework.graphs->value.whole_step();
  const bool sharded = costs.parallelism.data >= DataParallel::Zero2;
  return {.launch = on_host(framework.launch->value, accelerator),
          .in_order = true,
          .before = step ? 0 : framework.stage_kernels.value,
          .graph = step ? Seconds() : on_host(framework.graph_launch.value, accelerator),
          .speed = accelerator.host_speed ? accelerator.host_speed->value : 1,
          .experts = static_cast<double>(costs.parallelism.expert),
          .waits = sharded ? framework.sharding.wait() : LayerWait::None,
          .layer = sharded ? on_host(framework.sharding.layer.value, accelerator) : Seconds(),
          .collective = framework.collective.value};
}

// Without a second device that holds a stage's parameters there is nobody to share states with.
Parallelism with_sharers(Parallelism parallelism, const DeviceGrid& grid, const Outline& outline) {
  const bool several =
      grid.replicas * grid.members > 1 || std::ranges::any_of(outline.stages, [&](const Stage& stage) {
        return outline.placement[stage.region.index()].layout == Layout::Replicated ||
               outline.copy_of(stage).has_value();
      });
  if (several) return parallelism;
  parallelism.data = DataParallel::Plain;
  parallelism.reshard_after_forward = true;
  return parallelism;
}

}  // namespace

StageSlabs::StageSlabs(const AnalyticCosts& costs, const Outline& outline)
    : parallelism(with_sharers(costs.parallelism, device_grid(costs, outline.pipeline), outline)),
      grid(device_grid(costs, outline.pipeline)),
      equal_replicas(costs.equal_replicas),
      what_if_inner_collective_time(costs.what_if_inner_collective_time),
      gradient_buffer(costs.framework.gradient_buffer.value),
      shards(shard_forms(costs.framework.sharding)),
      host_link(costs.platform.accelerator.host_link ? costs.platform.accelerator.host_link->value
                                                     : BytesPerSecond()),
      host(host_issue(costs)),
      times(platform_times(costs)),
      first_part_{0} {
  ensure(costs.blocks.size() == outline.model.blocks().size(), "analytic costs: one entry per block");
  for (std::size_t i = 0; i < costs.blocks.size(); ++i) blocks.push_back(make_block(costs, outline.model, i));
  for (const Stage& stage : outline.stages) {
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      const LayerRange layers = outline.model.part_of(i, stage.layers);
      if (layers.size() == 0) continue;
      parts_.push_back({parts_.size(), slab_of(i, layers), fixed_time(blocks[i], layers)});
    }
    first_part_.push_back(parts_.size());
  }
}

// All layers of a block together take exactly the block's fixed time.
Seconds StageSlabs::fixed_time(const Block& block, LayerRange layers) {
  if (block.fixed_in == FixedIn::FirstLayer)
    return layers.first == block.layers.first ? block.fixed : Seconds();
  return block.fixed * (static_cast<double>(layers.size()) / block.layers.size());
}

StageSlabs::Block StageSlabs::make_block(const AnalyticCosts& costs, const Model& model,
                                         std::size_t index) const {
  const BlockCosts& block = costs.blocks[index];
  return {
      model.layers_of(index),
      costs.stacks->run(block.trained(),
                        {costs.framework, costs.parallelism, block.precision,
                         costs.platform.accelerator.fp8_any_layout, gradients_of(model, index)}),
      block_times(times, costs.platform.accelerator, block.efficiency, costs.framework.launch.has_value()),
      gradients_of(model, index),
      block.recompute,
      block.offload,
      block.fixed_per_microbatch * block.what_if_time,
      block.fixed_in,
      block.what_if_time,
      gathered_weight(block.precision)};
}

std::size_t StageSlabs::slab_of(std::size_t index, LayerRange layers) {
  const auto known = std::ranges::find(slabs, layers, &Slab::layers);
  if (known != slabs.end()) return static_cast<std::size_t>(known - slabs.begin());
  const Block& of = blocks[index];
  const auto stack = std::span(of.stack->layers).subspan(layers.first - of.layers.first, layers.size());
  slabs.push_back({index, layers, slab_operators(stack, of.recompute), cost_of(stack),
                   SlabMemory(stack,
                              {of.stack->unit, of.stack->width, of.gradients, of.recompute, gradient_buffer,
                               of.offload, shards.reduces_once},
                              parallelism)});
  return slabs.size() - 1;
}

}  // namespace spillway
