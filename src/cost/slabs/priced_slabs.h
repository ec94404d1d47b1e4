// Times of slabs under one draw, worked out once for all schedules that hold them. Of the layers of a block
// most are alike, so slabs are told apart by their operators.
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

// Tokens: by kind of microbatch; patches: by cell, the slowest member's.
using SlabTimesByLoad = std::shared_ptr<const std::vector<SlabTimes>>;

// Of one draw, model and set of costs. Not for several threads.
class PricedSlabs {
 public:
  // What `price` says of these operators of a block, asked the first time only.
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

// Values by the images of a device. Devices rarely have more than one or two images, so most of a draw's
// devices have what another has.
template <class Value>
class ByImages {
 public:
  // What `make` says of these images, asked the first time only; stays where it is.
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
