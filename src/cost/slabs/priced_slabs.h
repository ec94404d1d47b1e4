// Times of slabs under one draw, computed once for all schedules that have these slabs. Most layers of a
// block are alike, so a slab is identified by its operators, and by the devices that share its states, which
// are more where a schedule keeps a stage twice.
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "cost/slabs/slab_time.h"

namespace spillway {

// Tokens: by kind of microbatch. Patches: by cell, for the slowest member.
using SlabTimesByLoad = std::shared_ptr<const std::vector<SlabTimes>>;

// Passes of operators by load, for the slabs of one block and draw: they share most operators.
class KnownPasses {
 public:
  // Return price()'s result for this operator; price() is called the first time only. The result stays valid.
  template <class Price>
  std::span<const OperatorPasses> of(const Operator& op, Price price) {
    const auto known = std::ranges::find(known_, op, &Known::op);
    if (known != known_.end()) return known->by_load;
    known_.push_back({op, price()});
    return known_.back().by_load;
  }

 private:
  struct Known {
    Operator op;
    std::vector<OperatorPasses> by_load;
  };
  std::vector<Known> known_;
};

// For one draw, model and set of costs. Not thread-safe.
class PricedSlabs {
 public:
  // Return price()'s result for these operators of a block; price() is called the first time only.
  template <class Price>
  SlabTimesByLoad times(std::size_t block, const Parallelism& parallelism, const SlabOperators& operators,
                        Price price) {
    std::vector<Priced>& of_block = by_block_[block].slabs;
    const auto known = std::ranges::find_if(of_block, [&](const Priced& one) {
      return one.operators == operators && one.parallelism == parallelism;
    });
    if (known != of_block.end()) return known->times;
    of_block.push_back({parallelism, operators, std::make_shared<const std::vector<SlabTimes>>(price())});
    return of_block.back().times;
  }

  // Passes of the operators of a block that follow from a microbatch's sequences or a device's images, by
  // their kinds.
  KnownPasses& passes(std::size_t block) { return by_block_[block].passes; }

  // Forgets the slabs, and keeps the passes of operators.
  void forget_slabs() {
    for (auto& [block, priced] : by_block_) priced.slabs.clear();
  }

 private:
  struct Priced {
    Parallelism parallelism;
    SlabOperators operators;
    SlabTimesByLoad times;
  };
  struct Block {
    std::vector<Priced> slabs;
    KnownPasses passes;
  };
  std::map<std::size_t, Block> by_block_;
};

}  // namespace spillway
