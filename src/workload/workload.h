// What a microbatch holds: images (as encoder patches) and text, drawn from traces.
#pragma once

#include <cstdint>
#include <vector>

#include "base/id.h"
#include "workload/images.h"

namespace spillway {

// A discrete distribution over non-negative whole numbers: values ascending, cumulative shares ending at 1.
struct Histogram {
  std::vector<std::uint32_t> values;
  std::vector<double> cumulative;

  double mean() const;
};

enum class Packing {
  Packed,   // samples fill a sequence of fixed length; the backbone's cost is constant
  Unpacked  // a fixed number of samples per microbatch; the sequence is as long as they make it
};

// How microbatches are made.
struct WorkloadSpec {
  PatchDistribution patches;      // of one image
  Histogram images_per_sample;    // of a sample that has images
  double text_only_share = 0;     // samples without images
  Histogram text_tokens;          // per sample
  Packing packing = Packing::Packed;
  std::uint32_t sequence_tokens = 8192;       // Packed: the length
  std::uint32_t samples_per_microbatch = 1;   // Unpacked
  std::uint32_t max_patches = 32768;          // per microbatch
};

struct MicrobatchLoad {
  std::vector<std::uint32_t> image_patches;  // one entry per image
  std::uint32_t samples;
  std::uint32_t image_tokens;
  std::uint32_t text_tokens;
  std::uint32_t sequence_tokens;  // what the backbone runs over, padding included
};

// [replica][microbatch]
using Draw = std::vector<std::vector<MicrobatchLoad>>;

// Same arguments, same draw, on every machine; draw `n` does not depend on how many are made.
Draw sample(const WorkloadSpec& spec, std::uint32_t microbatches, std::uint32_t replicas, std::uint64_t seed,
            std::uint32_t draw);

}  // namespace spillway
