// A platform change is reported if measurements override the changed key.
#include <gtest/gtest.h>

#include "input/experiment/experiment.h"
#include "written.h"

namespace spillway {
namespace {

// Returns the places of the warnings when the experiment changes one number of the platform to another.
Lines overridden(const std::string& platform, const std::string& pointer, const std::string& value = "0.5") {
  const Experiment experiment =
      read_experiment(shipped("workloads/experiments/llama3-405b.json"),
                      {{"/pipeline/replicas", "1"},
                       {"/platform", shipped("platforms/" + platform + ".json")},
                       {"/platform_set", "{\"" + pointer + "/value\": " + value + "}"}});
  Lines codes;
  for (const Warning& warning : experiment.warnings)
    if (warning.text.starts_with("/platform_set/")) codes.push_back(warning.code);
  return codes;
}

TEST(OverriddenKeys, MeasuredSweepsStandForLatencyAndBandwidth) {
  for (const char* key : {"latency_us", "bandwidth_gbps"}) {
    EXPECT_EQ(overridden("hgx-h100", std::string("/tiers/0/") + key, "50"), Lines{"measured-instead"});
    EXPECT_EQ(overridden("hgx-h800", std::string("/tiers/0/") + key, "50"), Lines{});
  }
}

TEST(OverriddenKeys, MeasuredOperatorsStandForEfficiencies) {
  EXPECT_EQ(overridden("hgx-h100", "/accelerator/efficiency/gemm"), Lines{"measured-instead"});
  EXPECT_EQ(overridden("hgx-h100", "/accelerator/efficiency/grouped_gemm"), Lines{});
  EXPECT_EQ(overridden("hgx-h100", "/accelerator/memory_latency_us"), Lines{});
}

}  // namespace
}  // namespace spillway
