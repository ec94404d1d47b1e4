// Draws sampled once and read by many points: what a draw holds depends neither on the schedule nor on what
// anything costs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "workload/workload.h"

namespace spillway {

// sample(), or what it gave before, so long as the draws held have no more than `most_microbatches` together.
// For several threads.
class SampleCache {
 public:
  explicit SampleCache(std::size_t most_microbatches = 1'000'000) : most_microbatches_(most_microbatches) {}

  std::shared_ptr<const Draw> sample(const WorkloadSpec& spec, std::uint32_t microbatches,
                                     std::uint32_t replicas, std::uint64_t seed, std::uint32_t draw);

 private:
  std::size_t most_microbatches_;
};

}  // namespace spillway
