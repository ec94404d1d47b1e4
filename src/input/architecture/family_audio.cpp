// The audio towers of Whisper, Qwen2-Audio, Qwen2.5-Omni and Qwen3-Omni (transformers, models/whisper,
// qwen2_audio, qwen2_5_omni, qwen3_omni_moe): the "audio_config" of their files. Whisper's is the whole file.
#include <algorithm>
#include <array>

#include "input/architecture/families.h"

namespace spillway {
namespace {

// Whisper's feature extractor: 16 kHz, a mel frame every 160 samples, 30 s.
constexpr double kOmniSeconds = 300;  // n_samples 4,800,000 of Qwen2.5-Omni's and Qwen3-Omni's extractor

AudioTower read_whisper_sizes(ConfigSection& config) {
  AudioTower tower;
  tower.encoder_layers = config.size("encoder_layers");
  tower.d_model = config.size("d_model");
  tower.encoder_ffn_dim = config.size("encoder_ffn_dim");
  tower.encoder_attention_heads = config.size("encoder_attention_heads");
  tower.num_mel_bins = config.size_or("num_mel_bins", "num_mel_bins", 128);
  config.expect_word("activation_function", {"gelu"});
  config.expect_flag("scale_embedding", false);
  config.expect_size("num_hidden_layers", tower.encoder_layers);
  config.pass_over({"encoder_layerdrop", "dropout", "attention_dropout", "init_std", "activation_dropout",
                    "max_source_positions", "tie_word_embeddings"});
  return tower;
}

// Clips are padded to one window of two mel frames a position.
AudioTower read_padded(ConfigSection& config) {
  AudioTower tower = read_whisper_sizes(config);
  tower.num_position_embeddings = config.size_or("num_position_embeddings", "max_source_positions", 1500);
  tower.rule.chunk = 2 * std::max(tower.num_position_embeddings, 1U);
  tower.rule.max_seconds = tower.rule.chunk / 100.0;
  return tower;
}

AudioTower read_qwen2_audio(ConfigSection& config) {
  AudioTower tower = read_padded(config);
  tower.output_dim = config.backbone_width();
  return tower;
}

// Chunks of 2 n_window mel frames, without padding.
AudioTower read_qwen2_5_omni(ConfigSection& config) {
  AudioTower tower = read_whisper_sizes(config);
  tower.output_dim = config.size("output_dim");
  tower.extra_embeddings = 2;  // audio_bos_eos_token
  tower.rule = {.chunk = 2 * std::max(config.size_or("window_positions", "n_window", 100), 1U),
                .padded = false,
                .max_seconds = kOmniSeconds};
  tower.window_positions = positions_of(tower.rule.chunk, tower.rule);
  return tower;
}

// Three convolutions; attention within the chunks of n_window_infer mel frames.
AudioTower read_qwen3_omni(ConfigSection& config) {
  AudioTower tower = read_whisper_sizes(config);
  tower.output_dim = config.size("output_dim");
  tower.downsample_hidden_size = config.size_or("downsample_hidden_size", "downsample_hidden_size", 480);
  tower.hidden_projection = true;
  tower.key_bias = true;
  tower.rule = {.chunk = 2 * std::max(config.size_or("window_positions", "n_window", 50), 1U),
                .convolutions = 3,
                .pool = 1,
                .padded = false,
                .max_seconds = kOmniSeconds};
  const std::uint32_t window = config.size_or("window_positions", "n_window_infer", 800);
  tower.window_positions =
      std::max(window / tower.rule.chunk, 1U) * positions_of(tower.rule.chunk, tower.rule);
  config.pass_over({"conv_chunksize"});  // of how many clips a convolution runs at once
  return tower;
}

// Keys of the thinker, about the times of tokens.
constexpr std::array<std::string_view, 3> kAroundThinker = {"position_id_per_seconds", "seconds_per_chunk",
                                                            "init_std"};

}  // namespace

extern const AudioFamily kQwen2Audio = {
    {"qwen2_audio_encoder", "qwen2_audio"},
    read_qwen2_audio,
    {"A convolution is priced as the product that it is.", "Clips are padded to 30 s, and cut off there."}};
extern const AudioFamily kQwen2_5OmniAudio = {
    {"qwen2_5_omni_audio_encoder", "qwen2_5_omni_thinker", "qwen2_5_omni"},
    read_qwen2_5_omni,
    {"A convolution is priced as the product that it is.",
     "A clip's last window, which holds fewer positions, counts as a full one in attention."},
    kAroundThinker};
extern const AudioFamily kQwen3OmniAudio = {
    {"qwen3_omni_moe_audio_encoder", "qwen3_omni_moe_thinker", "qwen3_omni_moe"},
    read_qwen3_omni,
    {"A convolution is priced as the product that it is.",
     "A clip's last window, which holds fewer positions, counts as a full one in attention."},
    kAroundThinker};

}  // namespace spillway
