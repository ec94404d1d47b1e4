// The edges of an order that decide when events start: all but those that the rank sequences imply.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "order/order.h"

namespace spillway {

// Predecessors of event e: predecessors[first[e]] up to predecessors[first[e + 1]]. Of several computing
// events of one rank only the last is kept, because it ends last. Example: the backwards of all microbatches
// accumulate into a reduce, and only the rank's last one matters.
struct EssentialEdges {
  std::vector<std::uint32_t> first;
  std::vector<std::uint32_t> predecessors;

  std::span<const std::uint32_t> before(std::uint32_t event) const {
    return std::span(predecessors).subspan(first[event], first[event + 1] - first[event]);
  }
};

// Linear in the edges.
EssentialEdges essential_edges(const Order& order);

}  // namespace spillway
