// The content of microbatches: images, videos and audio (as encoder patches) and text, drawn from traces.
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

//   Packed    Samples fill a sequence of fixed length and padding fills the rest, so the backbone's cost is
//             constant. Samples are added until the next one would exceed sequence_tokens or max_patches;
//             that one begins the next microbatch. A sample too big for an empty sequence loses images, the
//             last ones first, until it fits, and then the text beyond the end.
//   Unpacked  A microbatch has a fixed number of samples, without padding: a framework may pad them
//             (cost/operators/token_loads.h). It has at least 1 token.
//             Images beyond max_patches are dropped, a sample's last ones first.
//   TextOnly  Nothing is drawn: every microbatch has sequences_per_microbatch sequences of sequence_tokens
//             text tokens each.
// Everything left out is counted (Dropped).
enum class Packing { Packed, Unpacked, TextOnly };

// The largest number of patches of a microbatch. It is the default limit.
inline constexpr std::uint32_t kMostPatches = 1U << 26;

// The largest number of tokens of a microbatch, and of samples if they are counted.
inline constexpr std::uint32_t kLongestSequence = 1U << 24;
inline constexpr std::uint32_t kMostSamples = 65'536;

// Says how microbatches are made.
struct WorkloadSpec {
  PatchDistribution patches;    // per image
  Histogram images_per_sample;  // per sample with images
  double text_only_share = 0;   // share of samples without images
  Histogram text_tokens;        // per sample
  Packing packing = Packing::Packed;
  std::uint32_t sequence_tokens = 8192;        // Packed, TextOnly: length of a sequence
  std::uint32_t samples_per_microbatch = 1;    // Unpacked
  std::uint32_t sequences_per_microbatch = 1;  // TextOnly
  std::uint32_t max_patches = kMostPatches;    // per microbatch, over all its images and videos
  PatchDistribution clips = {};                // per clip of audio; empty: no sample has audio
  Histogram clips_per_sample = {};

  friend bool operator==(const WorkloadSpec&, const WorkloadSpec&) = default;
};

// The losses of a microbatch's samples for lack of room.
struct Dropped {
  std::uint32_t samples = 0;  // samples that lost anything; they count as samples of the microbatch
  std::uint32_t images = 0;   // and videos
  std::uint64_t image_tokens = 0;
  std::uint64_t text_tokens = 0;
  std::uint32_t clips = 0;
  std::uint64_t audio_tokens = 0;

  friend bool operator==(const Dropped&, const Dropped&) = default;
};

// A sample in its microbatch, after clipping. Its images, videos and clips are the next ones of media.
struct SampleLoad {
  std::uint32_t images;  // and videos and clips
  std::uint32_t image_tokens;
  std::uint32_t text_tokens;
  std::uint32_t audio_tokens = 0;

  std::uint32_t tokens() const { return image_tokens + text_tokens + audio_tokens; }

  friend bool operator==(const SampleLoad&, const SampleLoad&) = default;
};

// Image tokens are those of images and videos: patches / patches_per_token, whole by the resize rule. Text
// tokens include those beside a video. A sample without any token counts as one text token.
struct MicrobatchLoad {
  std::vector<MediaItem> media;  // images and videos, then clips, sample by sample
  std::uint32_t samples;
  std::uint32_t image_tokens;
  std::uint32_t text_tokens;
  std::uint32_t sequence_tokens;  // tokens of all sequences, padding of a packed one included
  std::uint32_t sequences = 1;    // sequences of equal length, if there are no documents
  Dropped dropped = {};
  std::vector<SampleLoad> each =
      {};  // in order; empty for text alone, and after samples were moved (regroup.h)
  // The tokens of each sample whose tokens pass the backbone here, in order; a sample is one document. Empty
  // for text alone.
  std::vector<std::uint32_t> documents = {};
  Packing packing = Packing::Packed;  // of the documents
  std::uint32_t audio_tokens = 0;

  friend bool operator==(const MicrobatchLoad&, const MicrobatchLoad&) = default;
};

// [replica][microbatch]
using Draw = std::vector<std::vector<MicrobatchLoad>>;

// Identifies a draw, and the part of it that is needed.
struct DrawOf {
  std::uint32_t microbatches;  // per replica
  std::uint32_t replicas;
  std::uint64_t seed;
  std::uint32_t number;  // number among the seed's draws, from 0
};

// Returns the same draw for the same arguments on every machine. Neither draw `n` nor a replica depends on
// how many are made. Contract: no histogram is empty (TextOnly reads none); sequence_tokens,
// samples_per_microbatch and sequences_per_microbatch are positive.
Draw sample(const WorkloadSpec& spec, const DrawOf& draw);
// Returns one replica of that draw.
std::vector<MicrobatchLoad> sample_replica(const WorkloadSpec& spec, const DrawOf& draw,
                                           std::uint32_t replica);

}  // namespace spillway
