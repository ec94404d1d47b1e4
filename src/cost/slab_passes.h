// The work of one slab under loads: what its price (slab_prices.h) and the list of what takes it
// (priced_operators.h) share.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "cost/draw_loads.h"
#include "cost/operators/token_loads.h"
#include "cost/slabs/priced_slabs.h"
#include "cost/stage_slabs.h"

namespace spillway {

// One device's part of a microbatch's tokens. Views them.
inline SlabLoad load_of(const TokenLoad& tokens, const Parallelism& parallelism) {
  return {tokens.sequence / parallelism.context, tokens.sequences};
}

// Returns the load of one device by kind: the kinds of a microbatch's tokens (DrawLoads::kinds), or those of
// images (DrawLoads::image_kinds). Views `loads`.
inline std::vector<SlabLoad> loads_by_kind(const StageSlabs& stages, const DrawLoads& loads,
                                           const StageSlabs::Slab& slab) {
  std::vector<SlabLoad> all;
  if (stages.block(slab).over_patches())
    for (const DeviceImages& kind : loads.image_kinds(slab.block)) all.push_back({kind.patches, kind.images});
  else
    for (const TokenLoad& kind : loads.kinds()) all.push_back(load_of(kind, stages.parallelism));
  return all;
}

// The time in which the device moves parameters around each gather, and gradients around each scatter.
struct ShardedCopies {
  Seconds gather, reduce;

  ShardedCopies(const StageSlabs& stages, const StageSlabs::Slab& slab) {
    const Parallelism& p = stages.parallelism;
    const StageSlabs::Block& block = stages.block(slab);
    if (p.data < DataParallel::Zero2 || block.over_patches()) return;
    const double layers = slab.layers.size();
    const auto moved = [&](Bytes each, const LayerCost& of) {
      const Bytes bytes = each * (dense_on_device(of, LoadUnit::Token, p) + experts_on_device(of, p));
      return bytes == Bytes() ? Seconds() : block.times.memory(bytes / layers).time * layers;
    };
    if (p.data == DataParallel::Zero3) gather = moved(stages.shards.gather, slab.cost);
    if (block.gradients.weight && !stages.shards.reduces_once)
      reduce = moved(stages.shards.reduce, slab.cost.trained());
  }

  Seconds in(Pass pass, const StageSlabs& stages, Gradients gradients) const {
    if (pass == Pass::Forward) return gather;
    if (pass == Pass::WeightGradient) return reduce;
    return gradients.input && stages.parallelism.reshard_after_forward ? gather : Seconds();
  }
};

// The passes of operators that differ between loads, by kind of load. Views the arguments.
class PassesByKind {
 public:
  PassesByKind(KnownPasses& known, std::span<const CountedOperator> operators, const PassesUnderLoad& passes,
               std::span<const SlabLoad> kinds) {
    for (const std::size_t i : passes.reading())
      by_kind_.push_back(known.of(operators[i].op, [&] {
        std::vector<OperatorPasses> by_kind;
        for (const SlabLoad& kind : kinds)
          by_kind.push_back(kind.tokens > 0 ? passes.price(i, kind) : OperatorPasses());
        return by_kind;
      }));
  }

  // As PassesUnderLoad::set() takes them.
  auto of(std::size_t kind) const {
    return [this, kind](std::size_t j) -> const OperatorPasses& { return by_kind_[j][kind]; };
  }

 private:
  std::vector<std::span<const OperatorPasses>> by_kind_;
};

}  // namespace spillway
