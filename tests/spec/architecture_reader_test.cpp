// Architectures from config.json files: the shipped ones, and bad ones.
#include "spec/architecture_reader.h"

#include <gtest/gtest.h>

#include "written.h"

namespace spillway {
namespace {

using Lines = std::vector<std::string>;

Architecture shipped_model(const std::string& name, Role role, std::optional<std::uint32_t> layers = {}) {
  return read_architecture(shipped("workloads/models/" + name + "/config.json"), role, layers);
}

Lines bad(const std::string& text, Role role) {
  const std::string path = written("config.json", text);
  return complaints([&] { read_architecture(path, role, {}); });
}

// Published sizes (arXiv 2412.19437 and the configs' own pages).
TEST(ArchitectureReader, DeepSeekV3) {
  const auto model = std::get<DeepSeekV3>(shipped_model("deepseek-v3", Role::Backbone));
  EXPECT_EQ(model.num_hidden_layers, 61u);
  EXPECT_EQ(model.hidden_size, 7168u);
  EXPECT_EQ(model.n_routed_experts, 256u);
  EXPECT_EQ(model.first_k_dense_replace, 3u);
}

TEST(ArchitectureReader, Qwen2VlVit) {
  const auto vit = std::get<Qwen2VlVit>(shipped_model("qwen2-vl-7b", Role::Encoder));
  EXPECT_EQ(vit.depth, 32u);
  EXPECT_EQ(vit.embed_dim, 1280u);
  EXPECT_EQ(vit.mlp_ratio, 4.0);
  EXPECT_EQ(vit.hidden_size, 3584u);
}

TEST(ArchitectureReader, OneFileOfTwoTowersGoesByRole) {
  EXPECT_TRUE(std::holds_alternative<Qwen35Vision>(shipped_model("qwen3.5-9b", Role::Encoder)));
  EXPECT_TRUE(std::holds_alternative<Qwen35Text>(shipped_model("qwen3.5-9b", Role::Backbone)));
}

TEST(ArchitectureReader, LayersMayBeReplaced) {
  EXPECT_EQ(layer_count(shipped_model("deepseek-v3", Role::Backbone, 8)), 8u);
  EXPECT_EQ(layer_count(shipped_model("qwen2-vl-7b", Role::Encoder, 8)), 8u);
}

TEST(ArchitectureReader, OtherModels) {
  EXPECT_EQ(bad(R"({ "model_type": "llama" })", Role::Backbone),
            Lines{"config.json: /model_type: expected one of \"deepseek_v3\", \"qwen2_vl\", \"qwen3_5\", "
                  "found \"llama\""});
  EXPECT_EQ(bad("{}", Role::Backbone), Lines{"config.json: /model_type: expected a value, found nothing"});
  EXPECT_EQ(bad("[]", Role::Backbone), Lines{"config.json: /: expected an object, found an empty list"});
}

TEST(ArchitectureReader, TheWrongRole) {
  EXPECT_EQ(bad(R"({ "model_type": "deepseek_v3" })", Role::Encoder),
            Lines{"config.json: /model_type: expected a vision tower for an encoder, found \"deepseek_v3\""});
  EXPECT_EQ(bad(R"({ "model_type": "qwen2_vl" })", Role::Backbone),
            Lines{"config.json: /model_type: expected a language model for a backbone, found \"qwen2_vl\""});
}

TEST(ArchitectureReader, SizesThatAreMissingOrImpossible) {
  EXPECT_EQ(bad(R"({ "model_type": "qwen2_vl" })", Role::Encoder),
            Lines{"config.json: /vision_config: expected an object, found nothing"});
  EXPECT_EQ(bad(R"({ "model_type": "qwen2_vl", "vision_config": { "depth": -1, "embed_dim": 0, "mlp_ratio": 4,
                 "num_heads": 16, "in_chans": 3, "patch_size": 14, "temporal_patch_size": 2,
                 "spatial_merge_size": 2 } })",
                Role::Encoder),
            (Lines{"config.json: /vision_config/depth: expected a whole number of at least 0, found -1",
                   "config.json: /vision_config/hidden_size: expected a value, found nothing"}));
  const Lines zero =
      bad(R"({ "model_type": "qwen2_vl", "vision_config": { "depth": 2, "embed_dim": 0, "mlp_ratio": 4,
                 "num_heads": 16, "in_chans": 3, "patch_size": 14, "temporal_patch_size": 2,
                 "spatial_merge_size": 2, "hidden_size": 64 } })",
          Role::Encoder);
  EXPECT_EQ(zero, Lines{"config.json: /vision_config/embed_dim: expected 1 to 16777216, found 0"});
}

}  // namespace
}  // namespace spillway
