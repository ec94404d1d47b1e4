#include "cost/slab_prices.h"

#include <algorithm>

#include "cost/slab_passes.h"

namespace spillway {
namespace {

SlabTimes slower_passes(const SlabTimes& a, const SlabTimes& b) {
  return {std::max(a.forward, b.forward),
          std::max(a.input_gradient, b.input_gradient),
          std::max(a.weight_gradient, b.weight_gradient),
          std::max(a.weight_after_input, b.weight_after_input),
          std::max(a.attention_forward, b.attention_forward),
          std::max(a.attention_backward, b.attention_backward),
          std::max(a.recomputed, b.recomputed),
          std::max(a.issued_forward, b.issued_forward),
          std::max(a.issued_backward, b.issued_backward),
          std::max(a.host_link, b.host_link)};
}

// Adds what a slab's passes take beside its operators.
SlabTimes with_copies(SlabTimes times, const StageSlabs& stages, const StageSlabs::Slab& slab,
                      const DeviceLoad& load) {
  if (load.tokens <= 0) return times;
  const StageSlabs::Block& block = stages.block(slab);
  const ShardedCopies copies(stages, slab);
  times.forward += copies.in(Pass::Forward, stages, block.gradients);
  times.input_gradient += copies.in(Pass::InputGradient, stages, block.gradients);
  times.weight_gradient += copies.in(Pass::WeightGradient, stages, block.gradients);
  times.weight_after_input += copies.in(Pass::WeightGradient, stages, block.gradients);
  if (block.offload.any()) times.host_link = slab.memory.offloaded(load) / stages.host_link;
  return times;
}

std::vector<SlabTimes> priced_loads(const StageSlabs& stages, const DrawLoads& loads,
                                    const StageSlabs::Slab& slab, KnownPasses& passes) {
  const StageSlabs::Block& block = stages.block(slab);
  const Parallelism parallelism = block.over_patches() ? stages.parallelism.of_encoder() : stages.parallelism;
  const Split split = Split::of(parallelism);
  HostIssue host = stages.host;
  host.collectives = IssuedCollectives(parallelism);
  SlabPricer pricer(slab.operators, split, block.times, block.gradients, host);
  std::vector<SlabTimes> times;
  times.reserve(block.over_patches() ? loads.cells() : loads.kinds().size());
  if (!block.over_patches()) {
    const PassesByKind known(passes, slab.operators.counted, pricer.passes(), loads, stages.parallelism);
    const double context = stages.parallelism.context;
    for (std::size_t kind = 0; kind < loads.kinds().size(); ++kind) {
      const TokenLoad& tokens = loads.kinds()[kind];
      times.push_back(with_copies(pricer.of(load_of(tokens, stages.parallelism), known.of(kind)), stages,
                                  slab, {tokens.sequence / context, tokens.pairs / context}) *
                      block.what_if_time);
    }
    return times;
  }
  ByImages<SlabTimes> known;
  for (std::size_t cell = 0; cell < loads.cells(); ++cell) {
    SlabTimes slowest;
    for (const DeviceImages& member : loads.devices(slab.block, cell))
      slowest = slower_passes(slowest, known.of(member, [&] {
        return with_copies(pricer.of({member.patches, member.images}), stages, slab,
                           {member.patches, pairs_of(member.images)}) *
               block.what_if_time;
      }));
    times.push_back(slowest);
  }
  return times;
}

}  // namespace

std::vector<SlabTimesByLoad> slab_prices(const StageSlabs& stages, const DrawLoads& loads,
                                         PricedSlabs& known) {
  std::vector<SlabTimesByLoad> times;
  for (const StageSlabs::Slab& slab : stages.slabs)
    times.push_back(known.times(slab.block, slab.operators,
                                [&] { return priced_loads(stages, loads, slab, known.passes(slab.block)); }));
  return times;
}

}  // namespace spillway
