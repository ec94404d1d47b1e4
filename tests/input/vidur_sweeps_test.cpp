// The shipped platforms against the raw sweeps of microsoft/vidur at 7d475133 (comm/vidur below the folder
// that SPILLWAY_MEASURED_DATA names), at every second size: those that did not place the shipped points.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <string>

#include "cost/network/collectives.h"
#include "input/platform/platform_reader.h"
#include "raw_sweeps.h"

namespace spillway {
namespace {

using enum CollectiveOperation;

constexpr double kBar = 0.10;

struct Sweep {
  const char* platform;
  const char* folder;
  CollectiveOperation operation;
  std::uint32_t devices;
  std::uint32_t on_a_node;

  std::string file() const { return operation == AllReduce ? "all_reduce" : "send_recv"; }
  std::string name() const {
    return std::string(folder) + "_" + file() + "_" + std::to_string(devices) + "_" +
           std::to_string(on_a_node);
  }
  // There are that many on each node of eight.
  DeviceGroup group() const { return {DeviceId(0), on_a_node, 1, devices / on_a_node, 8}; }

  friend void PrintTo(const Sweep& sweep, std::ostream* out) { *out << sweep.name(); }
};

class VidurSweeps : public ::testing::TestWithParam<Sweep> {};

TEST_P(VidurSweeps, LieWithinTheBarAtSizesThatWereNotUsed) {
  const char* data = std::getenv("SPILLWAY_MEASURED_DATA");
  if (data == nullptr) GTEST_SKIP() << "SPILLWAY_MEASURED_DATA is not set";
  const testing::SweepPoints rows = testing::vidur_sweep(data, GetParam().folder, GetParam().file(),
                                                         GetParam().devices, GetParam().on_a_node);
  ASSERT_GT(rows.size(), 900u);
  const Platform platform =
      read_platform(SPILLWAY_SOURCE_DIR "/platforms/" + std::string(GetParam().platform) + ".json");
  const CollectiveTime time = collective_time(platform, GetParam().operation, GetParam().group());
  double error = 0, count = 0;
  bool used = true;
  for (const auto& [bytes, measured] : rows) {
    const CollectiveEstimate estimate = time(Bytes(bytes));
    EXPECT_EQ(estimate.algorithm, Algorithm::Measured);
    if (!used) error += std::abs(estimate.time / measured - 1), ++count;
    used = !used;
  }
  RecordProperty("mean_absolute_error", std::to_string(error / count));
  EXPECT_LT(error / count, kBar);
}

INSTANTIATE_TEST_SUITE_P(
    All, VidurSweeps,
    ::testing::Values(
        Sweep{"hgx-a100", "a100_dgx", AllReduce, 2, 1}, Sweep{"hgx-a100", "a100_dgx", AllReduce, 2, 2},
        Sweep{"hgx-a100", "a100_dgx", AllReduce, 4, 2}, Sweep{"hgx-a100", "a100_dgx", AllReduce, 4, 4},
        Sweep{"hgx-a100", "a100_dgx", AllReduce, 8, 4}, Sweep{"hgx-a100", "a100_dgx", AllReduce, 8, 8},
        Sweep{"hgx-a100", "a100_dgx", AllReduce, 16, 8}, Sweep{"hgx-a100", "a100_dgx", SendRecv, 2, 1},
        Sweep{"hgx-a100", "a100_dgx", SendRecv, 2, 2}, Sweep{"hgx-h100", "h100_dgx", AllReduce, 2, 2},
        Sweep{"hgx-h100", "h100_dgx", AllReduce, 4, 4}, Sweep{"hgx-h100", "h100_dgx", AllReduce, 8, 8},
        Sweep{"hgx-h100", "h100_dgx", SendRecv, 2, 1}, Sweep{"hgx-h100", "h100_dgx", SendRecv, 2, 2}),
    [](const auto& sweep) { return sweep.param.name(); });

}  // namespace
}  // namespace spillway
