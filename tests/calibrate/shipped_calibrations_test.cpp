// The shipped calibrated platforms equal those that platforms/calibrate.sh makes from the raw measurements
// (below the folder that SPILLWAY_MEASURED_DATA names).
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "calibrate/fit_measurements.h"
#include "calibrate/fitted_document.h"
#include "input/platform/platform_reader.h"

namespace spillway {
namespace {

std::string shipped(const std::string& platform) {
  return SPILLWAY_SOURCE_DIR "/platforms/" + platform + ".json";
}

std::string content_of(const std::string& path) {
  std::ostringstream content;
  content << std::ifstream(path, std::ios::binary).rdbuf();
  return content.str();
}

struct Calibration {
  const char* base;
  const char* made;
  const char* origin;
  std::vector<const char*> files;

  friend std::ostream& operator<<(std::ostream& out, const Calibration& calibration) {
    return out << calibration.made;
  }
};

class ShippedCalibrations : public ::testing::TestWithParam<Calibration> {};

TEST_P(ShippedCalibrations, AreMadeOfTheRawMeasurements) {
  const char* data = std::getenv("SPILLWAY_MEASURED_DATA");
  if (data == nullptr) GTEST_SKIP() << "SPILLWAY_MEASURED_DATA is not set";
  const auto& [base, made, origin, files] = GetParam();
  std::vector<Measurements> measurements;
  for (const char* file : files)
    measurements.push_back(read_measurements(std::string(data) + "/" + file, origin));
  const Fits fits = fit_measurements(read_platform(shipped(base)), measurements);
  EXPECT_EQ(calibrated_document(shipped(base), fits, shipped(made)), content_of(shipped(made)));
}

constexpr const char* kVidur = "microsoft/vidur @7d475133, data/profiling/network";

INSTANTIATE_TEST_SUITE_P(
    Platforms, ShippedCalibrations,
    ::testing::Values(
        Calibration{"hgx-h100",
                    "h100-vidur",
                    kVidur,
                    {"comm/vidur/h100_dgx/all_reduce.csv", "comm/vidur/h100_dgx/send_recv.csv"}},
        Calibration{"hgx-a100",
                    "a100-vidur",
                    kVidur,
                    {"comm/vidur/a100_dgx/all_reduce.csv", "comm/vidur/a100_dgx/send_recv.csv"}},
        Calibration{"hgx-h100",
                    "h100-nccl-2.29",
                    "ai-dynamo/aiconfigurator @095f58a5",
                    {"comm/aiconfigurator/h100_sxm__comm__nccl__2.29.2__nccl_perf.csv"}},
        Calibration{"atlas-800-a2",
                    "ascend-910b-msinsight",
                    "Ascend/msinsight @4e16fca1, test data",
                    {"ascend_910b_pp2"}}),
    [](const auto& one) {
      std::string name = one.param.made;
      for (char& c : name)
        if (c == '-' || c == '.') c = '_';
      return name;
    });

}  // namespace
}  // namespace spillway
