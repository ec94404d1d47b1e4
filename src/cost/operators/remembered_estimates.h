// Estimates of products made before. Microbatches of images have as many sizes as there are patches, and the
// same ones come back in every draw, layout and point. Private to src/cost/operators.
#pragma once

#include <tsl/robin_map.h>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "cost/operators/estimate.h"
#include "cost/operators/operator_times.h"

namespace spillway {

// For several threads. What is remembered is what would be made again, so who made it has no say in it.
class RememberedEstimates {
 public:
  // The estimate of this shape, else `make()`'s.
  template <class Make>
  Estimate of(const GemmShape& shape, Make make) {
    Part& part = parts_[HashOfShape()(shape) >> kPartShift];
    {
      const std::lock_guard lock(part.mutex);
      if (const auto known = part.estimates.find(shape); known != part.estimates.end()) return known->second;
    }
    const Estimate made = make();
    const std::lock_guard lock(part.mutex);
    if (part.estimates.size() == kMostOfAPart) part.estimates.clear();
    part.estimates.emplace(shape, made);
    return made;
  }

 private:
  static constexpr std::size_t kParts = 32, kMostOfAPart = 1U << 13;
  static constexpr int kPartShift = 64 - std::countr_zero(kParts);  // the table of a part uses the low bits

  struct HashOfShape {
    std::size_t operator()(const GemmShape& shape) const {
      std::uint64_t hash = 0;
      for (const double size : {shape.m, shape.n, shape.k}) {
        const auto bits = std::bit_cast<std::uint64_t>(size);  // of whole numbers the low ones are zero
        hash = (hash ^ bits ^ (bits >> 32U)) * 0x9e3779b97f4a7c15U;
        hash ^= hash >> 32U;
      }
      return hash;
    }
  };

  struct Part {
    std::mutex mutex;
    tsl::robin_map<GemmShape, Estimate, HashOfShape> estimates;  // flat: nodes apart would each be a miss
  };

  std::array<Part, kParts> parts_;
};

}  // namespace spillway
