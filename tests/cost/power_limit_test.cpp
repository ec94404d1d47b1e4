// A device under a power limit: compute follows the reduced clock, memory does not.
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "cost/operators/operator_times.h"
#include "small_accelerator.h"

namespace spillway {
namespace {

Accelerator limited(double share) {
  Accelerator accelerator = small_accelerator();
  accelerator.power_limit = {share, Evidence::Vendor, "a test"};
  return accelerator;
}

TEST(PowerLimit, SlowsComputingByTheCubeRootWhichIsAssumed) {
  const OperatorTimes whole(small_accelerator()), half(limited(0.5));
  const GemmShape gemm{4096, 4096, 4096};
  EXPECT_NEAR(half.gemm(gemm).time / whole.gemm(gemm).time, 1 / std::cbrt(0.5), 1e-12);
  EXPECT_EQ(half.gemm(gemm).evidence, Evidence::Assumed);
  const GroupedGemmShape grouped{8, 4096, 4096, 4096};
  EXPECT_NEAR(half.grouped_gemm(grouped).time / whole.grouped_gemm(grouped).time, 1 / std::cbrt(0.5), 1e-12);
  const std::array<Sequences, 1> sequence = {{{1, 8192}}};
  const AttentionShape shape{8, 8, 64, 64, true};
  EXPECT_NEAR(half.attention(shape, sequence, true).time / whole.attention(shape, sequence, true).time,
              1 / std::cbrt(0.5), 1e-12);
  EXPECT_EQ(half.memory(Bytes(1e6)).time, whole.memory(Bytes(1e6)).time);
  EXPECT_EQ(half.memory(Bytes(1e6)).evidence, whole.memory(Bytes(1e6)).evidence);
}

TEST(PowerLimit, LeavesTheClockThatWasMeasured) {
  Accelerator accelerator = limited(0.5);
  accelerator.clock_under_limit = {0.9, Evidence::Measured, "a test"};
  const OperatorTimes whole(small_accelerator()), half(accelerator);
  const GemmShape gemm{4096, 4096, 4096};
  EXPECT_NEAR(half.gemm(gemm).time / whole.gemm(gemm).time, 1 / 0.9, 1e-12);
  EXPECT_EQ(half.gemm(gemm).evidence, whole.gemm(gemm).evidence);
}

}  // namespace
}  // namespace spillway
