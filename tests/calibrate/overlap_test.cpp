#include "traces/samples/overlap.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "base/error.h"
#include "calibrate/fit_overlap.h"
#include "traces/events/trace.h"

namespace spillway {
namespace {

constexpr std::uint16_t kComputing = 7, kCommunicating = 27;

// A run written by hand. Ranges come one after the other, and a kernel belongs to the range named last.
class Written {
 public:
  Written& in(const std::string& range) {
    const auto at = static_cast<double>(run_.ranges.size());
    run_.ranges.push_back({range, Seconds(at), Seconds(at + 1)});
    return *this;
  }
  Written& computes(double from, double to, std::uint32_t name = 0) {
    return add(from, to, name, kComputing);
  }
  Written& communicates(double from, double to) { return add(from, to, 9, kCommunicating); }

  operator const LaunchedKernels&() const { return run_; }

 private:
  Written& add(double from, double to, std::uint32_t name, std::uint16_t stream) {
    const auto range = run_.ranges.empty() ? kUnknown : static_cast<std::uint32_t>(run_.ranges.size() - 1);
    run_.kernels.push_back({Seconds(from),
                            Seconds(to),
                            Seconds(from),
                            name,
                            range,
                            {1, 1, 1},
                            stream,
                            stream == kCommunicating});
    return *this;
  }

  LaunchedKernels run_;
};

TEST(Overlap, OfALayerWhoseBackwardComputesWhileItsForwardCommunicates) {
  const OverlapReport report = overlap_of(Written()
                                              .in("attn(F)")
                                              .computes(0, 4)
                                              .in("dispatch(F)")
                                              .communicates(4, 9)
                                              .in("attn(B)")
                                              .computes(4, 8)
                                              .in("attn(W)")
                                              .computes(8, 10));
  ASSERT_EQ(report.layers.size(), 1u);
  const Overlap& layer = report.layers[0];
  EXPECT_EQ(layer.forward, Seconds(9));
  EXPECT_EQ(layer.backward, Seconds(6));
  EXPECT_EQ(layer.together, Seconds(10));
  EXPECT_EQ(layer.computing, Seconds(10));
  EXPECT_EQ(layer.communicating, Seconds(5));
  EXPECT_EQ(layer.span, Seconds(10));
  EXPECT_DOUBLE_EQ(layer.factor(), 10.0 / 15);
  EXPECT_DOUBLE_EQ(layer.hidden(), 1);
}

TEST(Overlap, PassesOneAfterTheOtherHideNothing) {
  const Overlap layer =
      overlap_of(Written().in("x(F)").computes(0, 1).communicates(1, 2).in("x(B)").computes(3, 5)).layers[0];
  EXPECT_DOUBLE_EQ(layer.factor(), 1);
  EXPECT_DOUBLE_EQ(layer.hidden(), 0);
  EXPECT_EQ(layer.span, Seconds(5));
}

TEST(Overlap, ANameThatComesAgainBeginsALayer) {
  const OverlapReport report = overlap_of(Written()
                                              .in("x(F)")
                                              .computes(0, 1)
                                              .in("x(B)")
                                              .computes(1, 3)
                                              .in("x(F)")
                                              .computes(2, 4)
                                              .in("x(B)")
                                              .computes(4, 7));
  ASSERT_EQ(report.layers.size(), 2u);
  EXPECT_EQ(report.layers[1].forward, Seconds(2));
  EXPECT_EQ(report.layers[1].together, Seconds(5));
  EXPECT_EQ(report.whole.together, Seconds(7));
}

TEST(Overlap, KernelsOfNeitherPassAreCounted) {
  const OverlapReport report = overlap_of(
      Written().computes(0, 9).in("step").computes(0, 9).in("x(F)").computes(0, 1).in("x(B)").computes(1, 2));
  EXPECT_EQ(report.whole.together, Seconds(2));
  ASSERT_EQ(report.notes.size(), 1u);
  EXPECT_EQ(report.notes[0].count, 2u);
}

TEST(Overlap, WithoutAForwardOrABackwardThereIsNone) {
  EXPECT_THROW(overlap_of(Written().computes(0, 1)), InputError);
  EXPECT_THROW(overlap_of(Written().in("x(F)").computes(0, 1)), InputError);
}

// Two layers run the same kernels, the second beside communication. There kernel 1 takes 25 % longer, and
// kernel 2, a tenth as long alone, takes 50 % longer.
Written two_layers() {
  Written run;
  run.in("x(F)").computes(0, 10, 1).computes(10, 11, 2).in("x(B)").computes(11, 12, 3);
  run.in("x(F)")
      .communicates(20, 40)
      .computes(20, 32.5, 1)
      .computes(32.5, 34, 2)
      .in("x(B)")
      .computes(45, 46, 3);
  return run;
}

TEST(Slowdown, IsOfTheSameKernelAloneAndBesideCommunication) {
  const OverlapReport report = overlap_of(two_layers());
  ASSERT_EQ(report.pairs.size(), 2u);
  EXPECT_EQ(report.pairs[0].alone, Seconds(10));
  EXPECT_EQ(report.pairs[0].beside, Seconds(12.5));
  EXPECT_EQ(report.pairs[1].beside, Seconds(1.5));
  const Fits fits = fit_overlap(report, "a trace");
  ASSERT_EQ(fits.numbers.size(), 1u);
  EXPECT_EQ(fits.numbers[0].pointer, "/accelerator/slowdown_under_communication");
  EXPECT_NEAR(fits.numbers[0].value, 14.0 / 11 - 1, 1e-12);
  EXPECT_EQ(fits.numbers[0].points, 2u);
}

TEST(Slowdown, IsLeftOpenWithoutPairsAndWhereNothingSlowsDown) {
  const Fits none =
      fit_overlap(overlap_of(Written().in("x(F)").computes(0, 1).in("x(B)").computes(1, 2)), "");
  ASSERT_EQ(none.undetermined.size(), 1u);
  EXPECT_TRUE(none.undetermined[0].why.starts_with("fewer than two kernels")) << none.undetermined[0].why;
  OverlapReport faster = overlap_of(two_layers());
  for (KernelPair& pair : faster.pairs) std::swap(pair.alone, pair.beside);
  EXPECT_EQ(fit_overlap(faster, "").undetermined[0].why,
            "kernels are not slower beside communication than alone");
}

// A DualPipe chunk of four layers on one of 64 H800: deepseek-ai/profile-data at 44960242, train.json.
class DualPipeChunk : public ::testing::Test {
 protected:
  void SetUp() override {
    const char* folder = std::getenv("SPILLWAY_MEASURED_DATA");
    if (folder == nullptr) GTEST_SKIP() << "SPILLWAY_MEASURED_DATA is not set";
    run = read_launched_kernels(std::string(folder) + "/overlap/deepseek_profile/train.json.gz");
    report = overlap_of(run);
  }

  LaunchedKernels run;
  OverlapReport report;
};

TEST_F(DualPipeChunk, EveryKernelBelongsToAPass) {
  EXPECT_EQ(run.device, "NVIDIA H800");
  EXPECT_EQ(run.kernels.size(), 983u);
  EXPECT_TRUE(report.notes.empty());
}

TEST_F(DualPipeChunk, OverlapOfEachLayer) {
  const std::vector<std::vector<double>> ms = {// forward, backward, together
                                               {21.945, 29.148, 32.060},
                                               {22.613, 30.603, 33.513},
                                               {26.211, 32.634, 34.854},
                                               {26.622, 34.945, 35.227}};
  const std::vector<double> factors = {0.6275, 0.6298, 0.5923, 0.5722}, hidden = {0.959, 0.913, 0.920, 0.858};
  ASSERT_EQ(report.layers.size(), 4u);
  for (std::size_t i = 0; i < 4; ++i) {
    const Overlap& layer = report.layers[i];
    EXPECT_NEAR(layer.forward.value(), 1e-3 * ms[i][0], 1e-6);
    EXPECT_NEAR(layer.backward.value(), 1e-3 * ms[i][1], 1e-6);
    EXPECT_NEAR(layer.together.value(), 1e-3 * ms[i][2], 1e-6);
    EXPECT_NEAR(layer.factor(), factors[i], 1e-3);
    EXPECT_NEAR(layer.hidden(), hidden[i], 1e-3);
  }
}

// The cost model prices a forward and a backward together as the longer of computing and communicating. With
// the measured times that is 96.8 % of the measured total.
TEST_F(DualPipeChunk, TheLongerOfComputingAndCommunicatingIsNearlyAllOfIt) {
  const Overlap& whole = report.whole;
  const double modelled = std::max(whole.computing, whole.communicating) / whole.together;
  EXPECT_NEAR(whole.forward.value(), 97.391e-3, 1e-6);
  EXPECT_NEAR(whole.backward.value(), 120.191e-3, 1e-6);
  EXPECT_NEAR(whole.together.value(), 128.515e-3, 1e-6);
  EXPECT_NEAR(whole.span.value(), 129.012e-3, 1e-6);
  EXPECT_NEAR(whole.computing.value(), 124.366e-3, 1e-6);
  EXPECT_NEAR(whole.communicating.value(), 113.030e-3, 1e-6);
  EXPECT_NEAR(whole.factor(), 0.5907, 1e-3);
  EXPECT_NEAR(whole.hidden(), 0.963, 1e-3);
  EXPECT_NEAR(modelled, 0.968, 0.001);
}

// Priced with the hidden share of the other three layers, a layer's error is 3.1 % on average. Priced with
// the layers' mean share, the whole chunk is 4.5 % too long: layers overlap each other, so more of the whole
// hides than of each layer. The chunk's own share, which framework deepseek-dualpipe states, gives its time.
// With all communication hidden the price is 3.2 % too short.
TEST_F(DualPipeChunk, HidesTheShareOfOtherLayers) {
  const auto priced = [](const Overlap& layer, double hidden) {
    return layer.computing + layer.communicating * (1 - hidden);
  };
  double all = 0;
  for (const Overlap& layer : report.layers) all += layer.hidden();
  double sum = 0;
  for (const Overlap& layer : report.layers) {
    const double error = priced(layer, (all - layer.hidden()) / 3) / layer.together - 1;
    sum += std::abs(error) / 4;
  }
  EXPECT_NEAR(sum, 0.031, 0.001);
  const double whole = priced(report.whole, all / 4) / report.whole.together - 1;
  EXPECT_NEAR(whole, 0.045, 0.001);
  EXPECT_NEAR(priced(report.whole, 0.963) / report.whole.together, 1, 0.001);
}

TEST_F(DualPipeChunk, ComputingIsSlowerBesideCommunication) {
  const Fits fits = fit_overlap(report, "");
  EXPECT_EQ(report.pairs.size(), 96u);
  ASSERT_EQ(fits.numbers.size(), 1u);
  EXPECT_NEAR(fits.numbers[0].value, 0.0997, 1e-3);
  EXPECT_NEAR(fits.numbers[0].low, 0.060, 1e-3);
  EXPECT_NEAR(fits.numbers[0].high, 0.139, 1e-3);
  // Short kernels, which move bytes, slow down far more than long products, but the sum is close.
  ASSERT_EQ(fits.held_back.size(), 2u);
  EXPECT_NEAR(fits.held_back[0].mean_absolute, 0.244, 1e-3);
  EXPECT_NEAR(fits.held_back[1].bias, -0.022, 1e-3);
}

}  // namespace
}  // namespace spillway
