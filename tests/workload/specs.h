// Workloads small enough to follow by hand.
#pragma once

#include "workload/workload.h"

namespace spillway {

inline Histogram always(std::uint32_t value) {
  return {{value}, {1.0}};
}

inline PatchDistribution images_of(std::uint32_t patches) {
  PatchDistribution distribution;
  distribution.patches = {patches};
  distribution.cumulative = {1.0};
  return distribution;
}

// Each sample has two images of 400 patches (100 tokens) and 50 tokens of text, 250 tokens in all.
inline WorkloadSpec regular() {
  WorkloadSpec spec{.patches = images_of(400), .images_per_sample = always(2), .text_tokens = always(50)};
  spec.sequence_tokens = 1000;
  return spec;
}

// Sizes and counts vary, so that samples are carried over to the next microbatch.
inline WorkloadSpec varied(Packing packing = Packing::Packed) {
  WorkloadSpec spec = regular();
  spec.patches.patches = {16, 400, 2000};
  spec.patches.cumulative = {0.5, 0.9, 1.0};
  spec.images_per_sample = {{0, 1, 4}, {0.1, 0.8, 1.0}};
  spec.text_tokens = {{5, 300}, {0.7, 1.0}};
  spec.text_only_share = 0.2;
  spec.packing = packing;
  return spec;
}

}  // namespace spillway
