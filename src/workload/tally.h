// Counts what a draw took from its traces: the part that a step computes, and the part left out because it
// did not fit.
#pragma once

#include <cstdint>

#include "workload/workload.h"

namespace spillway {

// Sums over all microbatches and replicas of a draw. Samples have images, image tokens and text tokens. For
// each of these, packed plus dropped is what the samples had. Test: tests/workload/tally_test.cpp.
struct WorkloadTally {
  std::uint64_t samples = 0;  // clipped ones included
  std::uint64_t clipped_samples = 0;
  std::uint64_t images = 0;  // packed, hence encoded
  std::uint64_t dropped_images = 0;
  std::uint64_t useful_tokens = 0;  // packed tokens of images, audio and text
  std::uint64_t dropped_tokens = 0;
  std::uint64_t computed_tokens = 0;  // tokens that the backbone computes, padding included
  std::uint64_t clips = 0;            // of audio, packed
  std::uint64_t dropped_clips = 0;

  // Returns useful tokens / computed tokens. Contract: computed_tokens is above 0.
  double fill() const { return static_cast<double>(useful_tokens) / static_cast<double>(computed_tokens); }

  // Returns dropped / (dropped + packed); 0 if nothing was dropped.
  double dropped_image_share() const;
  double dropped_token_share() const;

  WorkloadTally& operator+=(const WorkloadTally& other);
  friend WorkloadTally operator*(WorkloadTally tally, std::uint64_t replicas);  // for equal replicas
  friend bool operator==(const WorkloadTally&, const WorkloadTally&) = default;
};

WorkloadTally tally(const MicrobatchLoad& load);
WorkloadTally tally(const Draw& draw);

}  // namespace spillway
