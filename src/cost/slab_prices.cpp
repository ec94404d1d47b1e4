#include "cost/slab_prices.h"

#include <algorithm>
#include <optional>

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

// The most kinds of a load whose passes are kept for all operators: 48 bytes for each operator and kind.
constexpr std::size_t kMostKept = 1 << 12;

// By kind of load.
std::vector<SlabTimes> priced_kinds(const StageSlabs& stages, const DrawLoads& loads,
                                    const StageSlabs::Slab& slab, KnownPasses& passes) {
  const StageSlabs::Block& block = stages.block(slab);
  const Parallelism parallelism = block.over_patches() ? stages.parallelism.of_encoder() : stages.parallelism;
  const Split split = Split::of(parallelism);
  HostIssue host = stages.host;
  host.collectives = IssuedCollectives(parallelism);
  const std::vector<SlabLoad> kinds = loads_by_kind(stages, loads, slab);
  const bool differ = (block.over_patches() || !loads.equal_tokens()) && kinds.size() <= kMostKept;
  SlabPricer pricer(slab.operators, split, block.times, block.gradients, host, differ);
  std::vector<SlabTimes> times;
  times.reserve(kinds.size());
  const double sharers = block.over_patches() ? 1 : stages.parallelism.context;
  std::optional<PassesByKind> known;
  if (differ || !block.over_patches()) known.emplace(passes, slab.operators.counted, pricer.passes(), kinds);
  for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
    const SlabLoad& load = kinds[kind];
    const SlabTimes alone = known ? pricer.of(load, known->of(kind)) : pricer.of(load);
    times.push_back(with_copies(alone, stages, slab, {load.tokens, pairs_of(load.sequences) / sharers}) *
                    block.what_if_time);
  }
  return times;
}

// Tokens: by kind of microbatch. Patches: by cell, those of the slowest member.
std::vector<SlabTimes> priced_loads(const StageSlabs& stages, const DrawLoads& loads,
                                    const StageSlabs::Slab& slab, KnownPasses& passes) {
  std::vector<SlabTimes> by_kind = priced_kinds(stages, loads, slab, passes);
  if (!stages.block(slab).over_patches()) return by_kind;
  std::vector<SlabTimes> times(loads.cells());
  for (std::size_t cell = 0; cell < loads.cells(); ++cell)
    for (std::uint32_t member = 0; member < loads.members(); ++member)
      times[cell] = slower_passes(times[cell], by_kind[loads.image_kind(slab.block, cell, member)]);
  return times;
}

}  // namespace

std::vector<SlabTimesByLoad> slab_prices(const StageSlabs& stages, const DrawLoads& loads,
                                         PricedSlabs& known) {
  std::vector<SlabTimesByLoad> times;
  for (const StageSlabs::Slab& slab : stages.slabs)
    times.push_back(known.times(slab.block, stages.parallelism, slab.operators,
                                [&] { return priced_loads(stages, loads, slab, known.passes(slab.block)); }));
  return times;
}

}  // namespace spillway
