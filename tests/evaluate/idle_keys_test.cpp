// Checks one rule: a key that changes nothing is reported. Each row has a key, a job in which its values
// change figures, and a job in which none does. Only the second job reports the key.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "evaluate/evaluate.h"
#include "input/experiment/experiment.h"

namespace spillway {
namespace {

using Settings = std::vector<Setting>;

struct ShippedJob {
  const char* file;
  Settings settings;
};

struct Row {
  std::string pointer;
  std::vector<const char*> values;
  ShippedJob acts;
  ShippedJob idles;
};

Experiment with_value(const ShippedJob& job, const std::string& pointer, const char* value) {
  Settings settings = job.settings;
  settings.push_back({pointer, value});
  return read_experiment(std::string(SPILLWAY_SOURCE_DIR) + "/workloads/experiments/" + job.file + ".json",
                         settings);
}

bool says(const Experiment& experiment, const std::string& pointer) {
  return std::any_of(experiment.idle_keys.begin(), experiment.idle_keys.end(),
                     [&](const IdleKey& key) { return key.pointer == pointer; });
}

// Returns the distinct figures of the draws. Equal draws appear once, so their number does not matter.
std::set<std::string> figures(const Experiment& experiment) {
  std::set<std::string> all;
  for (const ScheduleResult& schedule : evaluate(experiment, {.run = {Engine::LongestPath}}).schedules) {
    for (const DrawResult& draw : schedule.draws) {
      std::ostringstream text;
      text << std::hexfloat << schedule.name << ' ' << draw.step.makespan.value() << ' '
           << draw.step.bubble_fraction;
      if (draw.step.spill)
        text << ' ' << draw.step.spill->max_spill.value() << ' ' << draw.step.spill->exposed_encoder.value();
      for (const PeakMemory& peak : draw.memory) text << ' ' << peak.parts.total().value();
      for (const double peak : schedule.peak_activations) text << ' ' << peak;
      all.insert(text.str());
    }
  }
  return all;
}

// Returns the number of different sets of figures that the key's values make.
std::size_t outcomes(const Row& row, const ShippedJob& job) {
  std::set<std::set<std::string>> all;
  for (const char* value : row.values) all.insert(figures(with_value(job, row.pointer, value)));
  return all.size();
}

Settings schedules(const std::string& one, Settings more = {}) {
  more.push_back({"/schedules", "[{\"name\": \"s\", " + one + "}]"});
  more.push_back({"/baseline", "s"});
  return more;
}

Settings plain(const std::string& schedule, Settings more = {}) {
  return schedules("\"schedule\": \"" + schedule + '"', std::move(more));
}

const std::string kEncoder = "/model/blocks/0/", kBackbone = "/model/blocks/1/profile/";

std::string trace(const std::string& name) {
  return std::string(SPILLWAY_SOURCE_DIR) + "/workloads/traces/" + name + ".csv";
}

std::vector<Row> schedule_rows() {
  const Settings small_vpp = {{"/pipeline/ranks", "4"}, {"/pipeline/microbatches", "8"}};
  return {
      {"/schedules/2/owner",
       {"round-robin", "blocked"},
       {"owners", {}},
       {"owners", {{"/schedules/2/schedule", "1f1b"}}}},
      {"/schedules/2/owner",
       {"round-robin", "blocked"},
       {"owners", {}},
       {"owners", {{"/pipeline/ranks", "1"}}}},
      {"/schedules/0/owner_from",
       {"expected", "draw"},
       {"image-work", {{"/draws", "2"}}},
       {"image-work", {{"/draws", "2"}, {"/schedules/0/owner", "round-robin"}}}},
      {"/schedules/0/owner_from", {"expected", "draw"}, {"image-work", {{"/draws", "2"}}}, {"small", {}}},
      {"/schedules/0/microbatch_group",
       {"4", "8"},
       {"skeletons", schedules(R"("schedule": "1f1b,1f1b", "cut": [17])", small_vpp)},
       {"skeletons", schedules(R"("schedule": "gpipe,gpipe", "cut": [17])", small_vpp)}},
      {"/schedules/0/microbatch_group",
       {"4", "8"},
       {"skeletons", schedules(R"("schedule": "1f1b,1f1b", "cut": [17])", small_vpp)},
       {"skeletons",
        schedules(R"("schedule": "transpose,1f1b,1f1b,transpose", "cut": [1, 15, 30])", small_vpp)}},
      {"/schedules/0/order",
       {"as-sampled", "heaviest-first"},
       {"owners", {}},
       {"owners", {{kEncoder + "work_per_microbatch", "[2, 2, 2, 2, 2, 2, 2, 2]"}}}},
      {"/schedules/0/planning_ms",
       {"0", "1e6"},
       {"image-work", {{"/draws", "2"}, {"/schedules/0/owner_from", "draw"}}},
       {"image-work", {{"/draws", "2"}}}},
      {"/schedules/0/moves_samples",
       {"true", "false"},
       {"systems-four-replicas", schedules(R"("system": "megatron")", {{"/draws", "2"}})},
       {"systems-four-replicas",
        schedules(R"("system": "megatron")", {{"/draws", "2"}, {"/pipeline/replicas", "1"}})}},
      {"/schedules/0/knows_draw",
       {"true", "false"},
       {"systems-four-replicas", schedules(R"("system": "mpipe")", {{"/draws", "2"}})},
       {"small", schedules(R"("system": "mpipe")")}},
      {"/schedules/0/planning_ms",
       {"0", "1e6"},
       {"image-work", {{"/draws", "2"}, {"/schedules/0/owner_from", "draw"}}},
       {"image-work", schedules(R"("schedule": "1f1b", "owner_from": "draw")", {{"/draws", "2"}})}},
      {"/schedules/0/planning_ms",
       {"0", "1e6"},
       {"image-work", {{"/draws", "2"}, {"/schedules/0/owner_from", "draw"}}},
       {"image-work",
        {{"/draws", "2"}, {"/schedules/0/owner_from", "draw"}, {"/schedules/0/owner", "round-robin"}}}},
      {"/schedules/0/owner_from",
       {"expected", "draw"},
       {"image-work", {{"/draws", "2"}}},
       {"image-work", schedules(R"("schedule": "1f1b", "split": "balanced")", {{"/draws", "2"}})}},
      {"/schedules/0/split",
       {"by-count", "balanced"},
       {"skeletons", plain("1f1b")},
       {"skeletons", plain("transpose")}},
      {"/seed", {"1", "2"}, {"image-work", {{"/draws", "1"}}}, {"owners", {}}},
      {"/draws", {"1", "2"}, {"image-work", {}}, {"owners", {}}},
  };
}

std::vector<Row> given_rows() {
  const std::string fused = kBackbone + "fused_forward_backward_ms";
  const std::string held = kBackbone + "weight_gradient_activation_bytes";
  return {
      {fused,
       {"30", "40"},
       {"small", plain("dualpipev", {{"/pipeline/ranks", "2"},
                                     {"/pipeline/microbatches", "4"},
                                     {kEncoder + "work_per_microbatch", "[1, 2, 1, 2]"}})},
       {"small", {}}},
      {held, {"0", "1000"}, {"small", plain("zb-h2")}, {"small", {}}},
      {held,
       {"0", "1000"},
       {"small", plain("zb-h2")},
       {"small", plain("zb-h2", {{"/model/blocks/1/trainable", "false"}})}},
      {kEncoder + "profile/output_bytes", {"1", "5e9"}, {"small", {}}, {"small", plain("1f1b")}},
      {kBackbone + "parameter_bytes",
       {"1", "5e9"},
       {"small", {}},
       {"small", {{kEncoder + "trainable", "true"}}}},
      {kBackbone + "gradient_bytes",
       {"1", "5e9"},
       {"small", {}},
       {"small", {{"/model/blocks/1/trainable", "false"}}}},
      {kBackbone + "optimizer_bytes",
       {"1", "5e9"},
       {"small", {}},
       {"small", {{"/model/blocks/1/trainable", "false"}}}},
      {kEncoder + "backward_work_per_microbatch",
       {"[1, 2, 3]", "[9, 9, 9]"},
       {"small", {{kEncoder + "trainable", "true"}}},
       {"small", {}}},
      {"/what_if/encoder_time",
       {"0.5", "3"},
       {"small", {}},
       {"small", {{"/model/blocks/0/role", "backbone"}}}},
      {"/what_if/link_speed",
       {"2", "0.1"},
       {"small", {}},
       {"small", {{"/network/p2p_ms", "0"}, {"/network/reduction_ms", "0"}}}},
      {"/what_if/even_stages",
       {"true", "false"},
       {"small", {}},
       {"small", plain("1f1b", {{"/pipeline/ranks", "1"}})}},
      {"/network/p2p_ms", {"1", "5"}, {"small", {}}, {"small", plain("1f1b", {{"/pipeline/ranks", "1"}})}},
      {"/network/reduction_ms", {"1", "5"}, {"owners", {}}, {"owners", plain("1f1b")}},
      {"/network/p2p", {"blocking", "overlapped"}, {"owners", {}}, {"owners", {{"/network/p2p_ms", "0"}}}},
  };
}

std::vector<Row> analytic_rows() {
  const Settings quick =
      plain("transpose,1f1b",
            {{"/fit", "[]"}, {"/draws", "1"}, {"/pipeline/ranks", "4"}, {"/pipeline/microbatches", "4"}});
  const auto also = [&](Settings more) {
    more.insert(more.begin(), quick.begin(), quick.end());
    return more;
  };
  const ShippedJob a{"experiment-a", quick};
  const ShippedJob one_tensor{"experiment-a", also({{"/parallel/tensor", "1"}, {"/parallel/expert", "8"}})};
  const ShippedJob no_experts{"experiment-a", also({{"/parallel/expert", "1"}})};
  Settings one_device =
      also({{"/parallel/tensor", "1"}, {"/parallel/expert", "1"}, {"/pipeline/replicas", "1"}});
  const ShippedJob alone{"experiment-a", plain("1f1b", one_device)};
  Settings one_sharded = one_device;
  one_sharded.push_back({"/parallel/data", "zero3"});
  const ShippedJob trained{"llama3-405b", {{"/pipeline/replicas", "1"}}};
  const ShippedJob frozen{"llama3-405b",
                          {{"/pipeline/replicas", "1"}, {"/model/blocks/0/trainable", "false"}}};
  const ShippedJob in_a_node{"llama3-405b",
                             plain("1f1b", {{"/pipeline/ranks", "1"}, {"/pipeline/replicas", "1"}})};
  const Settings sizes = {{"/workload/trace", trace("mathvista_testmini")}};
  return {
      {"/parallel/tensor_overlap", {"none", "all"}, a, one_tensor},
      {"/parallel/sequence_parallel", {"true", "false"}, no_experts, one_tensor},
      {"/parallel/images", {"shared", "repeated"}, no_experts, one_tensor},
      {"/parallel/images",
       {"shared", "repeated"},
       a,
       {"llama3-405b", {{"/pipeline/replicas", "1"}, {"/pipeline/microbatches", "16"}}}},
      {"/parallel/optimizer", {"device", "swapped"}, trained, frozen},
      {"/parallel/main_params_dtype", {"fp32", "remainder"}, trained, frozen},
      {"/parallel/exp_avg_dtype", {"fp32", "bf16"}, trained, frozen},
      {"/parallel/exp_avg_sq_dtype", {"fp32", "fp8"}, trained, frozen},
      {"/parallel/muon_num_ns_steps", {"5", "10"}, trained, frozen},
      {"/parallel/optimizer_offload_fraction", {"0", "0.5"}, trained, frozen},
      {"/model/blocks/0/activation_func_fp8_input_store", {"false", "true"}, trained, frozen},
      {"/parallel/dispatch", {"per-expert", "per-node"}, a, no_experts},
      {"/parallel/fp8_dispatch", {"true", "false"}, a, no_experts},
      {"/parallel/data", {"plain", "zero1"}, a, alone},
      {"/parallel/reshard_after_forward",
       {"true", "false"},
       {"experiment-a", also({{"/parallel/data", "zero3"}})},
       {"experiment-a", plain("1f1b", one_sharded)}},
      {"/what_if/inner_collective_time", {"0", "3"}, a, alone},
      {"/what_if/port_speed/nic", {"2", "0.1"}, trained, in_a_node},
      {"/what_if/host_speed",
       {"2", "0.1"},
       a,
       {"experiment-a", also({{"/platform", std::string(SPILLWAY_SOURCE_DIR) + "/platforms/ideal.json"}})}},
      {"/network/p2p", {"overlapped", "blocking"}, a, {"experiment-a", also({{"/pipeline/ranks", "1"}})}},
      {"/platform_set/~1tiers~11~1wiring",
       {"switched", "mesh"},
       a,
       {"experiment-a",
        also({{"/platform", std::string(SPILLWAY_SOURCE_DIR) + "/platforms/hgx-h100.json"}})}},
      {kEncoder + "recompute",
       {"none", "full"},
       a,
       {"experiment-a", also({{kEncoder + "trainable", "false"}})}},
      {kEncoder + "recompute",
       {"none", R"(["mlp"])"},
       a,
       {"experiment-a", also({{kEncoder + "trainable", "false"}})}},
      {kEncoder + "offload", {"none", "all"}, a, {"experiment-a", also({{kEncoder + "trainable", "false"}})}},
      {kEncoder + "fixed_in",
       {"layers", "first-layer"},
       {"experiment-a",
        schedules(R"("schedule": "1f1b", "split": "balanced")", also({{kEncoder + "fixed_ms", "5000"}}))},
       a},
      {kEncoder + "recompute_layers",
       {"1", "3"},
       a,
       {"experiment-a", also({{kEncoder + "recompute", "none"}})}},
      {kEncoder + "recompute_every",
       {"1", "3"},
       a,
       {"experiment-a", also({{kEncoder + "recompute", "none"}})}},
      {kEncoder + "recompute_together",
       {"1", "4"},
       a,
       {"experiment-a", also({{kEncoder + "recompute", R"(["mlp"])"}})}},
      {"/workload/rule",
       {R"({"max_pixels": 100352})", R"({"max_pixels": 200704})"},
       {"experiment-a", also(sizes)},
       a},
      {"/workload/images_per_sample",
       {"1", "3"},
       a,
       {"experiment-a", also({{"/workload/text_only_share", "1"}})}},
  };
}

std::vector<Row> image_work_rows() {
  const std::string packed = R"({"profile_patches": 5198, "trace": ")" + trace("servegen_image_tokens") +
                             R"(", "packing": "packed", "sequence_tokens": 4096})";
  const std::string images = kEncoder + "image_work";
  return {{images + "/text_tokens",
           {"10", "2000"},
           {"image-work", {{"/draws", "1"}, {images, packed}}},
           {"image-work", {{"/draws", "1"}}}},
          {images + "/rule",
           {R"({"max_pixels": 100352})", R"({"max_pixels": 200704})"},
           {"image-work", {{"/draws", "1"}, {images + "/trace", trace("mathvista_testmini")}}},
           {"image-work", {{"/draws", "1"}}}}};
}

class IdleKeys : public ::testing::TestWithParam<Row> {};

TEST_P(IdleKeys, AreSaidWhereTheyChangeNothing) {
  const Row& row = GetParam();
  for (const char* value : row.values)
    EXPECT_TRUE(says(with_value(row.idles, row.pointer, value), row.pointer)) << value;
  EXPECT_EQ(outcomes(row, row.idles), 1u);
}

TEST_P(IdleKeys, AreNotSaidWhereTheyChangeSomething) {
  const Row& row = GetParam();
  for (const char* value : row.values)
    EXPECT_FALSE(says(with_value(row.acts, row.pointer, value), row.pointer)) << value;
  EXPECT_GT(outcomes(row, row.acts), 1u);
}

std::string name_of(const ::testing::TestParamInfo<Row>& info) {
  std::string name = std::to_string(info.index) + info.param.pointer;
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
}

void PrintTo(const Row& row, std::ostream* out) {
  *out << row.pointer;
}

INSTANTIATE_TEST_SUITE_P(Schedules, IdleKeys, ::testing::ValuesIn(schedule_rows()), name_of);
INSTANTIATE_TEST_SUITE_P(Given, IdleKeys, ::testing::ValuesIn(given_rows()), name_of);
INSTANTIATE_TEST_SUITE_P(Analytic, IdleKeys, ::testing::ValuesIn(analytic_rows()), name_of);
INSTANTIATE_TEST_SUITE_P(ImageWork, IdleKeys, ::testing::ValuesIn(image_work_rows()), name_of);

// No shipped experiment has a key that changes nothing.
TEST(IdleKey, ShippedExperimentsHaveNone) {
  for (const char* name :
       {"experiment-a", "experiment-b", "image-work", "owners", "pipelines", "reordering", "skeletons",
        "small", "zero-bubble", "llama3-405b", "deepseek-v3-h800", "ascend-910b-pp2"})
    for (const IdleKey& key :
         read_experiment(std::string(SPILLWAY_SOURCE_DIR) + "/workloads/experiments/" + name + ".json", {})
             .idle_keys)
      ADD_FAILURE() << name << ": " << key.pointer << ": " << key.reason;
}

}  // namespace
}  // namespace spillway
