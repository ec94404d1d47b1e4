// Megatron-LM's examples/multimodal: towers, projectors and cuts of images given by arguments alone
// (tests/launch/scripts: the arguments and values of NVIDIA/Megatron-LM @d98e8a64dd).
#include <fstream>

#include "cost/layers/layer_cost.h"
#include "input/architecture/architecture_reader.h"
#include "input/experiment/experiment.h"
#include "public_launch.h"

namespace spillway {
namespace {

LaunchOptions llava_options(const std::string& vocabulary = "") {
  LaunchOptions options;
  options.platform = "hgx-h100";
  options.images = "coco_val2017";
  options.text_tokens = 200;
  if (!vocabulary.empty()) options.arguments = {"--vocab-size " + vocabulary};
  return options;
}

struct Llava {
  std::string script, vocabulary;
  std::string sizes;  // ranks, microbatches, replicas
  std::string parallel, encoder, backbone, workload, framework, not_understood;
  friend void PrintTo(const Llava& one, std::ostream* out) { *out << one.script; }
};

const std::string kUnpacked =
    R"({trace:coco_val2017,images_per_sample:1,text_tokens:200,packing:unpacked,samples_per_microbatch:1})";

const std::vector<Llava> kLlavas = {
    {"llava-mistral-pretrain", "32768", "1 128 2",
     R"({"tensor":4,"sequence_parallel":false,"data":"zero1","images":"split"})", R"({"trainable":true})",
     R"({"trainable":false})", kUnpacked, "megatron", "--hidden-dropout"},
    {"nvlm-qwen2-72b-pretrain", "152064", "1 2048 1",
     R"({"tensor":8,"sequence_parallel":false,"data":"zero1","images":"split"})", R"({"trainable":true})",
     R"({"trainable":false})", kUnpacked, "megatron", "--attention-dropout --hidden-dropout"},
    {"nvlm-yi-34b-sft", "", "1 128 1",
     R"({"tensor":8,"sequence_parallel":false,"data":"zero1","images":"split"})", R"({"trainable":false})",
     "{}", kUnpacked, "megatron", ""},
    {"nvlm-qwen2.5-7b-video-sft", "", "1 128 2",
     R"({"tensor":4,"sequence_parallel":false,"data":"zero1","images":"split"})",
     R"({"trainable":true,"recompute":"full"})", R"({"recompute":"full","recompute_layers":28})", kUnpacked,
     "megatron", ""},
    {"nemotron-nano-vl-8b-sft", "", "1 64 2",
     R"({"tensor":4,"sequence_parallel":false,"data":"zero1","images":"split"})",
     R"({"trainable":true,"recompute":"full"})", R"({"recompute":"full","recompute_layers":32})", kUnpacked,
     "megatron", ""},
};

class PublicLlava : public ::testing::TestWithParam<Llava> {};

TEST_P(PublicLlava, BecomesItsExperiment) {
  const Llava& expected = GetParam();
  const LaunchImport launch =
      import_launch(kPublicScripts + expected.script + ".sh", llava_options(expected.vocabulary));
  const Node document = parsed_document(launch.document);
  EXPECT_EQ(text_at(document, {"pipeline", "ranks"}) + ' ' + text_at(document, {"pipeline", "microbatches"}) +
                ' ' + text_at(document, {"pipeline", "replicas"}),
            expected.sizes);
  EXPECT_EQ(launch.framework, "Megatron-LM");
  EXPECT_EQ(compact_json(*member(&document, "parallel")), expected.parallel);
  EXPECT_EQ(keys_of_block(document, "encoder"), expected.encoder);
  EXPECT_EQ(keys_of_block(document, "backbone"), expected.backbone);
  EXPECT_EQ(text_at(document, {"workload"}), expected.workload);
  EXPECT_EQ(text_at(document, {"framework"}), expected.framework);
  EXPECT_EQ(names_not_understood(launch), expected.not_understood);
}

INSTANTIATE_TEST_SUITE_P(MegatronLm, PublicLlava, ::testing::ValuesIn(kLlavas), [](const auto& one) {
  std::string name = one.param.script;
  std::erase_if(name, [](char c) { return c == '-' || c == '.'; });
  return name;
});

// The script states no precision, which the program asks for by name.
TEST(LlavaTowers, TuningScriptLacksItsPrecision) {
  const std::string script = kPublicScripts + "llava-mistral-sft.sh";
  LaunchOptions options = llava_options();
  EXPECT_NE(refusal_of_import(script, options).find("--argument --bf16"), std::string::npos);
  options.arguments = {"--bf16"};
  const LaunchImport launch = import_launch(script, options);
  EXPECT_EQ(text_at(parsed_document(launch.document), {"pipeline"}), "{ranks:1,microbatches:64,replicas:2}");
  EXPECT_EQ(launch.assumptions.front(), "the projector, which in truth is trained, is frozen with its tower");
}

VisionTower tower_of(const LaunchImport& launch) {
  FileMemory memory;
  memory.put("config.json", launch.architecture.value_or("{}"));
  return std::get<VisionTower>(read_architecture("config.json", Role::Encoder, {}, Files(memory)));
}

double parameters_of(const VisionTower& tower) {
  return static_cast<double>(cost_of(layer_stack(tower).layers).parameters());
}

// CLIP ViT-L/14-336 as published (303,507,456 parameters with 577 positions, without its norm behind the last
// layer 303,505,408), and a projector of 1024 x 14336 + 14336 x 4096.
TEST(LlavaTowers, ClipHasThePublishedParameters) {
  const LaunchImport launch =
      import_launch(kPublicScripts + "llava-mistral-pretrain.sh", llava_options("32768"));
  EXPECT_DOUBLE_EQ(parameters_of(tower_of(launch)), 303'505'408.0 + 1024.0 * 14336 + 14336.0 * 4096);
}

// 25 heads of 128 do not divide by 8 devices: 7 heads are dummies, and computed like others.
TEST(LlavaTowers, HeadsOfInternVitAreFilledUp) {
  const VisionTower eight =
      tower_of(import_launch(kPublicScripts + "nvlm-qwen2-72b-pretrain.sh", llava_options("152064")));
  EXPECT_EQ(eight.num_heads, 32u);
  EXPECT_EQ(eight.head_width, 128u);
  EXPECT_EQ(eight.spatial_merge_size, 2u);
  EXPECT_EQ(eight.rule.by, Resizing::Square);
  EXPECT_EQ(eight.projector.inner, (std::vector<std::uint32_t>{29568}));
  const VisionTower four =
      tower_of(import_launch(kPublicScripts + "nvlm-qwen2.5-7b-video-sft.sh", llava_options()));
  EXPECT_EQ(four.num_heads, 28u);
  EXPECT_EQ(four.rule.by, Resizing::Tiles);
  EXPECT_EQ(four.rule.max_tiles, 12u);
}

class LlavaScript : public ::testing::Test {
 protected:
  std::string refusal(const std::string& more) const {
    const auto path = own_file("llava.sh");
    std::ofstream(path) << "torchrun --nproc_per_node 8 examples/multimodal/train.py --num-layers 32 "
                           "--hidden-size 4096 --num-attention-heads 32 --micro-batch-size 1 --seq-length "
                           "576 --decoder-seq-length 1024 --max-position-embeddings 4096 --bf16 "
                           "--vocab-size 32000 --img-h 336 --img-w 336 --patch-dim 14 --swiglu "
                           "--position-embedding-type rope "
                        << more << "\n";
    return refusal_of_import(path.string(), llava_options());
  }
};

TEST_F(LlavaScript, RunsAsItIsWritten) {
  EXPECT_EQ(refusal("--language-model-type mistral_7b"), "none");
}

TEST_F(LlavaScript, WhatHasNoTowerIsRefusedWithTheKnownOnes) {
  EXPECT_NE(refusal("--language-model-type mistral_7b --vision-model-type vjepa")
                .find("--vision-model-type: expected clip, siglip, internvit, internvit300M, radio, radio-g, "
                      "cradio-g, found \"vjepa\""),
            std::string::npos);
  EXPECT_NE(refusal("--language-model-type nemotron5-hybrid-8b").find("--language-model-type: expected"),
            std::string::npos);
  EXPECT_NE(refusal("--language-model-type mistral_7b --dynamic-resolution").find("images of one size"),
            std::string::npos);
  EXPECT_NE(refusal("--language-model-type mistral_7b --img-w 224").find("a square image"),
            std::string::npos);
  EXPECT_NE(refusal("--language-model-type mistral_7b --img-h 10 --img-w 10")
                .find("--img-h: expected a multiple of --patch-dim, 14, found 10"),
            std::string::npos);
}

// A fault of the model that the arguments make names the script, not a file that nobody has.
TEST_F(LlavaScript, FaultOfTheMadeModelNamesTheScript) {
  const std::string refused =
      refusal("--language-model-type mistral_7b --group-query-attention --num-query-groups 5");
  EXPECT_NE(refused.find("llava.sh: the model that its arguments make, /"), std::string::npos) << refused;
  EXPECT_EQ(refused.find("config.json"), std::string::npos) << refused;
}

// Samples take the length that they have: limits of sequences change nothing, and are listed so.
TEST_F(LlavaScript, LimitsOfSequencesChangeNothing) {
  const LaunchImport launch = import_launch(kPublicScripts + "nvlm-yi-34b-sft.sh", llava_options());
  std::string idle;
  for (const ShownArgument& argument : launch.idle) idle += argument.text + "\n";
  EXPECT_NE(idle.find("--decoder-seq-length"), std::string::npos) << idle;
  EXPECT_NE(idle.find("--seq-length"), std::string::npos) << idle;
  EXPECT_NE(joined(launch.assumptions, "; ").find("no sample is cut to the longest sequence"),
            std::string::npos);
}

}  // namespace
}  // namespace spillway
