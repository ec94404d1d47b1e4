// Every way in which a platform is none, one violation each.
#include <gtest/gtest.h>

#include <limits>

#include "small_platform.h"

namespace spillway {
namespace {

Violation only_violation(const Platform& platform) {
  const std::vector<Violation> violations = check_platform(platform);
  EXPECT_EQ(violations.size(), 1U);
  return violations.empty() ? Violation{} : violations.front();
}

TEST(CheckPlatform, FindsNothingInASoundOne) {
  EXPECT_TRUE(check_platform(small_platform()).empty());
}

TEST(CheckPlatform, AllowsALatencyOfZero) {
  Platform platform = small_platform();
  platform.tiers[0].latency.value = Seconds(0);
  EXPECT_TRUE(check_platform(platform).empty());
}

TEST(CheckPlatform, WantsTiersToAscend) {
  Platform platform = small_platform();
  platform.tiers[1].devices = 2;
  const Violation expected{"", "/tiers/1/devices", "more than 2", "2"};
  EXPECT_EQ(only_violation(platform), expected);
}

TEST(CheckPlatform, WantsTiersToDivide) {
  Platform platform = small_platform();
  platform.tiers[2].devices = 60;
  const Violation expected{"", "/tiers/2/devices", "a multiple of 8", "60"};
  EXPECT_EQ(only_violation(platform), expected);
}

TEST(CheckPlatform, WantsPortsThatExist) {
  Platform platform = small_platform();
  platform.tiers[0].port = 2;
  const Violation expected{"", "/tiers/0/port", "one of the 2 ports", "port 2"};
  EXPECT_EQ(only_violation(platform), expected);
}

TEST(CheckPlatform, WantsNoPairFasterThanItsPort) {
  Platform platform = small_platform();
  platform.tiers[1].bandwidth = gigabytes_per_second(60);
  const Violation expected{"", "/tiers/1/bandwidth_gbps/value", "at most its port's 50", "60"};
  EXPECT_EQ(only_violation(platform), expected);
}

TEST(CheckPlatform, WantsPositiveFiniteNumbers) {
  Platform platform = small_platform();
  platform.accelerator.peak.value = FlopsPerSecond(-5e12);
  const Violation negative{"", "/accelerator/bf16_tflops/value", "a positive finite number", "-5"};
  EXPECT_EQ(only_violation(platform), negative);

  platform = small_platform();
  platform.accelerator.memory.value = Bytes(std::numeric_limits<double>::quiet_NaN());
  EXPECT_EQ(only_violation(platform).pointer, "/accelerator/memory_gb/value");

  platform = small_platform();
  platform.tiers[0].latency.value = Seconds(std::numeric_limits<double>::infinity());
  EXPECT_EQ(only_violation(platform).pointer, "/tiers/0/latency_us/value");
}

TEST(CheckPlatform, WantsASourceForEveryNumber) {
  Platform platform = small_platform();
  platform.ports[1].bandwidth.source.clear();
  EXPECT_EQ(only_violation(platform).pointer, "/ports/1/bandwidth_gbps/source");
}

TEST(CheckPlatform, ListsEverythingAtOnce) {
  Platform platform = small_platform();
  platform.tiers.clear();
  platform.ports.clear();
  platform.accelerator.memory.value = Bytes(0);
  EXPECT_EQ(check_platform(platform).size(), 3U);
}

}  // namespace
}  // namespace spillway
