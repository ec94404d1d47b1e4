#include "cost/slab_prices.h"

#include <algorithm>
#include <utility>

namespace spillway {
namespace {

SlabTimes slower_passes(const SlabTimes& a, const SlabTimes& b) {
  return {std::max(a.forward, b.forward), std::max(a.input_gradient, b.input_gradient),
          std::max(a.weight_gradient, b.weight_gradient), std::max(a.attention_forward, b.attention_forward),
          std::max(a.attention_backward, b.attention_backward)};
}

}  // namespace

SlabLoad load_of(const TokenLoad& tokens, const Parallelism& parallelism, Sequences& sequences) {
  sequences = {tokens.sequences, tokens.length()};
  return {tokens.sequence / parallelism.context, {&sequences, 1}};
}

SlabPrices::SlabPrices(std::shared_ptr<const StageSlabs> stages, std::shared_ptr<const DrawLoads> loads,
                       PricedSlabs& known)
    : stages_(std::move(stages)), loads_(std::move(loads)) {
  for (const StageSlabs::Slab& slab : stages_->slabs())
    times_.push_back(known.times(slab.block, slab.layers, [&] { return price(slab); }));
}

std::vector<SlabTimes> SlabPrices::price(const StageSlabs::Slab& slab) const {
  const StageSlabs::Block& block = stages_->block(slab);
  const auto priced = [&](const Split& split, const SlabLoad& load) {
    return slab_times(slab.operators, split, load, block.times, block.gradients, block.recompute,
                      stages_->host_overhead());
  };
  std::vector<SlabTimes> times;
  if (!block.over_patches()) {
    Sequences sequences;
    for (const TokenLoad& tokens : loads_->kinds())
      times.push_back(
          priced(Split::of(stages_->parallelism()), load_of(tokens, stages_->parallelism(), sequences)));
    return times;
  }
  ByImages<SlabTimes> known;
  for (std::size_t cell = 0; cell < loads_->cells(); ++cell) {
    SlabTimes slowest;
    for (const DeviceImages& member : loads_->devices(slab.block, cell))
      slowest = slower_passes(slowest, known.of(member, [&] {
        return priced(Split(), {member.patches, member.images});
      }));
    times.push_back(slowest);
  }
  return times;
}

}  // namespace spillway
