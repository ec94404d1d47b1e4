// The variants in which Ascend 910B is sold, against the one that was profiled.
#include <gtest/gtest.h>

#include "input/platform/platform_reader.h"
#include "written.h"

namespace spillway {
namespace {

Accelerator device_of(const std::string& platform) {
  return read_platform(shipped("platforms/" + platform + ".json")).accelerator;
}

// The variants have 24 cores of 8192 FLOPs a cycle at 1.8 GHz, 20 at 1.8, and 20 at 1.5; the profiled one ran
// 20 at 1.65.
TEST(AscendParts, PeakAsTheirCoresDo) {
  const double core = 8192e-3;  // TFLOP/s at 1 GHz
  const auto peak = [](const std::string& platform) { return device_of(platform).peak.value.value() / 1e12; };
  EXPECT_NEAR(peak("atlas-800-a2-910b2"), 24 * 1.8 * core, 0.1);
  EXPECT_NEAR(peak("atlas-800-a2-910b3"), 20 * 1.8 * core, 0.1);
  EXPECT_NEAR(peak("atlas-800-a2-910b4"), 20 * 1.5 * core, 0.1);
  EXPECT_NEAR(peak("atlas-800-a2"), 20 * 1.65 * core, 0.1);
  EXPECT_GT(peak("atlas-800-a2-910b1"), peak("atlas-800-a2-910b2"));
}

// No measurements of products on these variants exist: each is assumed as efficient as the profiled device.
TEST(AscendParts, MultiplyAsEfficientlyAsTheProfiledOne) {
  const Accelerator profiled = device_of("atlas-800-a2");
  const OperatorTables& measured = profiled.operators;
  for (const char* part : {"910b1", "910b2", "910b3", "910b4"}) {
    const Accelerator sold = device_of("atlas-800-a2-" + std::string(part));
    const OperatorTables& tables = sold.operators;
    EXPECT_EQ(tables.gemm_evidence, Evidence::Extrapolated);
    ASSERT_EQ(tables.gemms.size(), measured.gemms.size());
    for (std::size_t i = 0; i < tables.gemms.size(); ++i)
      EXPECT_NEAR(tables.gemms[i].time / measured.gemms[i].time, profiled.peak.value / sold.peak.value, 1e-4)
          << part;
  }
}

}  // namespace
}  // namespace spillway
