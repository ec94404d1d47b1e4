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

  friend bool operator==(const Histogram&, const Histogram&) = default;
};

// Packed    Samples fill a sequence of fixed length, the rest of it padding: the backbone's cost is constant.
//           They are added until the next one would exceed sequence_tokens or max_patches; that one begins
//           the next microbatch. A sample too big for an empty sequence loses images, the last ones first,
//           until it fits, and then the text beyond the end.
// Unpacked  A fixed number of samples; the sequence is as long as they make it, at least 1 token. Images
//           beyond max_patches are dropped, a sample's last ones first.
// TextOnly  Nothing is drawn: every microbatch is sequences_per_microbatch sequences of sequence_tokens text
//           tokens each.
// What is left out is counted (Dropped), never lost.
enum class Packing { Packed, Unpacked, TextOnly };

// No microbatch has more patches; by default, nothing but this limits them.
inline constexpr std::uint32_t kMostPatches = 1U << 26;

// Nor more tokens than this, nor more samples where they are counted.
inline constexpr std::uint32_t kLongestSequence = 1U << 24;
inline constexpr std::uint32_t kMostSamples = 65'536;

// How microbatches are made.
struct WorkloadSpec {
  PatchDistribution patches;    // of one image
  Histogram images_per_sample;  // of a sample that has images
  double text_only_share = 0;   // samples without images
  Histogram text_tokens;        // per sample
  Packing packing = Packing::Packed;
  std::uint32_t sequence_tokens = 8192;        // Packed, TextOnly: the length of a sequence
  std::uint32_t samples_per_microbatch = 1;    // Unpacked
  std::uint32_t sequences_per_microbatch = 1;  // TextOnly
  std::uint32_t max_patches = kMostPatches;    // per microbatch, all images together

  friend bool operator==(const WorkloadSpec&, const WorkloadSpec&) = default;
};

// What the samples of a microbatch lost because it had no room for it.
struct Dropped {
  std::uint32_t samples = 0;  // that lost anything; they count as samples of the microbatch
  std::uint32_t images = 0;
  std::uint64_t image_tokens = 0;
  std::uint64_t text_tokens = 0;

  friend bool operator==(const Dropped&, const Dropped&) = default;
};

// A sample as its microbatch has it, clipped. Its images are the next ones of image_patches.
struct SampleLoad {
  std::uint32_t images;
  std::uint32_t image_tokens;
  std::uint32_t text_tokens;

  std::uint32_t tokens() const { return image_tokens + text_tokens; }

  friend bool operator==(const SampleLoad&, const SampleLoad&) = default;
};

// Image tokens are patches / patches_per_token, whole by the resize rule. A sample without images or text
// counts as one text token.
struct MicrobatchLoad {
  std::vector<std::uint32_t> image_patches;  // one entry per image
  std::uint32_t samples;
  std::uint32_t image_tokens;
  std::uint32_t text_tokens;
  std::uint32_t sequence_tokens;  // what the backbone runs over, padding included: all sequences together
  std::uint32_t sequences = 1;    // of equal length that these make; attention stays within one
  Dropped dropped = {};
  std::vector<SampleLoad> each =
      {};  // in order; empty of text alone, and where samples were moved (regroup.h)

  friend bool operator==(const MicrobatchLoad&, const MicrobatchLoad&) = default;
};

// [replica][microbatch]
using Draw = std::vector<std::vector<MicrobatchLoad>>;

// Which draw, and how much of it.
struct DrawOf {
  std::uint32_t microbatches;  // of each replica
  std::uint32_t replicas;
  std::uint64_t seed;
  std::uint32_t number;  // of the seed's draws, from 0
};

// Same arguments, same draw, on every machine; neither draw `n` nor a replica depends on how many are made.
// Contract: no histogram is empty (TextOnly: none is read), sequence_tokens, samples_per_microbatch and
// sequences_per_microbatch are positive.
Draw sample(const WorkloadSpec& spec, const DrawOf& draw);
// Of one of its replicas.
std::vector<MicrobatchLoad> sample_replica(const WorkloadSpec& spec, const DrawOf& draw,
                                           std::uint32_t replica);

}  // namespace spillway
