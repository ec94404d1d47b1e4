// A small model with a video, by hand: tokens, order and memory. A video of 448 x 448 pixels and 2 s has 4
// frames, 2 temporal patches of 32 x 32 patches each: 2,048 patches, and 512 tokens. With 88 of text a
// microbatch has 600.
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
  "vision_config": { "model_type": "qwen2_vl", "depth": 2, "embed_dim": 64, "hidden_size": 128, "mlp_ratio": 4,
    "num_heads": 4, "in_chans": 3, "patch_size": 14, "spatial_merge_size": 2, "temporal_patch_size": 2 } })";

const std::string kJob = R"({ "schema": "spillway/experiment/1", "name": "video",
  "pipeline": { "ranks": 2, "microbatches": 2 }, "platform": ")" SPILLWAY_SOURCE_DIR
                         R"(/platforms/hgx-h100.json", "parallel": { "data": "plain" },
  "model": { "blocks": [
    { "name": "vision", "role": "encoder", "architecture": "config.json" },
    { "name": "llm", "role": "backbone", "architecture": "config.json" } ] },
  "workload": { "trace": "video.csv", "images_per_sample": 1, "text_tokens": 88, "packing": "unpacked",
    "samples_per_microbatch": 1 },
  "schedules": [ { "name": "s", "schedule": "transpose,1f1b", "owner": "round-robin" } ] })";

Experiment video() {
  FileMemory memory;
  memory.put("config.json", kConfig);
  memory.put("video.csv", "width,height,seconds\n448,448,2\n");
  return parse_experiment(kJob, "video.json", {}, Files(memory));
}

class SmallVideo : public ::testing::Test {
 protected:
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

  const Evaluation evaluation_ = evaluate(video(), kLongestPath);
};

// Each rank encodes one video before the pipeline begins, and goes back through it at the end.
TEST_F(SmallVideo, IsEncodedBeforeThePipeline) {
  using Events = std::vector<std::string>;
  EXPECT_EQ(computed(0), (Events{"Fwd(vision,0,1)", "Fwd(llm,0,1)", "Fwd(llm,0,2)", "Bwd(llm,0,1)",
                                 "Bwd(llm,0,2)", "Bwd(vision,0,1)"}));
  EXPECT_EQ(computed(1), (Events{"Fwd(vision,1,2)", "Fwd(llm,1,1)", "Bwd(llm,1,1)", "Fwd(llm,1,2)",
                                 "Bwd(llm,1,2)", "Bwd(vision,1,2)"}));
}

// Tower: patches of 3 x 2 x 14 x 14 numbers into 64, two layers of 49,984, a merger of 98,816.
// A layer: norms 2 x 128, qkv 64 x 192 + 192, out 64 x 64 + 64, up 64 x 256 + 256, down 256 x 64 + 64.
// Merger: norm 128, 256 x 256 + 256, 256 x 128 + 128.
// Backbone layer: norms 2 x 128, queries 128 x 128 + 128, keys and values 2 (128 x 64 + 64), out 128 x 128,
// feed-forward 3 x 128 x 256: 147,968. Embedding and head 1000 x 128 each, last norm 128.
// BF16 weights, FP32 gradients, 12 bytes of optimizer states, which nothing shares out.
TEST_F(SmallVideo, HasItsParametersOnBothRanks) {
  const double tower = 3 * 2 * 14 * 14 * 64 + 2 * 49'984 + 98'816, layer = 147'968, table = 128'000;
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
TEST_F(SmallVideo, KeepsWhatItsBackwardNeeds) {
  const double patch = 2 * 1176 + 2 * (5 * 128 + 384 + 16 + 2 * 512) + 4 * 128;
  const double token = 5 * 256 + 512 + 16 + 1024 + 512;
  EXPECT_DOUBLE_EQ(parts(0).transposed.value(), 2048 * patch);
  EXPECT_DOUBLE_EQ(parts(0).activations.value(), 2 * 600 * token);
}

}  // namespace
}  // namespace spillway
