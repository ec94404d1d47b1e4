// The audio towers of Qwen2.5-Omni and Qwen3-Omni (arXiv 2503.20215, 2509.17765; transformers,
// models/qwen2_5_omni, qwen3_omni_moe): Whisper's encoder (arXiv 2212.04356), with attention within windows
// of time. A patch of the tower is one frame behind the convolutions.
#include <algorithm>
#include <array>
#include <vector>

#include "cost/layers/config_check.h"
#include "input/architecture/families.h"

namespace spillway {
namespace {

constexpr std::uint32_t kMelsOfAFrame2 = 2,
                        kMelsOfAFrame3 = 8;  // spectra for each frame: one stride of 2, three

VisionTower read_audio_encoder(ConfigSection& config) {
  VisionTower tower;
  tower.depth = config.size("depth", "encoder_layers");
  tower.hidden_size = config.size("hidden_size", "d_model");
  tower.intermediate_size = config.size("intermediate_size", "encoder_ffn_dim");
  tower.num_heads = config.size("num_heads", "encoder_attention_heads");
  tower.in_channels = config.size("in_channels", "num_mel_bins");
  tower.out_hidden_size = config.size("out_hidden_size", "output_dim");
  tower.patch_size = tower.spatial_merge_size = 1;
  tower.rotary = false;  // sinusoids, without weights
  tower.norm_after = true;
  config.expect_size("num_hidden_layers", tower.depth);
  config.expect_word("activation_function", {"gelu"});
  config.pass_over(
      {"max_source_positions", "encoder_layerdrop", "scale_embedding", "init_std", "tie_word_embeddings"});
  return tower;
}

// n_window: half of a window, in spectra; attention is among its frames. Two frames become a token.
VisionTower read_qwen2_5_omni_audio(ConfigSection& config) {
  VisionTower tower = read_audio_encoder(config);
  tower.key_bias = false;
  tower.temporal_patch_size = kMelsOfAFrame2;
  tower.frame_merge_size = 2;
  tower.window_patches = config.size("window_patches", "n_window");
  tower.stem = {{3 * tower.in_channels, tower.hidden_size, kMelsOfAFrame2},
                {3 * tower.hidden_size, tower.hidden_size}};
  tower.projector = {.norm = Projector::Norm::None, .pooled = true, .inner = std::vector<std::uint32_t>()};
  tower.projector.learned = 2 * tower.out_hidden_size;  // tokens at the ends of a sound
  return tower;
}

std::uint32_t halved(std::uint32_t count) {
  return (count + 1) / 2;
}

// Three convolutions over time and pitch, each with a stride of 2, and a product over what is left of pitch.
std::vector<StemProduct> convolutions(const VisionTower& tower, std::uint32_t channels) {
  std::vector<StemProduct> stem;
  std::uint32_t pitch = tower.in_channels, time = kMelsOfAFrame3, inputs = 1;
  for (int i = 0; i < 3; ++i) {
    pitch = halved(pitch);
    time /= 2;
    stem.push_back({9 * inputs, channels, std::max(time * pitch, 1U)});
    inputs = channels;
  }
  stem.push_back({channels * pitch, tower.hidden_size, 1, false, false});
  return stem;
}

VisionTower read_qwen3_omni_audio(ConfigSection& config) {
  VisionTower tower = read_audio_encoder(config);
  tower.temporal_patch_size = kMelsOfAFrame3;
  const std::uint32_t chunk = std::max(2 * std::min(config.size("n_window"), kMostSize), 1U);
  const std::uint32_t frames = halved(halved(halved(chunk)));
  tower.window_patches = frames * std::max(config.size("window_patches", "n_window_infer") / chunk, 1U);
  tower.stem = convolutions(tower, std::min(config.size("downsample_hidden_size"), kMostSize / 16));
  tower.projector = {.norm = Projector::Norm::None, .inner = std::vector{tower.hidden_size}};
  config.pass_over({"conv_chunksize"});
  return tower;
}

// Keys of the thinker, about the times of tokens.
constexpr std::array<std::string_view, 3> kAroundThinker = {"position_id_per_seconds", "seconds_per_chunk",
                                                            "init_std"};
constexpr std::string_view kAudioFrames =
    "A patch of this tower is a frame of sound behind its convolutions.";

}  // namespace

extern const AudioFamily kQwen2_5OmniAudio = {{"qwen2_5_omni_audio_encoder", "qwen2_5_omni_thinker"},
                                              read_qwen2_5_omni_audio,
                                              {kAudioFrames},
                                              kAroundThinker};
extern const AudioFamily kQwen3OmniAudio = {
    {"qwen3_omni_moe_audio_encoder", "qwen3_omni_moe_thinker"},
    read_qwen3_omni_audio,
    {kAudioFrames, "Windows that end with a sound hold fewer frames, and count as full windows."},
    kAroundThinker};

}  // namespace spillway
