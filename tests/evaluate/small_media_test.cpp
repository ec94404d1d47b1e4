// Small models with a video, and with an image and a clip, by hand: tokens, order and memory.
//   Video of 448 x 448 pixels and 2 s: 4 frames, 2 temporal patches of 32 x 32 patches each. That is 2,048
//   patches and 512 tokens. With 88 of text a microbatch has 600.
//   Image of 448 x 448 pixels: 1,024 patches, 256 tokens. Clip of 1 s: 100 frames, 50 positions, 25 tokens.
//   With 44 of text a microbatch has 325.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/files.h"
#include "derive/derive.h"
#include "evaluate/evaluate.h"
#include "input/experiment/experiment.h"
#include "support/engines.h"

namespace spillway {
namespace {

using testing::kLongestPath;

const std::string kConfig = R"({ "model_type": "qwen2_vl", "vocab_size": 1000, "hidden_size": 128,
  "intermediate_size": 256, "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2,
  "vision_config": { "model_type": "qwen2_vl", "depth": 2, "embed_dim": 64, "hidden_size": 128,
    "mlp_ratio": 4, "num_heads": 4, "in_chans": 3, "patch_size": 14, "spatial_merge_size": 2,
    "temporal_patch_size": 2 } })";

const std::string kSound = R"({ "model_type": "qwen2_5_omni_audio_encoder", "num_mel_bins": 16,
  "encoder_layers": 2, "encoder_attention_heads": 4, "encoder_ffn_dim": 256, "d_model": 64,
  "activation_function": "gelu", "max_source_positions": 1500, "n_window": 100, "output_dim": 128 })";

const std::string kVision = R"({ "name": "vision", "role": "encoder", "architecture": "config.json")";
const std::string kAudio = R"({ "name": "audio", "role": "encoder", "architecture": "sound.json" })";

Experiment job(const std::string& encoders, const std::string& workload, const std::string& schedule) {
  FileMemory memory;
  memory.put("config.json", kConfig);
  memory.put("sound.json", kSound);
  memory.put("video.csv", "width,height,seconds\n448,448,2\n");
  memory.put("image.csv", "width,height\n448,448\n");
  memory.put("clip.csv", "seconds,count\n1,1\n");
  const std::string text = R"({ "schema": "spillway/experiment/1", "name": "small",
  "pipeline": { "ranks": 2, "microbatches": 2 }, "platform": ")" SPILLWAY_SOURCE_DIR
                           R"(/platforms/hgx-h100.json", "parallel": { "data": "plain" },
  "model": { "blocks": [ )" +
                           encoders +
                           R"(, { "name": "llm", "role": "backbone", "architecture": "config.json" } ] },
  "workload": { )" + workload +
                           R"(, "images_per_sample": 1, "packing": "unpacked", "samples_per_microbatch": 1 },
  "schedules": [ { "name": "s", "schedule": ")" +
                           schedule + R"(", "owner": "round-robin" } ] })";
  return parse_experiment(text, "small.json", {}, Files(memory));
}

Experiment video() {
  return job(kVision + " }", R"("trace": "video.csv", "text_tokens": 88)", "transpose,1f1b");
}

Experiment image_and_clip() {
  return job(
      kVision + R"(, "feeds": "llm" }, )" + kAudio,
      R"("trace": "image.csv", "text_tokens": 44, "audio": { "trace": "clip.csv", "clips_per_sample": 1 })",
      "transpose,transpose,1f1b");
}

class SmallJob : public ::testing::Test {
 protected:
  explicit SmallJob(const Experiment& experiment) : evaluation_(evaluate(experiment, kLongestPath)) {}

  std::vector<std::string> computed(std::uint32_t rank) const {
    const Derived& derived = *evaluation_.schedules[0].derived;
    std::vector<std::string> names;
    for (const EventId id : derived.order.nodes(RankId(rank)))
      if (derived.order.event(id).computes()) names.push_back(event_name(derived.order.event(id), derived));
    return names;
  }
  const MemoryParts& parts(std::size_t rank) const {
    return evaluation_.schedules[0].draws[0].memory[rank].parts;
  }

 private:
  const Evaluation evaluation_;
};

struct SmallVideo : SmallJob {
  SmallVideo() : SmallJob(video()) {}
};
struct SmallSound : SmallJob {
  SmallSound() : SmallJob(image_and_clip()) {}
};

using Passes = std::vector<std::string>;

// Each rank encodes one video before the pipeline begins, and goes back through it at the end.
TEST_F(SmallVideo, IsEncodedBeforeThePipeline) {
  EXPECT_EQ(computed(0), (Passes{"Fwd(vision,0,1)", "Fwd(llm,0,1)", "Fwd(llm,0,2)", "Bwd(llm,0,1)",
                                 "Bwd(llm,0,2)", "Bwd(vision,0,1)"}));
  EXPECT_EQ(computed(1), (Passes{"Fwd(vision,1,2)", "Fwd(llm,1,1)", "Bwd(llm,1,1)", "Fwd(llm,1,2)",
                                 "Bwd(llm,1,2)", "Bwd(vision,1,2)"}));
}

// Tower: patches of 3 x 2 x 14 x 14 numbers into 64, two layers of 49,984, a merger of 98,816.
// A layer: norms 2 x 128, qkv 64 x 192 + 192, out 64 x 64 + 64, up 64 x 256 + 256, down 256 x 64 + 64.
// Merger: norm 128, 256 x 256 + 256, 256 x 128 + 128.
// Backbone layer: norms 2 x 128, queries 128 x 128 + 128, keys and values 2 (128 x 64 + 64), out 128 x 128,
// feed-forward 3 x 128 x 256: 147,968. Embedding and head 1000 x 128 each, last norm 128.
// BF16 weights, FP32 gradients, 12 bytes of optimizer states, which nothing shares out.
constexpr double kTower = 3 * 2 * 14 * 14 * 64 + 2 * 49'984 + 98'816, kLayer = 147'968, kTable = 128'000;

TEST_F(SmallVideo, HasItsParametersOnBothRanks) {
  const double tower = kTower, layer = kLayer, table = kTable;
  EXPECT_DOUBLE_EQ(parts(0).state.parameters.value(), 2 * (tower + layer + table));
  EXPECT_DOUBLE_EQ(parts(1).state.parameters.value(), 2 * (tower + layer + table + 128));
  EXPECT_DOUBLE_EQ(parts(0).state.gradients.value(), 4 * (tower + layer + table));
  EXPECT_DOUBLE_EQ(parts(0).state.optimizer.value(), 12 * (tower + layer + table));
}

// A patch keeps, in bytes: its 1,176 numbers; in each of two layers two norms, the inputs of qkv, out and up
// (5 x 128), queries, keys, values (384) and four statistics (16), the inputs of the activation and of down
// (2 x 512); in the merger a norm (128), and a quarter of 256 numbers before each product and the activation
// (3 x 128).
// A token of the backbone keeps: two norms, the inputs of qkv, out and up (5 x 256), queries, keys and values
// of 8 heads of 32 (512), four statistics (16), the gate's 512 numbers (1,024) and 256 before down (512).
// Rank 0 has both microbatches of the backbone in flight.
constexpr double kTowerLayer = 5 * 128 + 384 + 16 + 2 * 512;
constexpr double kPatch = 2 * 1176 + 2 * kTowerLayer + 4 * 128, kToken = 5 * 256 + 512 + 16 + 1024 + 512;

TEST_F(SmallVideo, KeepsWhatItsBackwardNeeds) {
  EXPECT_DOUBLE_EQ(parts(0).transposed.value(), 2048 * kPatch);
  EXPECT_DOUBLE_EQ(parts(0).activations.value(), 2 * 600 * kToken);
}

// Both towers encode before the pipeline, and go back at the end.
TEST_F(SmallSound, IsEncodedBeforeThePipelineByBothTowers) {
  EXPECT_EQ(computed(0), (Passes{"Fwd(vision,0,1)", "Fwd(audio,0,1)", "Fwd(llm,0,1)", "Fwd(llm,0,2)",
                                 "Bwd(llm,0,1)", "Bwd(llm,0,2)", "Bwd(audio,0,1)", "Bwd(vision,0,1)"}));
}

// Audio tower: convolutions of three taps 16 x 64 + 64 and 64 x 64 + 64; two layers as the other tower's,
// whose keys have no bias (49,920); a norm, a product 64 x 128 + 128, and two marks of 128.
TEST_F(SmallSound, HasItsParametersOnBothRanks) {
  const double audio = 3 * 16 * 64 + 64 + 3 * 64 * 64 + 64 + 2 * 49'920 + 128 + 64 * 128 + 128 + 2 * 128;
  EXPECT_DOUBLE_EQ(parts(0).state.parameters.value(), 2 * (kTower + audio + kLayer + kTable));
  EXPECT_DOUBLE_EQ(parts(1).state.optimizer.value(), 12 * (kTower + audio + kLayer + kTable + 128));
}

// A position keeps, in bytes: two frames of 16 bins (64) and, after the first convolution, two frames of 64
// before the activation and before the second convolution (2 x 256), 64 numbers before its activation (128);
// two layers as above; half of 64 numbers before the norm and before the product (2 x 64).
TEST_F(SmallSound, KeepsWhatItsBackwardNeeds) {
  const double position = 64 + 2 * 256 + 128 + 2 * kTowerLayer + 2 * 64;
  EXPECT_DOUBLE_EQ(parts(0).transposed.value(), 1024 * kPatch + 50 * position);
  EXPECT_DOUBLE_EQ(parts(0).activations.value(), 2 * 325 * kToken);
}

}  // namespace
}  // namespace spillway
