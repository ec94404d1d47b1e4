// Where neither a log nor the platform says which devices share a node, it is asked for.
#include "calibrate/placement.h"

#include <gtest/gtest.h>

#include "input/platform/platform_reader.h"
#include "traces/measured_files.h"

namespace spillway {
namespace {

using testing::refusals;
using Asked = std::vector<std::string>;

Asked asked(const std::string& platform, std::uint32_t devices, std::uint32_t neighbours,
            DevicePlacement placement) {
  Measurements one;
  one.samples.files = {"log.txt"};
  one.samples.placement = placement;
  one.samples.messages = {
      {CollectiveOperation::AllReduce, devices, neighbours, "", Bytes(1e6), Seconds(1e-4)}};
  const Platform read = read_platform(SPILLWAY_SOURCE_DIR "/platforms/" + platform + ".json");
  return refusals([&] { require_placement(read, {one}); });
}

TEST(RequirePlacement, SixteenDevicesAreNotInANodeOfEight) {
  EXPECT_EQ(
      asked("hgx-h100", 16, 16, DevicePlacement::Assumed),
      (Asked{"/: expected the number of devices in a node of HGX H100, which holds 8 (--per-node), found 16 "
             "devices, and nothing says where"}));
  EXPECT_EQ(asked("hgx-h100", 8, 8, DevicePlacement::Assumed), Asked());
  EXPECT_EQ(asked("hgx-h100", 16, 16, DevicePlacement::Stated), Asked());
  EXPECT_EQ(asked("gb300-nvl72", 64, 64, DevicePlacement::Assumed), Asked());
}

// A rack of NVL72 holds 18 hosts of four, and a log lists hosts.
TEST(RequirePlacement, HostsAreNoRacks) {
  EXPECT_EQ(
      asked("gb300-nvl72", 64, 4, DevicePlacement::Hosts),
      (Asked{
          "/: expected the number of devices in a rack of GB300 NVL72, which holds 72 (--per-node): it may "
          "hold several hosts, found 64 devices on hosts, 4 each"}));
  EXPECT_EQ(asked("gb300-nvl72", 64, 4, DevicePlacement::Stated), Asked());
  EXPECT_EQ(asked("gb300-nvl72", 4, 4, DevicePlacement::Hosts), Asked());
  EXPECT_EQ(asked("hgx-h100", 16, 8, DevicePlacement::Hosts), Asked());
  EXPECT_EQ(asked("gh200", 8, 1, DevicePlacement::Hosts), Asked());
}

}  // namespace
}  // namespace spillway
