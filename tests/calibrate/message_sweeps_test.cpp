// Checks platforms calibrated to the raw sweeps of microsoft/vidur @7d475133 and ai-dynamo/aiconfigurator
// @095f58a5 (comm below the folder that SPILLWAY_MEASURED_DATA names) on held-back sizes, and one sweep
// against the other.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>

#include "calibrate/alpha_beta.h"
#include "calibrate/fit_messages.h"
#include "calibrate/fitted_document.h"
#include "calibrate/message_errors.h"
#include "input/platform/platform_reader.h"
#include "traces/samples/read_samples.h"

namespace spillway {
namespace {

constexpr double kBar = 0.10;
const std::string kAiconfigurator = "aiconfigurator/h100_sxm__comm__nccl__2.29.2__nccl_perf.csv";

class MessageSweeps : public ::testing::Test {
 protected:
  void SetUp() override {
    const char* data = std::getenv("SPILLWAY_MEASURED_DATA");
    if (data == nullptr) GTEST_SKIP() << "SPILLWAY_MEASURED_DATA is not set";
    data_ = std::string(data) + "/comm/";
  }

  std::vector<Samples> read(const std::vector<std::string>& files) const {
    std::vector<Samples> all;
    for (const std::string& file : files) all.push_back(read_samples(data_ + file));
    return all;
  }

  static std::string shipped(const std::string& platform) {
    return SPILLWAY_SOURCE_DIR "/platforms/" + platform + ".json";
  }

  static Platform calibrated(const std::string& platform, const std::vector<Samples>& samples) {
    const std::string base = shipped(platform);
    return read_platform_text(calibrated_document(base, fit_messages(read_platform(base), samples), base),
                              base);
  }

  std::string data_;
};

bool is_curve(const HeldBackError& error) {
  return error.what.find("one latency") == std::string::npos;
}

TEST_F(MessageSweeps, EveryCurveOfVidurIsWithinTheBarOnSizesHeldBack) {
  for (const auto& [platform, folder, curves] :
       {std::tuple{"hgx-a100", "a100_dgx", 9}, std::tuple{"hgx-h100", "h100_dgx", 5}}) {
    const std::string in = "vidur/" + std::string(folder);
    const Fits fits =
        fit_messages(read_platform(shipped(platform)), read({in + "/all_reduce.csv", in + "/send_recv.csv"}));
    EXPECT_EQ(fits.sweeps.size(), static_cast<std::size_t>(curves));
    for (const HeldBackError& error : fits.held_back) {
      if (is_curve(error)) {
        EXPECT_LT(error.mean_absolute, kBar) << platform << ' ' << error.what;
      }
    }
  }
}

// One of twelve curves, each of eleven sizes, is beyond the bar, at 17.7 %. It is the all-to-all among eight:
// its times at 2, 16 and 32 kB are twice their neighbours', which a curve through every second size misses.
TEST_F(MessageSweeps, AiconfiguratorIsWithinTheBarOnSizesHeldBack) {
  const Fits fits = fit_messages(read_platform(shipped("hgx-h100")), read({kAiconfigurator}));
  double sum = 0, curves = 0, beyond = 0;
  for (const HeldBackError& error : fits.held_back) {
    if (!is_curve(error)) continue;
    sum += error.mean_absolute, ++curves, beyond += error.mean_absolute > kBar;
  }
  EXPECT_EQ(curves, 12);
  EXPECT_LT(sum / curves, 0.07);
  EXPECT_LE(beyond, 1);
}

TEST_F(MessageSweeps, TwoDevicesOfADgxH100) {
  const Fits fits = fit_messages(read_platform(shipped("hgx-h100")), read({"vidur/h100_dgx/send_recv.csv"}));
  ASSERT_GE(fits.numbers.size(), 4u);
  EXPECT_EQ(fits.numbers[0].pointer, "/tiers/0/latency_us");
  EXPECT_NEAR(fits.numbers[0].value, 7.54, 0.2);
  EXPECT_NEAR(fits.numbers[1].value, 356.9, 3);
  EXPECT_LT(fits.numbers[1].low, 357);
  EXPECT_GT(fits.numbers[1].high, 355);
}

SizedTimes among_eight(const Samples& samples) {
  SizedTimes points;
  for (const MessageSample& one : samples.messages)
    if (one.operation == CollectiveOperation::AllReduce && one.devices == 8 && one.neighbours == 8)
      points.emplace_back(one.size, one.time);
  std::sort(points.begin(), points.end());
  return points;
}

// The measured times explain the errors of the prediction below. From 2 to 64 MiB the sweeps agree within 7 %
// at similar sizes. At 256 KiB to 1 MiB vidur's times are 1.3 to 2 times as long. Below that, vidur's medians
// of three runs, in whole microseconds, jump between 1 and 2.4 times aiconfigurator's times.
TEST_F(MessageSweeps, TheTwoH100SweepsAgreeFromTwoMebibytesOn) {
  const SizedTimes vidur = among_eight(read({"vidur/h100_dgx/all_reduce.csv"}).front());
  double largest = 0, middle = 0, least_small = 9, most_small = 0;
  for (const auto& [bytes, time] : among_eight(read({kAiconfigurator}).front())) {
    if (bytes < Bytes(2048) || bytes > Bytes(67108864)) continue;
    const auto nearest = *std::min_element(vidur.begin(), vidur.end(), [&](const auto& a, const auto& b) {
      return std::abs(a.first.value() - bytes.value()) < std::abs(b.first.value() - bytes.value());
    });
    const double ratio = nearest.second / time;
    if (bytes >= Bytes(2097152)) {
      largest = std::max(largest, std::abs(ratio - 1));
    } else if (bytes >= Bytes(262144)) {
      middle = std::max(middle, ratio);
    } else {
      least_small = std::min(least_small, ratio);
      most_small = std::max(most_small, ratio);
    }
  }
  EXPECT_LT(largest, 0.07);
  EXPECT_NEAR(middle, 2.04, 0.01);
  EXPECT_NEAR(least_small, 1.00, 0.01);
  EXPECT_NEAR(most_small, 2.36, 0.01);
}

// The two sweeps differ in machine and NCCL version. The prediction is 1.6 times as long where latency
// counts. Beyond vidur's own 67 MB the curve extrapolates the slope of sizes between powers of two, which are
// slower.
TEST_F(MessageSweeps, VidursH100PredictsAiconfigurators) {
  const Platform fitted =
      calibrated("hgx-h100", read({"vidur/h100_dgx/all_reduce.csv", "vidur/h100_dgx/send_recv.csv"}));
  const std::map<std::string, double> published = {{"all-reduce, 8 devices of node (fitted)", 0.357},
                                                   {"all-reduce, 8 devices of node, below 64 kB", 0.569},
                                                   {"all-reduce, 8 devices of node, 64 kB to 1 MB", 0.627},
                                                   {"all-reduce, 8 devices of node, from 1 MB", 0.101}};
  std::size_t found = 0;
  for (const HeldBackError& error : message_errors(fitted, read({kAiconfigurator}).front())) {
    const auto value = published.find(error.what);
    if (value == published.end()) continue;
    ++found;
    RecordProperty(error.what, std::to_string(error.mean_absolute));
    EXPECT_NEAR(error.mean_absolute, value->second, 0.01) << error.what;
  }
  EXPECT_EQ(found, published.size());
}

TEST_F(MessageSweeps, TwoNodesOfA3Mega) {
  const Fits fits =
      fit_messages(read_platform(shipped("hgx-h100")), read({"nccl_tests/h100x16_allreduce_a3mega.csv"}));
  ASSERT_EQ(fits.sweeps.size(), 1u);
  EXPECT_EQ(fits.sweeps[0].tier, 1u);
  EXPECT_EQ(fits.sweeps[0].sweep.devices, 16u);
  EXPECT_EQ(fits.sweeps[0].sweep.neighbours, 8u);
  EXPECT_LT(fits.held_back.at(0).mean_absolute, kBar);
  EXPECT_EQ(fits.undetermined.size(), 4u);
}

}  // namespace
}  // namespace spillway
