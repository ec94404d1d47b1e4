#include <gtest/gtest.h>

#include <string>

#include "input/experiment/experiment.h"
#include "support/shipped.h"
#include "warn/warnings.h"

namespace spillway {
namespace {

using testing::kSource;

std::vector<std::string> codes_on(const std::string& platform, const std::vector<Setting>& more = {}) {
  std::vector<Setting> settings = {{"/platform", kSource + "/platforms/" + platform + ".json"}};
  settings.insert(settings.end(), more.begin(), more.end());
  std::vector<std::string> codes;
  for (const Warning& warning :
       platform_warnings(read_experiment(kSource + "/workloads/experiments/ascend-910b-pp2.json", settings)))
    codes.push_back(warning.code);
  return codes;
}

using Codes = std::vector<std::string>;

TEST(PlatformWarnings, APlatformThatDoesNotSayWhatALongRunKeepsSaysSo) {
  EXPECT_EQ(codes_on("hgx-h100"), Codes{});
  EXPECT_EQ(codes_on("b200"), Codes{});
  EXPECT_EQ(codes_on("cloudmatrix384"), Codes{"sustained-not-stated"});
  EXPECT_EQ(codes_on("hgx-a100"), Codes{});
}

// A data sheet has no tables and no efficiencies. An efficiency stated for the block counts as one.
TEST(PlatformWarnings, ADataSheetRunsAtItsPeak) {
  const Setting sheet{"/platform", R"({ "schema": "spillway/platform/1", "name": "sheet",
    "accelerator": { "name": "d", "bf16_tflops": { "value": 400, "kind": "vendor", "source": "s" },
      "memory_gb": { "value": 64, "kind": "vendor", "source": "s" },
      "memory_bandwidth_gbps": { "value": 1600, "kind": "vendor", "source": "s" } },
    "ports": [ { "name": "p", "bandwidth_gbps": { "value": 100, "kind": "vendor", "source": "s" } } ],
    "tiers": [ { "name": "node", "devices": 64, "port": "p", "latency_us": { "value": 5, "kind": "vendor", "source": "s" },
      "bandwidth_gbps": { "value": 100, "kind": "vendor", "source": "s" } } ] })"};
  EXPECT_EQ(codes_on("ideal", {sheet}), (Codes{"at-peak", "sustained-not-stated"}));
  EXPECT_EQ(codes_on("ideal", {sheet, {"/model/blocks/0/efficiency", R"({ "compute": 0.5 })"}}),
            Codes{"sustained-not-stated"});
}

// Images in an eager host took 2 to 10 times as long; a framework that states its host leaves nothing out.
TEST(PlatformWarnings, AnAssumedHostOfImagesIsSaid) {
  const auto warnings = [](const std::vector<Setting>& settings) {
    return platform_warnings(read_experiment(kSource + "/workloads/experiments/qwen2-vl-72b.json", settings));
  };
  const auto assumed = warnings({});
  ASSERT_EQ(assumed.size(), 1u);
  EXPECT_EQ(assumed[0].code, "host-not-stated");
  EXPECT_NE(assumed[0].text.find("no framework is stated, so an operator is assumed to take its host 10 us; "
                                 "images in an eager host: steps 2 to 10 times longer were measured"),
            std::string::npos)
      << assumed[0].text;
  EXPECT_EQ(assumed[0].headline, "images in an eager host: steps 2 to 10 times longer were measured");
  EXPECT_TRUE(warnings({{"/framework", R"("megatron-bridge-vl-eager")"}}).empty());
}

// torchtitan runs FlashAttention 2, which an H200 states as an H100 does, and a B200 does not state.
TEST(PlatformWarnings, AttentionThatStandsInIsAnAssumption) {
  const Setting torchtitan{"/framework", R"("torchtitan-compiled")"};
  EXPECT_EQ(codes_on("hgx-h200", {torchtitan}), Codes{});
  EXPECT_EQ(codes_on("b200", {torchtitan}), Codes{"attention-assumed"});
  const Experiment read = read_experiment(kSource + "/workloads/experiments/ascend-910b-pp2.json",
                                          {{"/platform", kSource + "/platforms/b200.json"}, torchtitan});
  EXPECT_EQ(
      platform_warnings(read).at(0).text,
      "framework torchtitan, compiled runs attention by flash-2, which platform HGX B200 does not state "
      "(it states no attention kernel); assumed instead: the platform's own attention, by its measured "
      "times");
}

TEST(PlatformWarnings, GivenDurationsHaveNone) {
  EXPECT_TRUE(platform_warnings(read_experiment(kSource + "/workloads/experiments/small.json", {})).empty());
}

}  // namespace
}  // namespace spillway
