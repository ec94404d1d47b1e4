// Times of slabs under one draw, computed once for all schedules that have these slabs. Most layers of a
// block are alike, so a slab is identified by its operators.
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <tuple>
#include <vector>

#include "cost/slabs/encoder_spread.h"
#include "cost/slabs/slab_time.h"

namespace spillway {

// Tokens: by kind of microbatch. Patches: by cell, for the slowest member.
using SlabTimesByLoad = std::shared_ptr<const std::vector<SlabTimes>>;

// For one draw, model and set of costs. Not thread-safe.
class PricedSlabs {
 public:
  // Return price()'s result for these operators of a block; price() is called the first time only.
  template <class Price>
  SlabTimesByLoad times(std::size_t block, const SlabOperators& operators, Price price) {
    std::vector<Priced>& of_block = by_block_[block];
    const auto known = std::ranges::find(of_block, operators, &Priced::operators);
    if (known != of_block.end()) return known->times;
    of_block.push_back({operators, std::make_shared<const std::vector<SlabTimes>>(price())});
    return of_block.back().times;
  }

 private:
  struct Priced {
    SlabOperators operators;
    SlabTimesByLoad times;
  };
  std::map<std::size_t, std::vector<Priced>> by_block_;
};

// Values by the images of a device. Devices rarely have more than one or two images, so most devices of a
// draw have the same images as another.
template <class Value>
class ByImages {
 public:
  // Return make()'s result for these images; make() is called the first time only. The reference stays valid.
  template <class Make>
  const Value& of(const DeviceImages& device, Make make) {
    const auto known = values_.find(device.images);
    if (known != values_.end()) return known->second;
    return values_.emplace(device.images, make()).first->second;
  }

 private:
  struct Before {
    bool operator()(const std::vector<Sequences>& a, const std::vector<Sequences>& b) const {
      return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(),
                                          [](const Sequences& x, const Sequences& y) {
                                            return std::tie(x.length, x.count) < std::tie(y.length, y.count);
                                          });
    }
  };
  std::map<std::vector<Sequences>, Value, Before> values_;
};

}  // namespace spillway
