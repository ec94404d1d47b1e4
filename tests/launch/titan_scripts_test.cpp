// Public configurations of torchtitan (tests/launch/scripts/titan-*.toml), and small ones of our own.
#include <filesystem>
#include <fstream>

#include "public_launch.h"

namespace spillway {
namespace {

struct Titan {
  std::string file;
  std::uint32_t devices;
  std::vector<std::string> more;  // settings beside the file
  std::string sizes;              // ranks, microbatches, replicas, of sequences x tokens
  std::string parallel, block, schedule, layout, framework;
  std::string not_understood;
  friend void PrintTo(const Titan& one, std::ostream* out) { *out << one.file; }
};

const std::vector<Titan> kTitans = {
    {"titan-llama3-8b",
     64,
     {},
     "1 1 64 1x8192",
     R"({"tensor":1,"data":"zero3"})",
     R"({"recompute":"alternate"})",
     "1f1b",
     "",
     "torchtitan-eager",
     ""},
    {"titan-llama3-70b",
     64,
     {},
     "1 1 8 8x8192",
     R"({"tensor":8,"sequence_parallel":true,"data":"zero3"})",
     R"({"recompute":"full"})",
     "1f1b",
     "",
     "torchtitan-eager",
     ""},
    {"titan-llama3-405b",
     128,
     {},
     "1 1 16 2x8192",
     R"({"tensor":8,"sequence_parallel":true,"tensor_overlap":"all","data":"zero3"})",
     R"({"recompute":"full","fp8":"tensorwise"})",
     "1f1b",
     "",
     "torchtitan-compiled",
     "quantize.linear.float8.enable_fsdp_float8_all_gather"},
    {"titan-deepseek-v3",
     512,
     {"parallelism.pipeline_parallel_degree 8", "parallelism.expert_parallel_degree 32",
      "training.local_batch_size 16"},
     "8 16 64 1x4096",
     R"({"tensor":1,"expert":32,"dispatch":"per-expert","data":"zero3","reshard_after_forward":false})",
     R"({"recompute":"alternate"})",
     "1f1b,1f1b",
     "Et*3|(t*4|)*14t*2L",
     "torchtitan-eager",
     ""},
    {"titan-deepseek-16b",
     8,
     {},
     "1 1 8 4x4096",
     R"({"tensor":1,"expert":8,"dispatch":"per-expert","data":"zero3"})",
     R"({"recompute":"alternate"})",
     "1f1b",
     "",
     "torchtitan-eager",
     ""},
    {"titan-qwen3-32b",
     8,
     {},
     "1 1 8 2x4096",
     R"({"tensor":1,"data":"zero3"})",
     R"({"recompute":"full"})",
     "1f1b",
     "",
     "torchtitan-eager",
     ""},
    {"titan-qwen3-1.7b",
     8,
     {},
     "1 1 8 4x4096",
     R"({"tensor":1,"data":"zero3"})",
     R"({"recompute":"alternate"})",
     "1f1b",
     "",
     "torchtitan-eager",
     ""},
    {"titan-llama4-maverick",
     256,
     {"training.local_batch_size 8"},
     "4 8 8 1x8192",
     R"({"tensor":8,"sequence_parallel":true,"expert":1,"expert_tensor":8,"dispatch":"per-expert",)"
     R"("data":"zero3","reshard_after_forward":false})",
     R"({"recompute":"full"})",
     "1f1b",
     "Et*12|t*13|t*12|t*11L",
     "torchtitan-eager",
     ""},
};

LaunchOptions options_of(const Titan& one) {
  LaunchOptions options;
  options.platform = "hgx-h100";
  options.devices = one.devices;
  options.arguments = one.more;
  return options;
}

class PublicTitan : public ::testing::TestWithParam<Titan> {};

TEST_P(PublicTitan, BecomesItsExperiment) {
  const Titan& expected = GetParam();
  const LaunchImport launch = import_launch(kPublicScripts + expected.file + ".toml", options_of(expected));
  const Node document = parsed_document(launch.document);
  EXPECT_EQ(launch.framework, "torchtitan");
  EXPECT_EQ(text_at(document, {"pipeline", "ranks"}) + ' ' + text_at(document, {"pipeline", "microbatches"}) +
                ' ' + text_at(document, {"pipeline", "replicas"}) + ' ' +
                text_at(document, {"workload", "sequences_per_microbatch"}) + 'x' +
                text_at(document, {"workload", "sequence_tokens"}),
            expected.sizes);
  EXPECT_EQ(compact_json(*member(&document, "parallel")), expected.parallel);
  EXPECT_EQ(keys_of_block(document, "backbone"), expected.block);
  EXPECT_EQ(text_at(document, {"schedules", "0", "schedule"}), expected.schedule);
  EXPECT_EQ(text_at(document, {"framework"}), expected.framework);
  EXPECT_EQ(launch.layout, expected.layout);
  EXPECT_EQ(names_not_understood(launch), expected.not_understood);
}

// Each key of the file is in one of the lists.
TEST_P(PublicTitan, ListsEveryKey) {
  const Titan& expected = GetParam();
  const LaunchImport launch = import_launch(kPublicScripts + expected.file + ".toml", options_of(expected));
  std::ifstream in(kPublicScripts + expected.file + ".toml");
  std::size_t given = expected.more.size();
  for (std::string line; std::getline(in, line);) given += line.find(" = ") != std::string::npos ? 1 : 0;
  EXPECT_EQ(launch.read.size() + launch.idle.size() + launch.not_understood.size(), given);
}

INSTANTIATE_TEST_SUITE_P(Torchtitan, PublicTitan, ::testing::ValuesIn(kTitans), [](const auto& one) {
  std::string name = one.param.file;
  std::erase_if(name, [](char c) { return c == '-' || c == '.'; });
  return name;
});

class TitanFile {
 public:
  explicit TitanFile(const std::string& text) {
    path_ = own_file("titan.toml");
    std::ofstream(path_) << "[model]\nname = \"llama3\"\nflavor = \"8B\"\n" << text;
  }
  ~TitanFile() { std::filesystem::remove(path_); }
  TitanFile(const TitanFile&) = delete;
  TitanFile& operator=(const TitanFile&) = delete;

  std::string document(std::uint32_t devices) const {
    return compact_json(parsed_document(import_launch(path_.string(), options(devices)).document));
  }
  LaunchImport import(std::uint32_t devices) const { return import_launch(path_.string(), options(devices)); }
  std::string refusal(std::uint32_t devices) const {
    return refusal_of_import(path_.string(), options(devices));
  }

 private:
  static LaunchOptions options(std::uint32_t devices) {
    LaunchOptions options;
    options.platform = "hgx-h100";
    options.devices = devices;
    return options;
  }
  std::filesystem::path path_;
};

TEST(TitanSettings, OfAnotherProgramAreRefused) {
  for (const char* text : {"", "[package]\nname = \"x\"\n"}) {
    const auto path = own_file("other.toml");
    std::ofstream(path) << text;
    LaunchOptions options;
    options.platform = "hgx-h100";
    options.devices = 8;
    const std::string refusal = refusal_of_import(path.string(), options);
    std::filesystem::remove(path);
    EXPECT_NE(refusal.find("expected a configuration of torchtitan"), std::string::npos) << refusal;
  }
}

void expect_in(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
}

// Stages as generate_llm_fqn_per_model_part makes them: 32 layers and 2 for embedding and head, over 8
// stages.
TEST(TitanLayout, EmbeddingAndHeadCountAsLayers) {
  const TitanFile file(
      "[parallelism]\npipeline_parallel_degree = 4\npipeline_parallel_schedule = \"Interleaved1F1B\"\n"
      "[training]\nlocal_batch_size = 10\n");
  const LaunchImport launch = file.import(8);
  EXPECT_EQ(launch.layout, "Et*4|t*5|(t*4|)*5t*3L");
  // 10 microbatches of 4 ranks go in 2 rounds of 5.
  expect_in(compact_json(parsed_document(launch.document)), R"("microbatch_group":5)");
}

TEST(TitanLayout, SchedulesOfPyTorch) {
  const auto schedule = [](const std::string& name) {
    const TitanFile file("[parallelism]\npipeline_parallel_degree = 4\npipeline_parallel_schedule = \"" +
                         name + "\"\n");
    return file.document(4);
  };
  expect_in(schedule("GPipe"), R"("schedule":"gpipe")");
  expect_in(schedule("loopedbfs"), R"("schedule":"gpipe,gpipe")");
  expect_in(schedule("ZBVZeroBubble"), R"("schedule":"zb-v","layers_per_rank":[4,5,4,4,4,4,4,3])");
  expect_in(schedule("1F1B"), R"("p2p":"blocking")");
  expect_in(schedule("Interleaved1F1B"), R"("p2p":"overlapped")");
}

TEST(TitanLayout, ReplicasOfShards) {
  const TitanFile file(
      "[parallelism]\ndata_parallel_replicate_degree = 4\ncontext_parallel_degree = 2\n"
      "fsdp_reshard_after_forward = \"never\"\n[training]\nglobal_batch_size = 512\nlocal_batch_size = 2\n");
  const std::string document = file.document(64);
  expect_in(document, R"("data":"zero3","reshard_after_forward":false,"data_parallel_shard_degree":16)");
  expect_in(document, R"("microbatches":8,"replicas":32)");
  const TitanFile plain(
      "[parallelism]\ndata_parallel_shard_degree = 1\ndata_parallel_replicate_degree = 8\n");
  expect_in(plain.document(8), R"("data":"plain")");
}

TEST(TitanLayout, PrecisionAndRecomputation) {
  const TitanFile file("converters = [\"mx\"]\n[activation_checkpoint]\nselective_ac_option = \"3\"\n");
  const std::string document = file.document(8);
  expect_in(document, R"("recompute":"full","recompute_every":3,"fp8":"mxfp8")");
}

TEST(TitanLayout, RefusesAllThatIsWrongAtOnce) {
  const TitanFile file(
      "[parallelism]\ntensor_parallel_degree = 3\npipeline_parallel_degree = 2\n"
      "pipeline_parallel_schedule = \"InterleavedZeroBubble\"\n[training]\nseq_len = \"long\"\ndtype = "
      "\"bfloat16\"\n");
  const std::string text = file.refusal(8);
  expect_in(text, "--devices: expected a multiple of the degrees of parallelism, 6, found 8");
  expect_in(text, "line 7, parallelism.pipeline_parallel_schedule: expected 1F1B, GPipe");
  expect_in(text, "line 9, training.seq_len: expected a whole number from 1, found \"long\"");
  expect_in(text, "line 10, training.dtype: expected float32");
}

TEST(TitanLayout, WhatIsNotKnownIsListed) {
  const TitanFile file("[training]\nenable_cpu_offload = true\nnew_key = 3\n[debug]\nseed = 1\n");
  EXPECT_EQ(names_not_understood(file.import(8)), "training.enable_cpu_offload training.new_key");
}

// A compiled loss is one kernel that keeps the logits; torchtitan compiles it unless components say
// otherwise.
TEST(TitanSettings, CompiledLossIsOneKernel) {
  const std::string fused = R"("/fused_loss":true)";
  EXPECT_NE(TitanFile("[compile]\nenable = true\n").document(8).find(fused), std::string::npos);
  EXPECT_EQ(TitanFile("[compile]\nenable = true\ncomponents = [\"model\"]\n").document(8).find(fused),
            std::string::npos);
  EXPECT_EQ(TitanFile("").document(8).find(fused), std::string::npos);
}

}  // namespace
}  // namespace spillway
