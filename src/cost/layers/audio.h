// Audio towers: Whisper's encoder (arXiv 2212.04356, transformers, models/whisper) and those that follow it.
// Convolutions make positions of mel frames, `encoder_layers` pre-norm layers attend within windows, and a
// projector makes backbone tokens. Costs are per position. The default is the encoder of Whisper large-v3.
//   Qwen2-Audio   arXiv 2407.10759; transformers, models/qwen2_audio
//   Qwen2.5-Omni  arXiv 2503.20215; transformers, models/qwen2_5_omni
//   Qwen3-Omni    transformers, models/qwen3_omni_moe
//
// A convolution is priced as the product that it is: taps x channels in, channels out, without the copy of
// its input that an explicit product would need.
#pragma once

#include <cstdint>
#include <vector>

#include "base/error.h"
#include "cost/layers/layer.h"
#include "workload/audio.h"

namespace spillway {

struct AudioTower {
  std::uint32_t encoder_layers = 32;
  std::uint32_t d_model = 1280;
  std::uint32_t encoder_ffn_dim = 5120;
  std::uint32_t encoder_attention_heads = 20;
  std::uint32_t num_mel_bins = 128;
  std::uint32_t output_dim = 1280;  // of the projector: the backbone's width
  // Learned or stored rows of positions; 0: computed ones, without parameters.
  std::uint32_t num_position_embeddings = 0;
  std::uint32_t extra_embeddings = 0;  // rows of output_dim beside the tower: marks of begin and end
  // Channels of three two-dimensional convolutions of stride 2, and a product behind them: Qwen3-Omni. 0: two
  // convolutions over time, the second of stride 2.
  std::uint32_t downsample_hidden_size = 0;
  std::uint32_t window_positions = 0;  // positions that attend to each other; 0: all of a clip's window
  bool key_bias = false;               // queries and values have one in any case
  bool hidden_projection = false;      // two products with GELU between them, not one
  // The rule by which clips become positions.
  AudioRule rule = {};

  friend bool operator==(const AudioTower&, const AudioTower&) = default;
};

std::vector<Layer> layers_of(const AudioTower& tower);
std::vector<Violation> check_architecture(const AudioTower& tower);

// Mel frames of a position.
double frames_per_position(const AudioTower& tower);

}  // namespace spillway
