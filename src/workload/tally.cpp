#include "workload/tally.h"

namespace spillway {

WorkloadTally& WorkloadTally::operator+=(const WorkloadTally& other) {
  samples += other.samples;
  clipped_samples += other.clipped_samples;
  images += other.images;
  dropped_images += other.dropped_images;
  useful_tokens += other.useful_tokens;
  dropped_tokens += other.dropped_tokens;
  computed_tokens += other.computed_tokens;
  return *this;
}

WorkloadTally tally(const MicrobatchLoad& load) {
  return {.samples = load.samples,
          .clipped_samples = load.dropped.samples,
          .images = load.image_patches.size(),
          .dropped_images = load.dropped.images,
          .useful_tokens = std::uint64_t{load.image_tokens} + load.text_tokens,
          .dropped_tokens = load.dropped.image_tokens + load.dropped.text_tokens,
          .computed_tokens = load.sequence_tokens};
}

WorkloadTally tally(const Draw& draw) {
  WorkloadTally all;
  for (const auto& replica : draw)
    for (const MicrobatchLoad& load : replica) all += tally(load);
  return all;
}

}  // namespace spillway
