// Every way in which a platform is invalid, one violation each.
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
  const Violation expected{"", "/tiers/1/devices", "more than the 2 of \"pair\" inside it", "2"};
  EXPECT_EQ(only_violation(platform), expected);
}

TEST(CheckPlatform, WantsTiersToDivide) {
  Platform platform = small_platform();
  platform.tiers[2].devices = 60;
  const Violation expected{"", "/tiers/2/devices", "a multiple of the 8 of \"node\" inside it", "60"};
  EXPECT_EQ(only_violation(platform), expected);
}

TEST(CheckPlatform, WantsPortsThatExist) {
  Platform platform = small_platform();
  platform.tiers[1].port = 2;
  const Violation expected{"", "/tiers/1/port", "one of the 2 ports", "port 2"};
  EXPECT_EQ(only_violation(platform), expected);
}

TEST(CheckPlatform, WantsNoPairFasterThanItsPort) {
  Platform platform = small_platform();
  platform.tiers[1].bandwidth = gigabytes_per_second(60);
  const Violation expected{"", "/tiers/1/bandwidth_gbps/value", "at most its port's 50", "60"};
  EXPECT_EQ(only_violation(platform), expected);
}

TEST(CheckPlatform, WantsNoStepLongerThanAMessage) {
  Platform platform = small_platform();
  platform.tiers[1].step_latency = chosen(microseconds(2));
  EXPECT_TRUE(check_platform(platform).empty());
  platform.tiers[1].step_latency = chosen(microseconds(2.5));
  const Violation longer{"", "/tiers/1/step_latency_us/value", "at most a message's 2", "2.5"};
  EXPECT_EQ(only_violation(platform), longer);
  platform.tiers[1].step_latency = chosen(microseconds(-1));
  EXPECT_EQ(only_violation(platform).pointer, "/tiers/1/step_latency_us/value");
}

TEST(CheckPlatform, WantsCollectivesThatSustainAShare) {
  Platform platform = small_platform();
  platform.tiers[1].sustained = chosen(0.5);
  EXPECT_TRUE(check_platform(platform).empty());
  platform.tiers[1].sustained = chosen(1.5);
  const Violation more{"", "/tiers/1/sustained/value", "a number above 0 and at most 1", "1.5"};
  EXPECT_EQ(only_violation(platform), more);
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

TEST(CheckPlatform, NamesATierInsideItself) {
  Platform platform = small_platform();
  platform.tiers.push_back(platform.tiers[1]);
  const std::vector<Violation> expected = {
      {"", "/tiers/3/name", "a name used once: no tier lies inside itself",
       "\"node\" in \"cluster\" in \"node\""},
      {"", "/tiers/3/devices", "more than the 64 of \"cluster\" inside it", "8"}};
  EXPECT_EQ(check_platform(platform), expected);
}

TEST(CheckPlatform, WantsPortsThatSomeTierGoesThrough) {
  Platform platform = small_platform();
  platform.ports.push_back({"spare", gigabytes_per_second(1)});
  const Violation expected{"", "/ports/2", "a port that a tier names", "\"spare\", which no tier names"};
  EXPECT_EQ(only_violation(platform), expected);
}

TEST(CheckPlatform, WantsPortNamesOnce) {
  Platform platform = small_platform();
  platform.ports[1].name = "bridge";
  const Violation expected{"", "/ports/1/name", "a name used once", "\"bridge\""};
  EXPECT_EQ(only_violation(platform), expected);
}

TEST(CheckPlatform, WantsEfficienciesUpToOne) {
  Platform platform = small_platform();
  platform.accelerator.efficiency.gemm = chosen(1.0);
  platform.accelerator.efficiency.memory = chosen(1.5);
  const Violation expected{"", "/accelerator/efficiency/memory/value", "a number above 0 and at most 1",
                           "1.5"};
  EXPECT_EQ(only_violation(platform), expected);
  platform.accelerator.efficiency.memory = chosen(0.0);
  EXPECT_EQ(only_violation(platform).pointer, "/accelerator/efficiency/memory/value");
}

TEST(CheckPlatform, WantsNoNegativeOverheadOrSlowdown) {
  Platform platform = small_platform();
  platform.accelerator.host_overhead = chosen(microseconds(-5));
  platform.accelerator.slowdown_under_communication = chosen(-0.25);
  const std::vector<Violation> expected = {
      {"", "/accelerator/host_overhead_us/value", "a finite number of at least 0", "-5"},
      {"", "/accelerator/slowdown_under_communication/value", "a finite number of at least 0", "-0.25"}};
  EXPECT_EQ(check_platform(platform), expected);
}

TEST(CheckPlatform, WantsAPriceAboveZero) {
  Platform platform = small_platform();
  platform.price = chosen(DollarsPerHour(0));
  EXPECT_EQ(only_violation(platform).pointer, "/price_per_device_hour_usd/value");
}

// Adds all-reduces among 16 devices of the cluster, two in each node.
Platform with_sweep() {
  Platform platform = small_platform();
  platform.tiers[2].collectives = {{CollectiveOperation::AllReduce, 16, 2,
                                    chosen(std::vector<std::pair<Bytes, Seconds>>{
                                        {Bytes(1024), microseconds(10)}, {Bytes(2048), microseconds(12)}})}};
  return platform;
}

TEST(CheckPlatform, AllowsSweepsOfGroupsInsideTheTier) {
  EXPECT_TRUE(check_platform(with_sweep()).empty());
}

TEST(CheckPlatform, WantsSweepsOfGroupsThatAreThere) {
  Platform platform = with_sweep();
  platform.tiers[2].collectives[0].devices = 128;
  const Violation too_many{"", "/tiers/2/collectives/0/devices", "from 2 to the tier's 64", "128"};
  EXPECT_EQ(only_violation(platform), too_many);

  platform = with_sweep();
  platform.tiers[2].collectives[0].neighbours = 16;
  const Violation too_close{"", "/tiers/2/collectives/0/neighbours",
                            "from 1 to the 8 of a group of the tier before", "16"};
  EXPECT_EQ(only_violation(platform), too_close);

  platform = with_sweep();
  platform.tiers[2].collectives[0].neighbours = 3;
  const Violation uneven{"", "/tiers/2/collectives/0/neighbours", "a proper divisor of its 16 devices", "3"};
  EXPECT_EQ(only_violation(platform), uneven);
}

Platform with_kernels(std::uint32_t devices, double dispatch, double combine) {
  Platform platform = small_platform();
  platform.tiers[1].expert_kernels = {
      {4, gigabytes_per_second(10), gigabytes_per_second(10)},
      {devices, gigabytes_per_second(dispatch), gigabytes_per_second(combine)}};
  return platform;
}

TEST(CheckPlatform, WantsExpertKernelsThatThePortCarriesAscending) {
  // A device's own eighth does not pass its port of 50 GB/s.
  EXPECT_TRUE(check_platform(with_kernels(8, 57, 50)).empty());
  EXPECT_EQ(only_violation(with_kernels(8, 58, 50)),
            (Violation{"", "/tiers/1/expert_kernels/1/dispatch_gbps/value",
                       "at most the 57.1429 that the port carries", "58"}));
  EXPECT_EQ(only_violation(with_kernels(8, 50, 58)).pointer, "/tiers/1/expert_kernels/1/combine_gbps/value");
  Platform fp8 = with_kernels(8, 50, 50);
  fp8.tiers[1].expert_kernels[1].fp8_dispatch = gigabytes_per_second(58);
  EXPECT_EQ(only_violation(fp8).pointer, "/tiers/1/expert_kernels/1/fp8_dispatch_gbps/value");
  fp8.tiers[1].expert_kernels[1].fp8_dispatch = gigabytes_per_second(0);
  EXPECT_EQ(only_violation(fp8).pointer, "/tiers/1/expert_kernels/1/fp8_dispatch_gbps/value");
  for (const std::uint32_t devices : {1U, 4U, 16U})
    EXPECT_EQ(only_violation(with_kernels(devices, 50, 50)),
              (Violation{"", "/tiers/1/expert_kernels/1/devices", "more than 4 and at most the tier's 8",
                         std::to_string(devices)}));
}

TEST(CheckPlatform, WantsPointsThatAscend) {
  Platform platform = with_sweep();
  platform.tiers[2].collectives[0].points.value[1].first = Bytes(1024);
  const Violation equal{"", "/tiers/2/collectives/0/points/1/0", "more bytes than the point before", "1024"};
  EXPECT_EQ(only_violation(platform), equal);

  platform = with_sweep();
  platform.tiers[2].collectives[0].points.value[0].second = Seconds(0);
  EXPECT_EQ(only_violation(platform).pointer, "/tiers/2/collectives/0/points/0/1");
  platform.tiers[2].collectives[0].points.value.clear();
  EXPECT_EQ(only_violation(platform).pointer, "/tiers/2/collectives/0/points");
}

TEST(CheckPlatform, WantsOneSweepForAGroup) {
  Platform platform = with_sweep();
  platform.tiers[2].collectives.push_back(platform.tiers[2].collectives[0]);
  EXPECT_EQ(only_violation(platform).pointer, "/tiers/2/collectives/1");
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
