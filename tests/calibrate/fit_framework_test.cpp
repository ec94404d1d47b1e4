// A framework fitted to a run: once by hand, once as the shipped framework from its own run.
#include "calibrate/fit_framework.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "calibrate/fitted_document.h"
#include "input/architecture/architecture_reader.h"
#include "input/platform/framework_reader.h"
#include "input/platform/platform_reader.h"
#include "support/measured_data.h"
#include "traces/formats/read_trace.h"

namespace spillway {
namespace {

using Values = std::map<std::string, double>;

const std::string kShippedFolder = SPILLWAY_SOURCE_DIR "/";

Values values_of(const FrameworkFit& fit) {
  Values values;
  for (const FrameworkFigure& figure : fit.figures) values[figure.pointer] = figure.value;
  return values;
}

// A device with 100 GB/s of effective memory bandwidth and a latency of 1 us.
Accelerator plain_device() {
  Accelerator device = read_platform(kShippedFolder + "platforms/ideal.json").accelerator;
  device.memory_bandwidth.value = BytesPerSecond(200e9);
  device.efficiency.memory.value = 0.5;
  device.memory_latency.value = microseconds(1);
  return device;
}

// Two layers of 3 operators move 10 kB a token forward and 20 kB backward, in 20 and 40 us for 100 tokens.
// Between their attentions is one whole layer. Two of its operators are norms, which move 4 and 6 kB in 4 and
// 6 us.
TEST(FitFramework, IsArithmetic) {
  const LayerTraffic layer = {{"norm", 2, Bytes(4e3), Bytes(6e3)}, {"gate", 1, Bytes(6e3), Bytes(14e3)}};
  PassSums forward{
      .rank = 0, .kind = TraceKind::Forward, .products = {8, {}}, .attention = {2, {}}, .tokens = 100};
  forward.rest = {12, microseconds(20 * 3 + 12)};
  forward.layers = {.layers = 1, .norm = {4, microseconds(4 * 2 + 4)}};
  PassSums backward{
      .rank = 0, .kind = TraceKind::Backward, .products = {16, {}}, .attention = {2, {}}, .tokens = 100};
  backward.rest = {18, microseconds(40 * 5 + 18)};
  backward.layers = {.layers = 1, .norm = {6, microseconds(6 * 4 + 6)}};
  backward.sums = {{1e3, microseconds(0.2)}, {2e3, microseconds(0.3)}};
  PassSums last_forward = forward, last_backward = backward;
  last_forward.rank = last_backward.rank = 1;
  last_forward.rest.kernels += 3;
  last_forward.loss = {4, microseconds(4 * 10)};
  last_backward.loss = {5, microseconds(8 * 20)};
  const std::vector<PassSums> passes = {forward, backward, last_forward, last_backward};
  const FrameworkFit fit = fit_framework(passes, layer, 10000, plain_device(), "a run");
  Values values = values_of(fit);
  EXPECT_NEAR(values["/operators/memory/forward_kernels"], 2, 1e-9);
  EXPECT_NEAR(values["/operators/memory/traffic"], 3, 1e-9);
  EXPECT_NEAR(values["/operators/memory/input_gradient_kernels"], 3, 1e-9);
  EXPECT_NEAR(values["/operators/memory/gradient_traffic"], 5, 1e-9);
  EXPECT_NEAR(values["/operators/norm/forward_kernels"], 2, 1e-9);
  EXPECT_NEAR(values["/operators/norm/traffic"], 2, 1e-9);
  EXPECT_NEAR(values["/operators/norm/input_gradient_kernels"], 3, 1e-9);
  EXPECT_NEAR(values["/operators/norm/gradient_traffic"], 4, 1e-9);
  EXPECT_FALSE(values.contains("/operators/gate/traffic"));  // not separable from other kernels
  EXPECT_NEAR(values["/operators/gemm/weight_gradient_kernels"], 1.25, 1e-9);
  EXPECT_NEAR(values["/operators/gemm/gradient_sum_bytes"], 15, 1e-9);  // of the larger one
  EXPECT_NEAR(values["/operators/loss/forward_kernels"], 7, 1e-9);
  EXPECT_NEAR(values["/operators/loss/traffic"], 1, 1e-9);  // 4 bytes of a million logits
  EXPECT_NEAR(values["/operators/loss/gradient_traffic"], 2, 1e-9);
  ASSERT_EQ(fit.undetermined.size(), 1U);
  EXPECT_EQ(fit.undetermined[0].pointer, "/operators/embedding");
}

TEST(FitFramework, SaysWhatARunDoesNotSay) {
  const FrameworkFit fit = fit_framework({}, {{"norm", 3, Bytes(1), Bytes(1)}}, 10, plain_device(), "a run");
  EXPECT_TRUE(fit.figures.empty());
  ASSERT_EQ(fit.undetermined.size(), 1U);
}

// The command reproduces mindspeed.json from the run, except for launches and messages, which the profiler
// slows down.
TEST(FitFramework, MakesTheShippedOne) {
  const auto folder = testing::measured_data("ascend_910b_pp2");
  if (!folder) GTEST_SKIP() << "SPILLWAY_MEASURED_DATA is not set";
  const LayerStack stack = layer_stack(
      read_architecture(kShippedFolder + "workloads/models/qwen3-0.6b/config.json", Role::Backbone, {}));
  const Trace trace = read_trace(*folder);
  const double vocabulary = vocabulary_of(stack);
  EXPECT_EQ(vocabulary, 151936);
  FrameworkFit fit =
      fit_framework(pass_sums(*folder, trace, vocabulary), layer_traffic(stack), vocabulary,
                    read_platform(kShippedFolder + "platforms/atlas-800-a2.json").accelerator, "run");
  EXPECT_EQ(fit.figures.size(), 32U);
  const std::string shipped_file = kShippedFolder + "platforms/frameworks/mindspeed.json";
  const auto learned = nlohmann::json::parse(learned_document(shipped_file, fit));
  const auto shipped_one = nlohmann::json::parse(learned_document(shipped_file, {}));
  for (const FrameworkFigure& figure : fit.figures) {
    const nlohmann::json::json_pointer pointer(figure.pointer);
    EXPECT_EQ(learned.at(pointer).at("value"), shipped_one.at(pointer).at("value")) << figure.pointer;
    EXPECT_EQ(learned.at(pointer).value("interval", nlohmann::json()),
              shipped_one.at(pointer).value("interval", nlohmann::json()))
        << figure.pointer;
  }
  fit_launches(trace, "run", fit);
  Values values = values_of(fit);
  EXPECT_NEAR(values["/launch_us"], 173, 1);
  EXPECT_NEAR(values["/message_us"], 1560, 10);
  // Without the profiler, a message is shorter in the same ratio as a launch.
  const auto of_shipped = [&](const char* key) { return shipped_one.at(key).at("value").get<double>(); };
  EXPECT_NEAR(of_shipped("message_us") / of_shipped("launch_us"),
              values["/message_us"] / values["/launch_us"], 0.05);
}

}  // namespace
}  // namespace spillway
