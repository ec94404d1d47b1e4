// NeMo's YAML (tests/launch/scripts/nemo-*.yaml).
#include <filesystem>
#include <fstream>

#include "public_launch.h"

namespace spillway {
namespace {

struct NemoFile {
  std::string file;
  std::vector<std::string> more;
  std::string sizes;  // ranks, microbatches, replicas, of sequences x tokens
  std::string parallel, block, layout, framework, not_understood;
  friend void PrintTo(const NemoFile& one, std::ostream* out) { *out << one.file; }
};

const std::vector<NemoFile> kNemoFiles = {
    {"nemo-gpt3-175b",
     {"vocab_size 51200"},
     "8 64 32 1x2048",
     R"({"tensor":4,"sequence_parallel":true,"data":"zero1"})",
     "{}",
     "Et*2|(t*2|)*46t*2L",
     "nemo",
     "model.hidden_dropout model.attention_dropout"},
    {"nemo-llama3.1-405b",
     {},
     "9 63 32 1x8192",
     R"({"tensor":8,"sequence_parallel":true,"tensor_overlap":"all","context":2,"context_by":"ring",)"
     R"("data":"zero1"})",
     "{}",
     "Et*2|(t*2|)*61t*2L",
     "nemo",
     "model.defer_embedding_wgrad_compute model.wgrad_deferral_limit"},
    {"nemo-mixtral-8x7b",
     {"vocab_size 32000"},
     "4 16 16 1x4096",
     R"({"tensor":1,"expert":8,"dispatch":"per-expert","data":"zero1"})",
     "{}",
     "Et|(t|)*30tL",
     "nemo",
     "model.moe_grouped_gemm model.moe_pad_expert_input_to_capacity model.moe_expert_capacity_factor "
     "model.optim.grad_sync_dtype model.precision model.mcore_customization_config.new_decoder_architecture "
     "model.mcore_customization_config.parallel_attention"},
    {"nemo-llama2-70b",
     {"vocab_size 32000"},
     "4 32 64 1x4096",
     R"({"tensor":4,"sequence_parallel":true,"tensor_overlap":"all","data":"zero1"})",
     "{}",
     "Et*4|(t*4|)*18t*4L",
     "nemo",
     "model.activations_checkpoint_method model.activations_checkpoint_num_layers "
     "model.defer_embedding_wgrad_compute model.wgrad_deferral_limit"},
    {"nemo-llama2-7b",
     {"vocab_size 32000", "trainer.precision bf16", "trainer.devices 2"},
     "1 1 2 4x4096",
     R"({"tensor":1,"data":"plain"})",
     "{}",
     "",
     "megatron",
     "model.megatron_amp_O2 model.gradient_accumulation_fusion model.bias_activation_fusion "
     "model.bias_dropout_add_fusion model.apply_rope_fusion"},
};

class PublicNemo : public ::testing::TestWithParam<NemoFile> {};

TEST_P(PublicNemo, BecomesItsExperiment) {
  const NemoFile& expected = GetParam();
  LaunchOptions options;
  options.platform = "hgx-h100";
  options.arguments = expected.more;
  const LaunchImport launch = import_launch(kPublicScripts + expected.file + ".yaml", options);
  const Node document = parsed_document(launch.document);
  EXPECT_EQ(launch.framework, "NeMo");
  EXPECT_EQ(text_at(document, {"pipeline", "ranks"}) + ' ' + text_at(document, {"pipeline", "microbatches"}) +
                ' ' + text_at(document, {"pipeline", "replicas"}) + ' ' +
                text_at(document, {"workload", "sequences_per_microbatch"}) + 'x' +
                text_at(document, {"workload", "sequence_tokens"}),
            expected.sizes);
  EXPECT_EQ(compact_json(*member(&document, "parallel")), expected.parallel);
  EXPECT_EQ(keys_of_block(document, "backbone"), expected.block);
  EXPECT_EQ(launch.layout, expected.layout);
  EXPECT_EQ(text_at(document, {"framework"}), expected.framework);
  EXPECT_EQ(names_not_understood(launch), expected.not_understood);
}

INSTANTIATE_TEST_SUITE_P(Nemo, PublicNemo, ::testing::ValuesIn(kNemoFiles), [](const auto& one) {
  std::string name = one.param.file;
  std::erase_if(name, [](char c) { return c == '-' || c == '.'; });
  return name;
});

TEST(NemoSettings, ReferencesToOtherSettingsAreFollowed) {
  const LaunchImport launch = [] {
    LaunchOptions options;
    options.platform = "hgx-h100";
    options.arguments = {"vocab_size 51200"};
    return import_launch(kPublicScripts + "nemo-gpt3-175b.yaml", options);
  }();
  ASSERT_TRUE(launch.architecture.has_value());
  const Node config = parsed_document(*launch.architecture);
  EXPECT_EQ(text_at(config, {"n_inner"}), "49152");  // ${multiply:4, ${.hidden_size}}
  EXPECT_EQ(text_at(config, {"n_positions"}), "2048");
}

TEST(NemoSettings, ErrorsNameTheSetting) {
  const std::string path = own_file("nemo.yaml").string();
  std::ofstream(path) << "trainer:\n  devices: 8\n  precision: 32\nmodel:\n  micro_batch_size: x\n"
                         "  ffn_hidden_size: ${.none}\n";
  LaunchOptions options;
  options.platform = "hgx-h100";
  const std::string text = refusal_of_import(path, options);
  std::filesystem::remove(path);
  for (const char* part :
       {"line 5, model.micro_batch_size: expected a whole number from 1, found \"x\"",
        "line 6, model.ffn_hidden_size: expected a whole number from 1, found \"${.none}\"",
        "trainer.precision: expected bf16 or 16"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
}

}  // namespace
}  // namespace spillway
