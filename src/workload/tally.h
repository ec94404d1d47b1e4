// What a draw took from its traces: what of it a step works on, and what was left out because it did not fit.
#pragma once

#include <cstdint>

#include "workload/workload.h"

namespace spillway {

// Of all microbatches and replicas of a draw. Samples bring images, image tokens and text tokens; of each,
// what they brought is what is packed and what is dropped. Test: tests/workload/tally_test.cpp.
struct WorkloadTally {
  std::uint64_t samples = 0;  // clipped ones included
  std::uint64_t clipped_samples = 0;
  std::uint64_t images = 0;  // packed, and so encoded
  std::uint64_t dropped_images = 0;
  std::uint64_t useful_tokens = 0;  // packed, of images and text
  std::uint64_t dropped_tokens = 0;
  std::uint64_t computed_tokens = 0;  // that the backbone runs over, padding included

  // Useful tokens over computed ones. Contract: some are computed.
  double fill() const { return static_cast<double>(useful_tokens) / static_cast<double>(computed_tokens); }

  // Of what samples brought; 0 where they brought none.
  double dropped_image_share() const;
  double dropped_token_share() const;

  WorkloadTally& operator+=(const WorkloadTally& other);
  friend WorkloadTally operator*(WorkloadTally tally, std::uint64_t replicas);  // so many that are alike
  friend bool operator==(const WorkloadTally&, const WorkloadTally&) = default;
};

WorkloadTally tally(const MicrobatchLoad& load);
WorkloadTally tally(const Draw& draw);

}  // namespace spillway
