// Public scripts and configurations of programs that are built on Hugging Face's Trainer
// (tests/launch/scripts), and small ones of our own. Images are a shipped table's, 200 text tokens beside
// each. Sources of the JSON files: zero2.json, zero3.json haotian-liu/LLaVA @c121f0432d (the same keys as
// QwenLM/Qwen3-VL @9658872), scripts; zero_stage3_config_100b.json OpenGVLab/InternVL @2410d1dbf2,
// internvl_chat; ds_z3_config.json hiyouga/LLaMA-Factory @ff6d4d12ee, examples/deepspeed; fsdp2.json
// modelscope/ms-swift @3602360a56, examples/train/multi-gpu/fsdp2_lora.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>

#include "public_launch.h"

namespace spillway {
namespace {

struct Trainer {
  std::string file;
  std::uint32_t devices;  // 0: as the script says
  std::string architecture;
  std::string framework;
  std::string sizes;  // microbatches, replicas, sequences or samples
  std::string parallel, encoder, backbone;
  bool overlaps;  // reductions, beside the backward
  std::string not_understood;
  friend void PrintTo(const Trainer& one, std::ostream* out) { *out << one.file; }
};

const std::vector<Trainer> kTrainers = {
    {"llava-13b-finetune.sh", 8, "", "LLaVA's Trainer", "1 8 16", R"({"data":"zero3"})",
     R"({"trainable":false})", R"({"recompute":"full"})", true, ""},
    {"llava-13b-pretrain.sh", 8, "", "LLaVA's Trainer", "1 8 32", R"({"data":"zero2"})",
     R"({"trainable":true})", R"({"recompute":"full","trainable":false})", true, ""},
    {"llava-13b-lora.sh", 8, "", "LLaVA's Trainer", "1 8 16", R"({"data":"zero3"})", R"({"trainable":false})",
     R"({"recompute":"full","lora_rank":128,"lora_dropout":0.05})", true, ""},
    {"internvl2.5-78b.sh", 0, "", "InternVL's Trainer", "4 32 1", R"({"data":"zero3"})",
     R"({"trainable":false})", R"({"recompute":"full"})", true, "drop_path_rate"},
    {"qwen2.5-vl-7b.sh", 8, "", "Qwen-VL's Trainer", "4 8 4", R"({"data":"zero3"})", R"({"trainable":false})",
     R"({"recompute":"full"})", true, ""},
    {"qwen2.5-vl-32b.sh", 16, "", "Qwen-VL's Trainer", "8 16 2", R"({"data":"zero3"})",
     R"({"trainable":false})", R"({"recompute":"full"})", true, ""},
    {"swift-qwen2.5-7b-zero3.sh", 0, "", "ms-swift", "8 2 1", R"({"data":"zero3"})", "-",
     R"({"recompute":"full","lora_rank":8,"lora_dropout":0.05})", false, ""},
    {"swift-qwen2.5-7b-ddp.sh", 0, "", "ms-swift", "8 2 1", R"({"data":"plain"})", "-",
     R"({"recompute":"full","lora_rank":8,"lora_dropout":0.05})", true, ""},
    {"swift-qwen2.5-7b-fsdp2.sh", 0, "", "ms-swift", "8 2 1", R"({"data":"zero3"})", "-",
     R"({"recompute":"full","lora_rank":8,"lora_dropout":0.05})", false, ""},
    {"swift-qwen2.5-32b.sh", 0, "", "ms-swift", "2 8 1", R"({"data":"zero3"})", "-",
     R"({"recompute":"full"})", false, "use_liger_kernel"},
    {"swift-qwen2.5-vl-7b-ocr.sh", 0, "", "ms-swift", "16 1 1", R"({"data":"plain"})",
     R"({"trainable":false})", R"({"recompute":"full","lora_rank":8,"lora_dropout":0.05})", true, ""},
    {"zephyr-7b.sh", 0, "", "Hugging Face Trainer", "1 8 16", R"({"data":"zero3"})", "-",
     R"({"recompute":"full"})", true, ""},
    {"factory-qwen3-8b-ascend.sh", 0, "", "LLaMA-Factory", "1 16 8", R"({"data":"zero3"})", "-",
     R"({"recompute":"full"})", false, "use_v1_kernels"},
    {"factory-qwen3-4b.yaml", 8, "qwen3-4b.json", "LLaMA-Factory", "2 8 1", R"({"data":"zero3"})", "-",
     R"({"recompute":"full"})", false, ""},
    {"factory-qwen3-4b-lora.yaml", 1, "qwen3-4b.json", "LLaMA-Factory", "8 1 1", R"({"data":"plain"})", "-",
     R"({"recompute":"full","lora_rank":8})", true, ""},
};

LaunchImport import_trainer(const Trainer& one) {
  LaunchOptions options;
  options.platform = "hgx-h100";
  if (one.devices > 0) options.devices = one.devices;
  if (!one.architecture.empty()) options.architecture = kPublicScripts + one.architecture;
  options.images = "coco_val2017";
  options.text_tokens = 200;
  return import_launch(kPublicScripts + one.file, options);
}

class PublicTrainer : public ::testing::TestWithParam<Trainer> {};

TEST_P(PublicTrainer, BecomesItsExperiment) {
  const Trainer& expected = GetParam();
  const LaunchImport launch = import_trainer(expected);
  const Node document = parsed_document(launch.document);
  EXPECT_EQ(launch.framework, expected.framework);
  EXPECT_EQ(text_at(document, {"pipeline", "ranks"}), "1");
  EXPECT_EQ(text_at(document, {"pipeline", "microbatches"}) + ' ' +
                text_at(document, {"pipeline", "replicas"}) + ' ' +
                text_at(document, {"workload", "samples_per_microbatch"}) +
                text_at(document, {"workload", "sequences_per_microbatch"}),
            expected.sizes);
  EXPECT_EQ(compact_json(*member(&document, "parallel")), expected.parallel);
  EXPECT_EQ(keys_of_block(document, "encoder"), expected.encoder);
  EXPECT_EQ(keys_of_block(document, "backbone"), expected.backbone);
  EXPECT_EQ(!text_at(document, {"framework_set", "/hidden/gradients"}).empty(), expected.overlaps);
  EXPECT_EQ(names_not_understood(launch), expected.not_understood);
}

// Each argument of the script is in one of the lists, or names a file whose settings are.
TEST_P(PublicTrainer, ListsEveryArgument) {
  const LaunchImport launch = import_trainer(GetParam());
  std::vector<std::string> names;
  for (const auto* list : {&launch.read, &launch.idle, &launch.not_understood})
    for (const ShownArgument& each : *list) names.push_back(each.text.substr(0, each.text.find(' ')));
  std::ifstream in(kPublicScripts + GetParam().file);
  for (std::string line; std::getline(in, line);) {
    std::string name = std::string(trimmed(line));
    const bool argument = name.starts_with("--");
    if (!argument && (GetParam().file.ends_with(".sh") || line.starts_with(' ') || name.starts_with('#')))
      continue;
    name = argument ? name.substr(2, name.find(' ') - 2) : name.substr(0, name.find(':'));
    EXPECT_TRUE(std::ranges::any_of(names, [&](const std::string& each) { return each.starts_with(name); }))
        << name;
  }
}

INSTANTIATE_TEST_SUITE_P(HuggingFace, PublicTrainer, ::testing::ValuesIn(kTrainers), [](const auto& one) {
  std::string name = one.param.file;
  std::erase_if(name, [](char c) { return c == '-' || c == '.'; });
  return name;
});

TEST(TrainerScripts, ImagesHaveTheProgramsBounds) {
  const auto workload = [](const std::string& file, std::uint32_t devices) {
    Trainer one;
    one.file = file;
    one.devices = devices;
    return compact_json(
        *member(std::make_unique<Node>(parsed_document(import_trainer(one).document)).get(), "workload"));
  };
  EXPECT_EQ(workload("qwen2.5-vl-7b.sh", 8),
            R"({"trace":"coco_val2017","rule":{"min_pixels":784,"max_pixels":50176},"images_per_sample":1,)"
            R"("text_tokens":200,"packing":"unpacked","samples_per_microbatch":4})");
  EXPECT_EQ(
      workload("swift-qwen2.5-vl-7b-ocr.sh", 0),
      R"({"trace":"coco_val2017","rule":{"max_pixels":1003520},"images_per_sample":1,"text_tokens":200,)"
      R"("packing":"unpacked","samples_per_microbatch":1})");
  EXPECT_EQ(workload("internvl2.5-78b.sh", 0).find("rule"), std::string::npos);
}

TEST(TrainerScripts, SamplesArePaddedUnlessTheyAreFlat) {
  const auto padding = [](const std::string& file) {
    Trainer one;
    one.file = file;
    one.devices = 8;
    return text_at(parsed_document(import_trainer(one).document), {"framework_set", "/pads_to", "value"});
  };
  EXPECT_EQ(padding("llava-13b-finetune.sh"), "microbatch");
  EXPECT_EQ(padding("qwen2.5-vl-7b.sh"), "none");
  EXPECT_EQ(padding("internvl2.5-78b.sh"), "");  // one sample
}

class TrainerFile {
 public:
  explicit TrainerFile(const std::string& text, const std::string& name = "spillway_trainer_test.yaml")
      : path_(own_file(name)) {
    std::ofstream(path_) << text;
  }
  ~TrainerFile() { std::filesystem::remove(path_); }
  TrainerFile(const TrainerFile&) = delete;
  TrainerFile& operator=(const TrainerFile&) = delete;
  std::string path() const { return path_.string(); }

  std::string document(LaunchOptions options = {}) const {
    options.platform = "hgx-h100";
    options.devices = 8;
    return compact_json(parsed_document(import_launch(path(), options).document));
  }

 private:
  std::filesystem::path path_;
};

const std::string kPlain = "model_name_or_path: meta-llama/Llama-3.1-8B\nbf16: true\nmax_length: 4096\n";

void expect_part(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
}

TEST(TrainerScripts, ShardingOfDeepSpeedAndFsdp) {
  expect_part(TrainerFile(kPlain + "deepspeed:\n  zero_optimization:\n    stage: 2\n    offload_optimizer:\n"
                                   "      device: cpu\n")
                  .document(),
              R"("parallel":{"data":"zero2","optimizer_offload_fraction":1.0})");
  // DeepSpeed overlaps reductions by default in stage 3 alone.
  expect_part(TrainerFile(kPlain + "deepspeed:\n  zero_optimization:\n    stage: 3\n").document(),
              "/hidden/gradients");
  EXPECT_EQ(
      TrainerFile(kPlain + "deepspeed:\n  zero_optimization:\n    stage: 2\n").document().find("/hidden"),
      std::string::npos);
  expect_part(TrainerFile(kPlain + "fsdp: shard_grad_op auto_wrap\n").document(),
              R"("data":"zero3","reshard_after_forward":false)");
}

TEST(TrainerScripts, AdaptersAndRecomputation) {
  expect_part(TrainerFile(kPlain + "use_peft: true\nlora_r: 32\nlora_target_modules: [q_proj, v_proj]\n"
                                   "gradient_checkpointing: true\n")
                  .document(),
              R"("recompute":"full","lora_rank":32,"lora_targets":["q_proj","v_proj"],"lora_dropout":0.05)");
  expect_part(TrainerFile("model_name_or_path: Qwen/Qwen3-8B\nfinetuning_type: full\nbf16: true\n"
                          "disable_gradient_checkpointing: true\n")
                  .document(),
              R"("role":"backbone","architecture":"qwen3-8b"})");
}

TEST(TrainerScripts, InternVLsTilesReplaceTheModels) {
  const TrainerFile file(
      "model_name_or_path: OpenGVLab/InternVL2-8B\nbf16: true\nmax_dynamic_patch: 12\nforce_image_size: 448\n"
      "dynamic_image_size: true\nuse_llm_lora: 16\nfreeze_llm: true\nfreeze_backbone: true\n");
  LaunchOptions options;
  options.images = "coco_val2017";
  options.text_tokens = 100;
  options.platform = "hgx-h100";
  options.devices = 8;
  const LaunchImport launch = import_launch(file.path(), options);
  ASSERT_TRUE(launch.architecture.has_value());
  expect_part(*launch.architecture, "\"max_dynamic_patch\": 12");
  expect_part(compact_json(parsed_document(launch.document)), R"("lora_rank":16)");
}

TEST(TrainerScripts, AskForAllThatIsMissingAtOnce) {
  const TrainerFile file("model_name_or_path: Qwen/Qwen2.5-VL-7B-Instruct\ndeepspeed: nowhere/zero.json\n");
  const std::string text = refusal_of_import(file.path(), {});
  for (const char* part :
       {"--platform: expected", "--devices: expected --devices N",
        "line 2, deepspeed: expected --file with the path of zero.json", "bf16: expected bf16 or fp16",
        "--images: expected a table", "--text-tokens: expected the text tokens"})
    expect_part(text, part);
}

TEST(TrainerScripts, FilesAreFoundByNameOrAboveTheScript) {
  const TrainerFile zero("{\"zero_optimization\": {\"stage\": 1}, \"new\": 3}\n", "spillway_zero_test.json");
  const TrainerFile script(
      "deepspeed --num_gpus 4 train.py --deepspeed configs/spillway_zero_test.json "
      "--model_name_or_path Qwen/Qwen3-8B --bf16 True --model_max_length 1024 "
      "--per_device_train_batch_size 2\n",
      "spillway_trainer_test.sh");
  LaunchOptions options;
  options.platform = "hgx-h100";
  options.files = {zero.path()};
  const LaunchImport launch = import_launch(script.path(), options);
  const Node document = parsed_document(launch.document);
  EXPECT_EQ(text_at(document, {"parallel", "data"}), "zero1");
  EXPECT_EQ(text_at(document, {"pipeline", "replicas"}), "4");
  ASSERT_EQ(launch.not_understood.size(), 1u);
  EXPECT_EQ(launch.not_understood[0].text, "deepspeed.new 3");
  EXPECT_EQ(launch.not_understood[0].file, "spillway_zero_test.json");
}

}  // namespace
}  // namespace spillway
