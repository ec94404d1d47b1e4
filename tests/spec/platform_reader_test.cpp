// Platforms: a small one key by key, the shipped ones, and bad ones.
#include "spec/platform_reader.h"

#include <gtest/gtest.h>

#include "written.h"

namespace spillway {
namespace {

using Lines = std::vector<std::string>;

const std::string kPair = R"({ "schema": "spillway/platform/1", "name": "pair",
  "accelerator": { "name": "gpu",
    "bf16_tflops": { "value": 2, "kind": "vendor", "source": "a" },
    "memory_gb": { "value": 3, "kind": "derived", "source": "b" },
    "memory_bandwidth_gbps": { "value": 4, "kind": "measured", "source": "c" } },
  "ports": [ { "name": "link", "bandwidth_gbps": { "value": 5, "kind": "assumed", "source": "d" } } ],
  "tiers": [ { "name": "pair", "devices": 2, "port": "link",
    "latency_us": { "value": 6, "kind": "vendor", "source": "e" },
    "bandwidth_gbps": { "value": 5, "kind": "vendor", "source": "f" } } ] })";

Lines with(const std::string& part, const std::string& replacement) {
  std::string text = kPair;
  const std::string path = written("p.json", text.replace(text.find(part), part.size(), replacement));
  return complaints([&] { read_platform(path); });
}

TEST(PlatformReader, UnitsAndSources) {
  const Platform p = read_platform(written("p.json", kPair));
  EXPECT_EQ(p.accelerator.peak.value, FlopsPerSecond(2e12));
  EXPECT_EQ(p.accelerator.memory.value, Bytes(3e9));
  EXPECT_EQ(p.accelerator.memory_bandwidth.value, BytesPerSecond(4e9));
  EXPECT_EQ(p.accelerator.memory_bandwidth.evidence, Evidence::Measured);
  EXPECT_EQ(p.accelerator.memory_bandwidth.source, "c");
  EXPECT_EQ(p.ports[0].bandwidth.value, BytesPerSecond(5e9));
  EXPECT_DOUBLE_EQ(p.tiers[0].latency.value.value(), 6e-6);
  EXPECT_EQ(p.tiers[0].port, 0u);
  EXPECT_EQ(p.device_count(), 2u);
  EXPECT_TRUE(p.contention);
}

TEST(PlatformReader, TheShippedOnes) {
  EXPECT_EQ(read_platform(shipped("platforms/cloudmatrix384.json")).name, "CloudMatrix384");
  EXPECT_TRUE(read_platform(shipped("platforms/hgx-h100.json")).contention);
  EXPECT_FALSE(read_platform(shipped("platforms/ideal.json")).contention);
}

TEST(PlatformReader, BadOnes) {
  EXPECT_EQ(
      with("\"vendor\"", "\"rumour\""),
      Lines{"p.json: /accelerator/bf16_tflops/kind: expected one of \"measured\", \"vendor\", \"derived\", "
            "\"assumed\", found \"rumour\""});
  EXPECT_EQ(with("\"source\": \"a\"", "\"source\": \"\""),
            Lines{"p.json: /accelerator/bf16_tflops/source: expected text, found \"\""});
  EXPECT_EQ(with("\"port\": \"link\"", "\"port\": \"lnk\""),
            Lines{"p.json: /tiers/0/port: expected \"link\", found \"lnk\""});
  EXPECT_EQ(with("\"value\": 2", "\"value\": 0"),
            Lines{"p.json: /accelerator/bf16_tflops/value: expected a number above 0, found 0"});
}

// check_platform's own findings keep their pointers and get the file.
TEST(PlatformReader, WhatIsNoPlatform) {
  EXPECT_EQ(with("\"value\": 5, \"kind\": \"vendor\"", "\"value\": 50, \"kind\": \"vendor\""),
            Lines{"p.json: /tiers/0/bandwidth_gbps/value: expected at most its port's 5, found 50"});
}

}  // namespace
}  // namespace spillway
