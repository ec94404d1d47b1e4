// Audio towers from config.json: alone, beside a language model, and inside an omni model.
#include <gtest/gtest.h>

#include "input/architecture/architecture_reader.h"
#include "written.h"

namespace spillway {
namespace {

AudioTower tower_in(const std::string& path, std::optional<Modality> modality = {}) {
  return std::get<AudioTower>(read_architecture(path, Role::Encoder, {.modality = modality}));
}

const std::string kModelFolder = SPILLWAY_SOURCE_DIR "/workloads/models/";

TEST(AudioTowerReader, ReadsAFileOfTheTowerAlone) {
  const AudioTower tower = tower_in(kModelFolder + "qwen2.5-omni-audio/config.json");
  EXPECT_EQ(tower.encoder_layers, 32u);
  EXPECT_EQ(tower.output_dim, 3584u);
  EXPECT_EQ(tower.window_positions, 100u);
  EXPECT_EQ(tower.rule, (AudioRule{.chunk = 200, .padded = false, .max_seconds = 300}));
}

// Eight chunks of 13 positions attend to each other.
TEST(AudioTowerReader, ReadsQwen3OmnisWindows) {
  const AudioTower tower = tower_in(kModelFolder + "qwen3-omni-audio/config.json");
  EXPECT_EQ(tower.window_positions, 104u);
  EXPECT_EQ(tower.downsample_hidden_size, 480u);
  EXPECT_EQ(tower.rule.chunk, 100u);
  EXPECT_EQ(tower.rule.convolutions, 3u);
}

const std::string kAudioConfig = R"("audio_config": {"model_type": "qwen2_audio_encoder", "num_mel_bins": 128,
  "encoder_layers": 32, "encoder_attention_heads": 20, "encoder_ffn_dim": 5120, "d_model": 1280,
  "encoder_layerdrop": 0.0, "dropout": 0.0, "attention_dropout": 0.0, "activation_function": "gelu",
  "activation_dropout": 0.0, "scale_embedding": false, "init_std": 0.02, "max_source_positions": 1500})";

// The projector's width is that of the language model beside it.
TEST(AudioTowerReader, ReadsASectionBesideALanguageModel) {
  const AudioTower tower = tower_in(written("beside.json", R"({"model_type": "qwen2_audio",
    "text_config": {"model_type": "qwen2", "hidden_size": 4096}, )" +
                                                               kAudioConfig + "}"));
  EXPECT_EQ(tower.output_dim, 4096u);
  EXPECT_EQ(tower.num_position_embeddings, 1500u);
  EXPECT_EQ(tower.rule, AudioRule{});
}

const std::string kOmni = R"({"model_type": "qwen2_5_omni", "thinker_config": {
  "model_type": "qwen2_5_omni_thinker", "vision_config": {"model_type": "qwen2_5_omni_vision_encoder"},
  "audio_config": {"model_type": "qwen2_5_omni_audio_encoder", "encoder_layers": 2, "d_model": 64,
    "encoder_attention_heads": 2, "encoder_ffn_dim": 128, "output_dim": 96}}})";

// The file has a vision tower, too, so the modality has to be stated.
TEST(AudioTowerReader, ReadsASectionOfAnOmniModel) {
  const AudioTower tower = tower_in(written("omni.json", kOmni), Modality::Audio);
  EXPECT_EQ(tower.encoder_layers, 2u);
  EXPECT_EQ(tower.num_mel_bins, 128u);
  EXPECT_EQ(tower.output_dim, 96u);
}

TEST(AudioTowerReader, RefusesAnotherActivationAndUnknownKeys) {
  std::string text = kAudioConfig;
  text.replace(text.find("\"gelu\""), 6, "\"relu\", \"conformer\": 3");
  try {
    tower_in(written("wrong.json", R"({"model_type": "qwen2_audio", "hidden_size": 8, )" + text + "}"));
    FAIL() << "expected violations";
  } catch (const InputError& error) {
    std::string all;
    for (const Violation& violation : error.violations()) all += violation.pointer + ' ';
    EXPECT_NE(all.find("/audio_config/activation_function"), std::string::npos) << all;
  }
}

TEST(AudioTowerReader, SupportNamesIt) {
  const auto parts = read_support(kModelFolder + "qwen2.5-omni-audio/config.json");
  ASSERT_EQ(parts.size(), 1u);
  EXPECT_EQ(parts[0].name, "audio tower");
  EXPECT_TRUE(parts[0].architecture.has_value());
}

}  // namespace
}  // namespace spillway
