#include "cost/slab_prices.h"

#include <algorithm>

namespace spillway {
namespace {

SlabTimes slower_passes(const SlabTimes& a, const SlabTimes& b) {
  return {std::max(a.forward, b.forward),
          std::max(a.input_gradient, b.input_gradient),
          std::max(a.weight_gradient, b.weight_gradient),
          std::max(a.weight_after_input, b.weight_after_input),
          std::max(a.attention_forward, b.attention_forward),
          std::max(a.attention_backward, b.attention_backward),
          std::max(a.recomputed, b.recomputed)};
}

std::vector<SlabTimes> priced_loads(const StageSlabs& stages, const DrawLoads& loads,
                                    const StageSlabs::Slab& slab) {
  const StageSlabs::Block& block = stages.block(slab);
  const auto priced = [&](const Split& split, const SlabLoad& load) {
    return slab_times(slab.operators, split, load, block.times, block.gradients, stages.host) *
           block.what_if_time;
  };
  std::vector<SlabTimes> times;
  if (!block.over_patches()) {
    Sequences sequences;
    for (const TokenLoad& tokens : loads.kinds())
      times.push_back(priced(Split::of(stages.parallelism), load_of(tokens, stages.parallelism, sequences)));
    return times;
  }
  const Split split = Split::of(stages.parallelism.of_encoder());
  ByImages<SlabTimes> known;
  for (std::size_t cell = 0; cell < loads.cells(); ++cell) {
    SlabTimes slowest;
    for (const DeviceImages& member : loads.devices(slab.block, cell))
      slowest = slower_passes(slowest, known.of(member, [&] {
        return priced(split, {member.patches, member.images});
      }));
    times.push_back(slowest);
  }
  return times;
}

}  // namespace

SlabLoad load_of(const TokenLoad& tokens, const Parallelism& parallelism, Sequences& sequences) {
  sequences = {tokens.sequences, tokens.length()};
  return {tokens.sequence / parallelism.context, {&sequences, 1}};
}

std::vector<SlabTimesByLoad> slab_prices(const StageSlabs& stages, const DrawLoads& loads,
                                         PricedSlabs& known) {
  std::vector<SlabTimesByLoad> times;
  for (const StageSlabs::Slab& slab : stages.slabs)
    times.push_back(
        known.times(slab.block, slab.operators, [&] { return priced_loads(stages, loads, slab); }));
  return times;
}

}  // namespace spillway
