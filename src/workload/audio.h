// Computes an audio encoder's positions and tokens from the length of a clip: Whisper's encoder and those
// that follow it. Audio of 16 kHz has a mel frame every 160 samples, 100 a second. Convolutions make a
// position of every `stride` mel frames, and `pool` positions make one backbone token.
//
//   Padded   Every clip fills whole windows, with silence; longer ones are cut off: Whisper, Qwen2-Audio
//            (transformers at 01ae98ae, models/qwen2_audio: 30 s, 3,000 frames, 1,500 positions, 750 tokens).
//   Chunks   Windows end with the clip: Qwen2.5-Omni (at 2ae78c7d, models/qwen2_5_omni/audio_utils.py: chunks
//            of 200 frames, 100 positions each; 25 tokens a second) and Qwen3-Omni (at 234f7eb0,
//            models/qwen3_omni_moe/audio_utils.py: chunks of 100 frames, 13 positions each).
#pragma once

#include <cstdint>
#include <vector>

#include "workload/images.h"

namespace spillway {

struct AudioRule {
  std::uint32_t chunk = 3000;      // mel frames
  std::uint32_t convolutions = 1;  // of stride 2, one after the other
  std::uint32_t pool = 2;          // positions of a token
  bool padded = true;              // the last chunk, too, is a whole one
  double max_seconds = 30;         // longer clips are cut off

  friend bool operator==(const AudioRule&, const AudioRule&) = default;
};

// Returns the positions that mel frames leave behind the convolutions, each as (n - 1) / 2 + 1.
std::uint32_t positions_of(std::uint32_t mel_frames, const AudioRule& rule);

// Contract: seconds are above 0. A clip has at least one position and one token.
MediaItem clip_item(double seconds, const AudioRule& rule);

struct ClipCount {
  double seconds;
  std::uint64_t count;
};

// Contract: some count is positive. At the cap: clips that are cut off.
PatchDistribution clips_of(const std::vector<ClipCount>& clips, const AudioRule& rule);

}  // namespace spillway
