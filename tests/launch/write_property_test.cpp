// Random layouts of shipped models, written for every framework and read back: what is read states what was
// written. A framework that cannot express a layout says why.

#include "support/long_property.h"
#include "support/numbers.h"
#include "written_launch.h"

namespace spillway {
namespace {

using testing::number;

struct DrawnModel {
  std::string name;
  std::uint32_t layers, experts;
  bool predicts;
};

const std::vector<DrawnModel> kModels = {
    {"llama-3-8b", 32, 0, false},   {"llama-3-70b", 80, 0, false},   {"qwen3-32b", 64, 0, false},
    {"qwen2.5-7b", 28, 0, false},   {"gpt-175b", 96, 0, false},      {"qwen3-30b-a3b", 48, 128, false},
    {"deepseek-v3", 61, 256, true}, {"llama-3-405b", 126, 0, false}, {"moonlight-16b-a3b", 27, 64, false}};

template <class Value>
Value one_of(std::initializer_list<Value> values) {
  return *(values.begin() + number(0, static_cast<std::uint32_t>(values.size()) - 1));
}

class DrawnExperiment {
 public:
  std::string text() {
    model_ = kModels[number(0, static_cast<std::uint32_t>(kModels.size()) - 1)];
    alone_ = one_of({true, false, false});
    ranks_ = alone_ ? 1 : one_of({1U, 2U, 4U, 8U});
    const std::uint32_t tensor = alone_ ? 1 : one_of({1U, 2U, 4U, 8U});
    const std::uint32_t context = alone_ ? 1 : one_of({1U, 1U, 2U});
    const std::uint32_t replicas = one_of({1U, 2U, 4U, 8U}), microbatches = ranks_ * one_of({1U, 2U, 4U});
    return R"({"schema":"spillway/experiment/1","name":"drawn","platform":")" + kPlatform +
           R"(","pipeline":{"ranks":)" + n(ranks_) + R"(,"microbatches":)" + n(microbatches) +
           R"(,"replicas":)" + n(replicas) + R"(},"parallel":{"tensor":)" + n(tensor) + R"(,"context":)" +
           n(context) + parallel(tensor * context * replicas) + R"(},"model":{"blocks":[{"name":"llm",)" +
           block() + R"(}]},"workload":{"sequence_tokens":4096,"sequences_per_microbatch":)" +
           n(one_of({1U, 2U})) + R"(},"schedules":[{"name":"s",)" + schedule() + "}]}";
  }

  static inline const std::string kPlatform = "hgx-h100";

 private:
  static std::string n(std::uint32_t number) { return std::to_string(number); }
  static std::string maybe(const std::string& text) { return one_of({0, 0, 0, 0, 1}) == 1 ? text : ""; }

  std::string parallel(std::uint32_t devices) {
    std::string text = one_of<const char*>({R"(,"data":"zero3")", R"(,"data":"plain")", R"(,"data":"zero1")",
                                            R"(,"data":"zero2")", R"(,"data":"zero3")"});
    text += maybe(R"(,"context_by":"ulysses")") + maybe(R"(,"tensor_overlap":"all")") +
            maybe(R"(,"sequence_parallel":false)");
    text += maybe(R"(,"main_params_dtype":"remainder","exp_avg_dtype":"bf16","exp_avg_sq_dtype":"bf16")");
    if (model_.experts == 0) return text;
    return text + R"(,"expert":)" + n(alone_ ? 1 : std::min(devices, one_of({1U, 2U, 8U}))) +
           R"(,"dispatch":")" + one_of<const char*>({"per-expert", "per-node", "all-gather"}) + '"';
  }

  std::string block() {
    separate_ = one_of({true, false});
    predicts_ = model_.predicts && one_of({true, false});
    std::string text = R"("role":"backbone","architecture":")" + model_.name + '"';
    if (separate_) text += R"(,"separate_vocabulary":true)";
    if (predicts_) text += R"(,"multi_token_prediction":true)";
    text += one_of<const char*>({"", R"(,"recompute":"full")", R"(,"recompute":"full","recompute_layers":2)",
                                 R"(,"recompute":"full","recompute_together":2)",
                                 R"(,"recompute":"full","recompute_every":2)", R"(,"recompute":"selective")",
                                 R"(,"recompute":"alternate")", R"(,"recompute":["mlp","layernorm"])"});
    return text + one_of<const char*>({"", "", "", "", "", "", R"(,"fp8":"delayed","fp8_param":true)",
                                       R"(,"fp8":"blockwise","num_layers_at_start_in_bf16":1)",
                                       R"(,"fp8":"tensorwise")", R"(,"fp8":"mxfp8")", R"(,"fp4":"nvfp4")",
                                       R"(,"lora_rank":8,"trainable":false)"});
  }

  std::string schedule() {
    const std::uint32_t chunks = one_of({1U, 1U, 2U, 3U});
    std::string one =
        one_of<const char*>({"1f1b", "1f1b", "1f1b", "1f1b", "gpipe", "1f1b-overlap", "zb-v", "dualpipev"});
    const bool folds = one == "zb-v" || one == "dualpipev";
    std::string text = one;
    for (std::uint32_t chunk = 1; chunk < chunks && !folds; ++chunk) text += ',' + one;
    const std::uint32_t stages = ranks_ * (folds ? 2 : chunks);
    return R"("schedule":")" + text + '"' + (one_of({true, false}) ? layers(stages, folds ? 1 : chunks) : "");
  }

  // Some stages have a layer more than others.
  std::string layers(std::uint32_t stages, std::uint32_t regions) {
    const std::uint32_t all = model_.layers + (separate_ ? 2 : 0) + (predicts_ ? 1 : 0);
    std::vector<std::uint32_t> counts(stages, all / stages);
    for (std::uint32_t left = all % stages; left > 0; --left) ++counts[number(0, stages - 1)];
    std::string list, cut;
    for (std::uint32_t stage = 0, before = 0; stage < stages; ++stage) {
      list += (stage > 0 ? "," : "") + n(counts[stage]);
      before += counts[stage];
      if (regions > 1 && (stage + 1) % ranks_ == 0 && stage + 1 < stages)
        cut += (cut.empty() ? "" : ",") + n(before);
    }
    return (cut.empty() ? "" : R"(,"cut":[)" + cut + "]") + R"(,"layers_per_rank":[)" + list + "]";
  }

  DrawnModel model_ = {};
  std::uint32_t ranks_ = 1;
  bool alone_ = false;  // no device shares a replica's work
  bool separate_ = false, predicts_ = false;
};

SPILLWAY_LONG_PROP(WriteLaunch, AnyLayoutIsReadBackAsItWasWritten, 80) {
  static FileMemory memory;
  DrawnExperiment drawn;
  const std::string text = drawn.text();
  std::optional<Experiment> experiment;
  try {
    experiment = parse_experiment(text, "drawn.json", {}, Files(memory));
  } catch (const InputError&) {
    RC_DISCARD();
  }
  for (const LaunchWriter& writer : launch_writers()) {
    const LaunchAnswer answer = write_launch(*experiment, experiment->schedules.front(), writer.framework);
    const auto* launch = std::get_if<WrittenLaunch>(&answer);
    RC_CLASSIFY(launch != nullptr, std::string(writer.name));
    if (!launch) {
      RC_ASSERT(!std::get<LaunchReasons>(answer).empty());
      continue;
    }
    LaunchOptions options;
    options.platform = DrawnExperiment::kPlatform;
    const std::string difference = lost(*experiment, 0, *launch, options);
    if (!difference.empty()) RC_FAIL(std::string(writer.name) + ": " + difference + text);
  }
}

}  // namespace
}  // namespace spillway
