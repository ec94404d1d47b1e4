#include "platform/inputs.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.h"
#include "small_platform.h"

namespace spillway {
namespace {

std::vector<std::string> tiers_of(std::uint32_t devices) {
  std::vector<std::string> names;
  for (const PlatformInput& input : platform_inputs(small_platform(), devices))
    if (input.name.starts_with("tier") && input.name.ends_with("latency")) names.push_back(input.name);
  return names;
}

const PlatformInput* find(const std::vector<PlatformInput>& inputs, const std::string& name) {
  const auto at = std::find_if(inputs.begin(), inputs.end(),
                               [&](const PlatformInput& input) { return input.name == name; });
  return at == inputs.end() ? nullptr : &*at;
}

TEST(PlatformInputs, AreThoseOfTheTiersThatDevicesMeetIn) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(tiers_of(1), Names{});
  EXPECT_EQ(tiers_of(2), Names{"tier pair: latency"});
  EXPECT_EQ(tiers_of(3), (Names{"tier pair: latency", "tier node: latency"}));
  EXPECT_EQ(tiers_of(8), tiers_of(3));
  EXPECT_EQ(tiers_of(64).size(), 3U);
  EXPECT_THROW(platform_inputs(small_platform(), 65), ContractBreach);
}

TEST(PlatformInputs, CarryValueUnitKindAndSource) {
  Platform platform = small_platform();
  platform.accelerator.peak = {FlopsPerSecond(989e12), Evidence::Vendor, "data sheet"};
  platform.price = {DollarsPerHour(2.5), Evidence::Assumed, "a guess"};
  const auto inputs = platform_inputs(platform, 8);
  const PlatformInput* peak = find(inputs, "accelerator: BF16 peak");
  ASSERT_NE(peak, nullptr);
  EXPECT_DOUBLE_EQ(peak->value, 989);
  EXPECT_EQ(peak->unit, "TFLOP/s");
  EXPECT_EQ(peak->evidence, Evidence::Vendor);
  EXPECT_EQ(peak->source, "data sheet");
  EXPECT_DOUBLE_EQ(find(inputs, "tier node: latency")->value, 2);
  EXPECT_EQ(find(inputs, "tier node: latency")->unit, "us");
  EXPECT_EQ(find(inputs, "tier node: latency of a step"), nullptr);
  platform.tiers[1].step_latency = {microseconds(0.5), Evidence::Vendor, "the library"};
  EXPECT_EQ(find(platform_inputs(platform, 8), "tier node: latency of a step")->source, "the library");
  platform.tiers[1].expert_kernels = {{8, gigabytes_per_second(40), gigabytes_per_second(30)}};
  const auto kernels = platform_inputs(platform, 8);
  EXPECT_DOUBLE_EQ(find(kernels, "tier node: dispatch of expert kernels among 8")->value, 40);
  EXPECT_DOUBLE_EQ(find(kernels, "tier node: combine of expert kernels among 8")->value, 30);
  EXPECT_EQ(find(kernels, "tier node: FP8 dispatch of expert kernels among 8"), nullptr);
  EXPECT_EQ(find(inputs, "tier node: what collectives sustain"), nullptr);
  platform.tiers[1].sustained = {0.75, Evidence::Fitted, "a run"};
  EXPECT_EQ(find(platform_inputs(platform, 8), "tier node: what collectives sustain")->value, 0.75);
  EXPECT_DOUBLE_EQ(find(inputs, "price per device")->value, 2.5);
  EXPECT_EQ(find(inputs, "accelerator: sustained")->source, "not stated");
}

TEST(PlatformInputs, NameTheTablesThatWereMeasured) {
  Platform platform = small_platform();
  EXPECT_EQ(find(platform_inputs(platform, 1), "accelerator: measured operators"), nullptr);
  platform.accelerator.operators.edit().gemms = {{1, 2, 3, Seconds(1)}, {2, 2, 3, Seconds(1)}};
  platform.accelerator.operators.edit().sources = {"one", "two"};
  platform.tiers[0].collectives = {
      {CollectiveOperation::AllToAll, 2, 2, {{{Bytes(1), Seconds(1)}}, Evidence::Measured, "a sweep"}}};
  const auto inputs = platform_inputs(platform, 2);
  EXPECT_EQ(find(inputs, "accelerator: measured operators")->value, 2);
  EXPECT_EQ(find(inputs, "accelerator: measured operators")->source, "one; two");
  EXPECT_EQ(find(inputs, "accelerator: measured operators")->evidence, Evidence::Measured);
  EXPECT_EQ(find(inputs, "tier pair: all-to-all among 2")->evidence, Evidence::Measured);
}

// Tables borrowed from another device must not count as measured on this one.
TEST(PlatformInputs, GiveTablesTheEvidenceOfTheWeakest) {
  Platform platform = small_platform();
  OperatorTables& tables = platform.accelerator.operators.edit();
  const auto evidence = [&] {
    return find(platform_inputs(platform, 1), "accelerator: measured operators")->evidence;
  };
  tables.gemms = {{1, 2, 3, Seconds(1)}};
  tables.attention_evidence = Evidence::Extrapolated;  // evidence of a table that is missing
  EXPECT_EQ(evidence(), Evidence::Measured);
  tables.attentions = {{true, false, 1, 2, 1, 1, 8, 8, Seconds(1)}};
  EXPECT_EQ(evidence(), Evidence::Extrapolated);
}

TEST(Evidence, IsNamedAsInPlatformFiles) {
  EXPECT_STREQ(to_string(Evidence::Measured), "measured");
  EXPECT_STREQ(to_string(Evidence::Extrapolated), "extrapolated");
  EXPECT_STREQ(to_string(Evidence::Assumed), "assumed");
}

}  // namespace
}  // namespace spillway
