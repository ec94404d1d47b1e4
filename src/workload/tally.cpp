#include "workload/tally.h"

#include <algorithm>

namespace spillway {
namespace {

double share(std::uint64_t dropped, std::uint64_t kept) {
  return dropped == 0 ? 0 : static_cast<double>(dropped) / static_cast<double>(dropped + kept);
}

}  // namespace

double WorkloadTally::dropped_image_share() const {
  return share(dropped_images, images);
}

double WorkloadTally::dropped_token_share() const {
  return share(dropped_tokens, useful_tokens);
}

WorkloadTally& WorkloadTally::operator+=(const WorkloadTally& other) {
  samples += other.samples;
  clipped_samples += other.clipped_samples;
  images += other.images;
  dropped_images += other.dropped_images;
  useful_tokens += other.useful_tokens;
  dropped_tokens += other.dropped_tokens;
  computed_tokens += other.computed_tokens;
  clips += other.clips;
  dropped_clips += other.dropped_clips;
  return *this;
}

WorkloadTally operator*(WorkloadTally tally, std::uint64_t replicas) {
  for (std::uint64_t* count :
       {&tally.samples, &tally.clipped_samples, &tally.images, &tally.dropped_images, &tally.useful_tokens,
        &tally.dropped_tokens, &tally.computed_tokens, &tally.clips, &tally.dropped_clips})
    *count *= replicas;
  return tally;
}

WorkloadTally tally(const MicrobatchLoad& load) {
  const auto is_clip = [](const MediaItem& item) { return item.modality == Modality::Audio; };
  const auto clips = static_cast<std::uint64_t>(std::ranges::count_if(load.media, is_clip));
  return {.samples = load.samples,
          .clipped_samples = load.dropped.samples,
          .images = load.media.size() - clips,
          .dropped_images = load.dropped.images,
          .useful_tokens = std::uint64_t{load.image_tokens} + load.text_tokens + load.audio_tokens,
          .dropped_tokens = load.dropped.image_tokens + load.dropped.text_tokens + load.dropped.audio_tokens,
          .computed_tokens = load.sequence_tokens,
          .clips = clips,
          .dropped_clips = load.dropped.clips};
}

WorkloadTally tally(const Draw& draw) {
  WorkloadTally all;
  for (const auto& replica : draw)
    for (const MicrobatchLoad& load : replica) all += tally(load);
  return all;
}

}  // namespace spillway
