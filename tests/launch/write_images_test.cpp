// Models with images, written for every framework and read back: what is read states what was written.

#include "option_facts.h"
#include "support/long_property.h"
#include "support/numbers.h"
#include "written_launch.h"

namespace spillway {
namespace {

using testing::number;

struct ImageModel {
  std::string name;
  std::uint32_t tower, layers;
};
const std::vector<ImageModel> kImageModels = {{"qwen2-vl-7b", 32, 28},
                                              {"qwen2.5-vl-7b-published", 32, 28},
                                              {"qwen2.5-vl-32b-published", 32, 64},
                                              {"qwen3-vl-8b", 27, 36},
                                              {"internvl3-38b", 45, 64}};

template <class Value>
Value drawn_of(std::initializer_list<Value> values) {
  return *(values.begin() + number(0, static_cast<std::uint32_t>(values.size()) - 1));
}
std::string text_of(std::uint32_t number) {
  return std::to_string(number);
}

// A job of a model with images. Stages are those of a tower on the first, unless said otherwise.
struct ImageJob {
  ImageModel model = kImageModels[1];
  std::uint32_t ranks = 1, chunks = 1, tensor = 1, context = 1, replicas = 2, samples = 1;
  std::string data = "zero1", recompute = "none", framework = {}, schedule = "1f1b";
  bool trains_tower = false;
  std::uint32_t packed_tokens = 0;         // of the sequences that samples fill; 0: samples are not packed
  std::vector<std::uint32_t> layers = {};  // empty: as many layers of the language model on each stage

  std::vector<std::uint32_t> stages() const {
    if (!layers.empty()) return layers;
    const std::uint32_t count = ranks * chunks;
    std::vector<std::uint32_t> all;
    for (std::uint32_t i = 0; i < count; ++i)
      all.push_back(model.layers / count + (i < model.layers % count ? 1 : 0));
    all.front() += model.tower;
    return all;
  }

  std::string text() const {
    const auto block = [&](const char* name, const char* role, bool trained) {
      return std::string(R"({"name":")") + name + R"(","role":")" + role + R"(","architecture":")" +
             model.name + R"(","recompute":")" + recompute + R"(","trainable":)" +
             (trained ? "true" : "false") + "}";
    };
    return R"({"schema":"spillway/experiment/1","name":"images","platform":"hgx-h100")" +
           (framework.empty() ? "" : R"(,"framework":")" + framework + '"') + R"(,"pipeline":{"ranks":)" +
           text_of(ranks) + R"(,"microbatches":)" + text_of(2 * ranks) + R"(,"replicas":)" +
           text_of(replicas) + R"(},"parallel":{"tensor":)" + text_of(tensor) + R"(,"context":)" +
           text_of(context) + R"(,"data":")" + data + R"("},"model":{"blocks":[)" +
           block("enc", "encoder", trains_tower) + ',' + block("llm", "backbone", true) +
           R"(]},"workload":{"trace":"coco_val2017","images_per_sample":1,"text_tokens":200,"packing":)" +
           (packed_tokens > 0 ? R"("packed","sequence_tokens":)" + text_of(packed_tokens)
                              : R"("unpacked","samples_per_microbatch":)" + text_of(samples)) +
           R"(},"schedules":[{"name":"s",)" + stages_text() + "}]}";
  }

  std::string stages_text() const {
    std::string skeletons = schedule;
    for (std::uint32_t chunk = 1; chunk < chunks; ++chunk) skeletons += ',' + schedule;
    std::string text = R"("schedule":")" + skeletons + '"', list, cut;
    if (ranks == 1) return text;
    std::uint32_t before = 0, stage = 0;
    for (const std::uint32_t count : stages()) {
      list += (list.empty() ? "" : ",") + text_of(count);
      before += count;
      if (++stage % ranks == 0 && stage < ranks * chunks) cut += (cut.empty() ? "" : ",") + text_of(before);
    }
    return text + (cut.empty() ? "" : R"(,"cut":[)" + cut + "]") + R"(,"layers_per_rank":[)" + list + "]";
  }

  Experiment experiment() const { return parse_experiment(text(), "images.json", {}); }
};

LaunchOptions options_of_images() {
  LaunchOptions options;
  options.platform = "hgx-h100";
  options.images = "coco_val2017";
  options.text_tokens = 200;
  return options;
}

// Why there is no launch; "" if there is one, which is then read back and has options of its framework alone.
std::string without_launch(const ImageJob& job, std::string_view framework) {
  const Experiment experiment = job.experiment();
  const LaunchAnswer answer =
      write_launch(experiment, experiment.schedules.front(), *launch_framework(framework));
  if (const auto* reasons = std::get_if<LaunchReasons>(&answer)) return joined(*reasons, "; ");
  const auto& launch = std::get<WrittenLaunch>(answer);
  expect_known_options(framework, launch, job.text());
  EXPECT_EQ(lost(experiment, 0, launch, options_of_images()), "") << launch.files.front().text;
  return "";
}

TEST(WriteImages, MegatronSwiftHasAPipelineBehindTheTower) {
  ImageJob job;
  job.ranks = 4;
  job.tensor = 2;
  job.framework = "megatron-swift-vl";
  for (const ImageModel& model : kImageModels) {
    job.model = model;
    EXPECT_EQ(without_launch(job, "megatron-swift"), "") << model.name;
  }
  job.chunks = 2;
  job.samples = 4;
  EXPECT_EQ(without_launch(job, "megatron-swift"), "");
  job.chunks = 1;
  job.trains_tower = true;
  job.recompute = "full";
  job.data = "zero3";
  EXPECT_EQ(without_launch(job, "megatron-swift"), "");
}

TEST(WriteImages, MegatronSwiftPacksSamples) {
  ImageJob job;
  job.ranks = 2;
  job.framework = "megatron-swift-vl";
  job.packed_tokens = 8192;
  EXPECT_EQ(without_launch(job, "megatron-swift"), "");
  EXPECT_NE(without_launch(job, "megatron-bridge"), "");
  job.ranks = 1;
  job.data = "zero3";
  EXPECT_EQ(without_launch(job, "accelerate"), "import reads no packing of its samples with images");
}

TEST(WriteImages, MegatronBridgeHasRecipesOfSomeModels) {
  ImageJob job;
  job.ranks = 2;
  job.tensor = 2;
  job.framework = "megatron-bridge-vl-graphs";
  EXPECT_EQ(without_launch(job, "megatron-bridge"), "");
  job.model = kImageModels[3];
  job.context = 2;
  EXPECT_EQ(without_launch(job, "megatron-bridge"), "");
  job.model = kImageModels[1];
  EXPECT_EQ(without_launch(job, "megatron-bridge"), "its Qwen2.5-VL has no context parallelism");
  job.context = 1;
  job.model = kImageModels[4];
  EXPECT_EQ(without_launch(job, "megatron-bridge"), "import knows no recipe of this model");
}

TEST(WriteImages, TheTrainerHasEveryModelOnOneRank) {
  ImageJob job;
  job.samples = 2;
  for (const ImageModel& model : kImageModels) {
    job.model = model;
    for (const char* recompute : {"none", "full"}) {
      job.recompute = recompute;
      job.data = "zero3";
      EXPECT_EQ(without_launch(job, "accelerate"), "") << model.name;
      job.data = "zero2";
      EXPECT_EQ(without_launch(job, "deepspeed"), "") << model.name;
    }
  }
  job.trains_tower = true;
  EXPECT_EQ(without_launch(job, "deepspeed"), "");
  job.recompute = "selective";
  EXPECT_NE(without_launch(job, "deepspeed"), "");
}

// What the software cannot place is refused in words.
TEST(WriteImages, ATowerOnTwoStagesIsRefused) {
  ImageJob job;
  job.ranks = 2;
  job.layers = {16, 44};
  EXPECT_EQ(without_launch(job, "megatron-swift"),
            "the first stage has the whole tower, and no other has a part of it; the first stage has the "
            "embedding beside the tower");
  EXPECT_EQ(without_launch(job, "megatron-bridge"),
            "the first stage has the whole tower and the embedding, and no other has a part of the tower");
  job.layers = {32, 28};
  EXPECT_EQ(without_launch(job, "megatron-swift"), "the first stage has the embedding beside the tower");
  job.layers = {33, 27};
  EXPECT_EQ(without_launch(job, "megatron-swift"), "");
  EXPECT_EQ(without_launch(job, "megatron-lm"), "pretrain_gpt.py has no model with an encoder");
  EXPECT_EQ(without_launch(job, "torchtitan"), "import reads no flavour of it with an encoder");
}

// ms-swift's bounds of images are variables of its environment.
TEST(WriteImages, BoundsOfImagesAreReadFromTheEnvironment) {
  const auto path = own_file("bounds.sh");
  std::ofstream(path) << "MAX_PIXELS=1003520 NPROC_PER_NODE=2 megatron sft --model "
                         "Qwen/Qwen2.5-VL-7B-Instruct --packing true --max_length 2048 "
                         "--tensor_model_parallel_size 2 --sequence_parallel true --micro_batch_size 1 "
                         "--global_batch_size 4\n";
  LaunchOptions options = options_of_images();
  options.out = own_file("bounds.json").string();
  const LaunchImport launch = import_launch(path.string(), options);
  const Node document = parsed_document(launch.document);
  EXPECT_EQ(launch.framework, "Megatron-SWIFT");
  EXPECT_EQ(text_at(document, {"framework"}), "megatron-swift-vl");
  EXPECT_EQ(text_at(document, {"workload", "rule"}), "{max_pixels:1003520}");
  EXPECT_EQ(keys_of_block(document, "encoder"), R"({"trainable":false})");
  EXPECT_EQ(text_at(document, {"model", "blocks", "0", "architecture"}), "qwen2.5-vl-7b-published");
}

SPILLWAY_LONG_PROP(WriteImages, AnyLayoutIsReadBackAsItWasWritten, 80) {
  ImageJob job;
  job.model = kImageModels[number(0, static_cast<std::uint32_t>(kImageModels.size()) - 1)];
  job.ranks = drawn_of({1U, 1U, 2U, 4U});
  job.chunks = job.ranks == 1 ? 1 : drawn_of({1U, 1U, 2U});
  job.tensor = drawn_of({1U, 1U, 2U});
  job.context = drawn_of({1U, 1U, 1U, 2U});
  job.replicas = drawn_of({1U, 2U, 8U});
  job.samples = drawn_of({1U, 2U, 4U});
  job.packed_tokens = drawn_of({0U, 0U, 8192U});
  job.data = drawn_of<const char*>({"plain", "zero1", "zero2", "zero3"});
  job.recompute = drawn_of<const char*>({"none", "full", "full", "selective"});
  job.framework =
      drawn_of<const char*>({"", "megatron-swift-vl", "megatron-bridge-vl-eager", "hf-deepspeed"});
  job.schedule = drawn_of<const char*>({"1f1b", "1f1b", "1f1b", "gpipe"});
  job.trains_tower = drawn_of({true, false});
  const Experiment experiment = job.experiment();
  for (const LaunchWriter& writer : launch_writers()) {
    if (writer.framework == LaunchFramework::MindSpeedMm) continue;
    const LaunchAnswer answer = write_launch(experiment, experiment.schedules.front(), writer.framework);
    const auto* launch = std::get_if<WrittenLaunch>(&answer);
    RC_CLASSIFY(launch != nullptr, std::string(writer.name));
    if (!launch) continue;
    const std::string difference = lost(experiment, 0, *launch, options_of_images());
    if (!difference.empty()) RC_FAIL(std::string(writer.name) + ": " + difference + job.text());
  }
}

}  // namespace
}  // namespace spillway
