// Platforms: a small one key by key, the shipped ones, and bad ones.
#include "input/platform/platform_reader.h"

#include <gtest/gtest.h>

#include "written.h"

namespace spillway {
namespace {

const std::string kPair = R"({ "schema": "spillway/platform/1", "name": "pair",
  "accelerator": { "name": "gpu",
    "bf16_tflops": { "value": 2, "kind": "vendor", "source": "a" },
    "memory_gb": { "value": 3, "kind": "derived", "source": "b" },
    "memory_bandwidth_gbps": { "value": 4, "kind": "measured", "source": "c" } },
  "ports": [ { "name": "link", "bandwidth_gbps": { "value": 5, "kind": "assumed", "source": "d" } } ],
  "tiers": [ { "name": "pair", "devices": 2, "port": "link",
    "latency_us": { "value": 6, "kind": "vendor", "source": "e" },
    "bandwidth_gbps": { "value": 5, "kind": "vendor", "source": "f" } } ] })";

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

// Returns kPair with more keys beside its latency.
std::string with_certainty(const std::string& more) {
  std::string text = kPair;
  const std::string latency = "\"source\": \"e\"";
  return text.insert(text.find(latency) + latency.size(), ", " + more);
}

TEST(PlatformReader, AFitSaysHowSureItIs) {
  const auto source = [](const std::string& more) {
    return read_platform(written("p.json", with_certainty(more))).tiers[0].latency.source;
  };
  EXPECT_EQ(source("\"interval\": [5.5, 7], \"points\": 12"), "e (95 % interval 5.5 to 7, 12 measurements)");
  EXPECT_EQ(source("\"interval\": [6, 6]"), "e (95 % interval 6 to 6)");
  EXPECT_EQ(source("\"points\": 3"), "e (3 measurements)");
}

TEST(PlatformReader, AnIntervalHoldsItsValueAndPointsAreSome) {
  const auto wrong = [](const std::string& more) {
    return complaints([&] { read_platform(written("p.json", with_certainty(more))); });
  };
  EXPECT_EQ(wrong("\"interval\": [6.5, 7], \"points\": 0").size(), 2u);
  EXPECT_EQ(wrong("\"interval\": [5, 5.5]"), Lines{"p.json: /tiers/0/latency_us/interval: expected an "
                                                   "interval that contains the value, found a list of 2"});
  EXPECT_EQ(wrong("\"interval\": [5]").size(), 1u);
  EXPECT_EQ(wrong("\"interval\": 6").size(), 1u);
}

// An optional key that is left out is neutral, and has no source.
TEST(PlatformReader, Defaults) {
  const Platform p = read_platform(written("p.json", kPair));
  EXPECT_EQ(p.accelerator.efficiency.gemm.value, 1.0);
  EXPECT_EQ(p.accelerator.efficiency.gemm.evidence, Evidence::Assumed);
  EXPECT_EQ(p.accelerator.host_overhead.value, Seconds(0));
  EXPECT_EQ(p.accelerator.slowdown_under_communication.value, 0.0);
  EXPECT_EQ(p.accelerator.sustained.value, 1.0);
  EXPECT_TRUE(p.tiers[0].collectives.empty());
  EXPECT_EQ(p.tiers[0].latency_of_a_step().value, p.tiers[0].latency.value);
  EXPECT_EQ(p.tiers[0].wiring, Wiring::Switched);
  EXPECT_EQ(p.library, CollectiveLibrary::Nccl);
  EXPECT_FALSE(p.price.has_value());
}

std::string replaced(std::string text, const std::string& part, const std::string& replacement) {
  return text.replace(text.find(part), part.size(), replacement);
}

std::string figure_text(const std::string& value) {
  return "{ \"value\": " + value + ", \"kind\": \"fitted\", \"source\": \"g\" }";
}

// Returns kPair with every optional key.
std::string whole_pair() {
  const std::string accelerator =
      "\"efficiency\": { \"gemm\": " + figure_text("0.5") + ", \"grouped_gemm\": " + figure_text("0.4") +
      ", \"attention\": " + figure_text("0.75") + ", \"attention_backward\": " + figure_text("0.6") +
      ", \"memory\": " + figure_text("0.8") + " }, \"host_overhead_us\": " + figure_text("8") +
      ", \"device_latency_us\": " + figure_text("1.5") + ", \"host_speed\": " + figure_text("0.5") +
      ", \"slowdown_under_communication\": " + figure_text("0.25") +
      ", \"exposed_accumulation\": " + figure_text("0.5") + ", \"sustained\": " + figure_text("0.9") +
      ", \"bf16_tflops\"";
  const std::string collectives =
      R"("collectives": [ { "operation": "all-gather", "devices": 2, "neighbours": 1, "kind": "measured",
         "source": "h", "points": [[1024, 10], [2048, 12.5]], "interval": [0.5, 1.5] } ], "step_latency_us":
         { "value": 1.5, "kind": "fitted", "source": "g" }, "expert_kernels": [ { "devices": 2,
         "dispatch_gbps": { "value": 9.5, "kind": "measured", "source": "k" }, "combine_gbps":
         { "value": 7.5, "kind": "measured", "source": "k" }, "fp8_dispatch_gbps":
         { "value": 6.5, "kind": "measured", "source": "k" } } ], "wiring": "mesh", "sustained":
         { "value": 0.625, "kind": "fitted", "source": "t" }, "latency_us")";
  const std::string top =
      "\"library\": \"hccl\", \"price_per_device_hour_usd\": " + figure_text("2.5") + ", \"ports\"";
  return replaced(replaced(replaced(kPair, "\"bf16_tflops\"", accelerator), "\"latency_us\"", collectives),
                  "\"ports\"", top);
}

// Returns kPair of NCCL, with its protocols.
std::string with_protocols(const std::string& small = "0.4") {
  const std::string protocols =
      "\"protocols\": { \"launch\": " + figure_text("0.6") + ", \"small\": " + figure_text(small) +
      ", \"bulk_step_us\": " + figure_text("6") + ", \"exchange_us\": " + figure_text("5") +
      ", \"exchange_small\": " + figure_text("0.7") + ", \"exchange_bulk_us\": " + figure_text("30") +
      ", \"in_switch\": { \"once_us\": " + figure_text("31") + ", \"bandwidth\": " + figure_text("0.9") +
      " } }, \"latency_us\"";
  return replaced(kPair, "\"latency_us\"", protocols);
}

TEST(PlatformReader, Protocols) {
  const Platform p = read_platform(written("p.json", with_protocols()));
  ASSERT_TRUE(p.tiers[0].protocols.has_value());
  const Protocols& protocols = *p.tiers[0].protocols;
  EXPECT_EQ(protocols.launch.value, 0.6);
  EXPECT_EQ(protocols.small.value, 0.4);
  EXPECT_EQ(protocols.small.evidence, Evidence::Fitted);
  EXPECT_EQ(protocols.bulk_step.value, microseconds(6));
  EXPECT_EQ(protocols.exchange.value, microseconds(5));
  EXPECT_EQ(protocols.exchange_small.value, 0.7);
  EXPECT_EQ(protocols.exchange_bulk.value, microseconds(30));
  EXPECT_EQ(protocols.in_switch->once.value, microseconds(31));
  EXPECT_EQ(protocols.in_switch->bandwidth.value, 0.9);
  EXPECT_FALSE(read_platform(written("p.json", kPair)).tiers[0].protocols.has_value());
}

TEST(PlatformReader, EveryKey) {
  const Platform p = read_platform(written("p.json", whole_pair()));
  EXPECT_EQ(p.accelerator.efficiency.gemm.value, 0.5);
  EXPECT_EQ(p.accelerator.efficiency.grouped_gemm.value, 0.4);
  EXPECT_EQ(p.accelerator.efficiency.attention.value, 0.75);
  EXPECT_EQ(p.accelerator.efficiency.attention_backward.value, 0.6);
  EXPECT_EQ(p.accelerator.efficiency.memory.value, 0.8);
  EXPECT_EQ(p.accelerator.efficiency.memory.evidence, Evidence::Fitted);
  EXPECT_DOUBLE_EQ(p.accelerator.host_overhead.value.value(), 8e-6);
  EXPECT_DOUBLE_EQ(p.accelerator.device_latency->value.value(), 1.5e-6);
  EXPECT_DOUBLE_EQ(p.accelerator.host_speed->value, 0.5);
  EXPECT_EQ(p.accelerator.slowdown_under_communication.value, 0.25);
  EXPECT_EQ(p.accelerator.exposed_accumulation->value, 0.5);
  EXPECT_EQ(p.accelerator.sustained.value, 0.9);
  EXPECT_DOUBLE_EQ(p.tiers[0].latency_of_a_step().value.value(), 1.5e-6);
  EXPECT_EQ(p.tiers[0].sustained.value, 0.625);
  ASSERT_EQ(p.tiers[0].collectives.size(), 1u);
  const MeasuredCollective& sweep = p.tiers[0].collectives[0];
  EXPECT_EQ(sweep.operation, CollectiveOperation::AllGather);
  EXPECT_EQ(sweep.devices, 2u);
  EXPECT_EQ(sweep.neighbours, 1u);
  EXPECT_EQ(sweep.points.source, "h");
  ASSERT_EQ(sweep.points.value.size(), 2u);
  EXPECT_EQ(sweep.points.value[1].first, Bytes(2048));
  EXPECT_DOUBLE_EQ(sweep.points.value[1].second.value(), 12.5e-6);
  EXPECT_EQ(sweep.points.interval->low, 0.5);
  EXPECT_EQ(sweep.points.interval->high, 1.5);
  ASSERT_EQ(p.tiers[0].expert_kernels.size(), 1u);
  const ExpertKernels& kernels = p.tiers[0].expert_kernels[0];
  EXPECT_EQ(kernels.devices, 2u);
  EXPECT_EQ(kernels.dispatch.value, BytesPerSecond(9.5e9));
  EXPECT_EQ(kernels.combine.value, BytesPerSecond(7.5e9));
  EXPECT_EQ(kernels.fp8_dispatch->value, BytesPerSecond(6.5e9));
  EXPECT_EQ(p.tiers[0].wiring, Wiring::Mesh);
  EXPECT_EQ(p.library, CollectiveLibrary::Hccl);
  EXPECT_EQ(p.price->value, DollarsPerHour(2.5));
}

std::string with_operators(const std::string& list) {
  return replaced(whole_pair(), "\"sustained\"", "\"operators\": " + list + ", \"sustained\"");
}

// Tables lie beside the document and their rows are pooled. A borrowed table weakens only the evidence of its
// own kind.
TEST(PlatformReader, OperatorTables) {
  written("gemm.csv", "m,n,k,time_us\n8,16,32,4\n");
  written("more.csv", "m,n,k,time_us\n16,16,32,5\n");
  written("experts.csv", "groups,rows,n,k,time_us\n2,8,16,32,6\n");
  const Platform p = read_platform(written("p.json", with_operators(R"([
    { "file": "gemm.csv", "kind": "measured", "source": "i" },
    { "file": "experts.csv", "kind": "measured", "source": "j" },
    { "file": "more.csv", "kind": "extrapolated", "source": "k" } ])")));
  const OperatorTables& tables = p.accelerator.operators;
  ASSERT_EQ(tables.gemms.size(), 2u);
  EXPECT_EQ(tables.gemms[1].m, 16);
  EXPECT_DOUBLE_EQ(tables.gemms[1].time.value(), 5e-6);
  EXPECT_EQ(tables.grouped_gemms.size(), 1u);
  EXPECT_EQ(tables.gemm_evidence, Evidence::Extrapolated);
  EXPECT_EQ(tables.grouped_gemm_evidence, Evidence::Measured);
  EXPECT_EQ(tables.attention_evidence, Evidence::Measured);
  EXPECT_EQ(tables.sources, (Lines{"i", "j", "k"}));
}

TEST(PlatformReader, BadOperatorTables) {
  written("odd.csv", "m,n,k,time_us\n0,16,32,4\n");
  const std::string path = written("p.json", with_operators(R"([
    { "file": "odd.csv", "kind": "measured", "source": "i" },
    { "file": "gone.csv", "kind": "measured", "source": "j" },
    { "file": "odd.csv", "kind": "guessed" } ])"));
  const Lines lines = complaints([&] { read_platform(path); });
  ASSERT_EQ(lines.size(), 4u);  // a fault of a file is reported once
  EXPECT_TRUE(lines[0].starts_with("odd.csv: line 2: expected")) << lines[0];
  EXPECT_EQ(lines[1],
            "p.json: /accelerator/operators/1/file: expected a readable file, its path relative to this "
            "file's folder, found \"gone.csv\": No such file or directory");
  EXPECT_TRUE(lines[2].starts_with("p.json: /accelerator/operators/2/kind: expected one of")) << lines[2];
  EXPECT_EQ(lines[3], "p.json: /accelerator/operators/2/source: expected a value, found nothing");
}

Lines whole_with(const std::string& part, const std::string& replacement) {
  const std::string path = written("p.json", replaced(whole_pair(), part, replacement));
  return complaints([&] { read_platform(path); });
}

TEST(PlatformReader, BadOptionalKeys) {
  EXPECT_EQ(whole_with("\"value\": 0.75", "\"value\": 1.5"),
            Lines{"p.json: /accelerator/efficiency/attention/value: expected a number above 0 and at most 1, "
                  "found 1.5"});
  EXPECT_EQ(whole_with("\"value\": 0.25", "\"value\": -0.25"),
            Lines{"p.json: /accelerator/slowdown_under_communication/value: expected a number of at least 0, "
                  "found -0.25"});
  EXPECT_EQ(whole_with("grouped_gemm", "grouped_gem"),
            Lines{"p.json: /accelerator/efficiency/grouped_gem: expected a known key, such as "
                  "\"grouped_gemm\", found \"grouped_gem\""});
  EXPECT_EQ(whole_with("all-gather", "gather"),
            Lines{"p.json: /tiers/0/collectives/0/operation: expected one of \"all-reduce\", \"all-gather\", "
                  "\"reduce-scatter\", \"all-to-all\", \"send-recv\", found \"gather\""});
  EXPECT_EQ(whole_with("[2048, 12.5]", "[2048]"),
            Lines{"p.json: /tiers/0/collectives/0/points/1: expected [bytes, microseconds], found a list of "
                  "1"});
  EXPECT_EQ(whole_with("[2048, 12.5]", "[1024, 12.5]"),
            Lines{"p.json: /tiers/0/collectives/0/points/1/0: expected more bytes than the point before, "
                  "found 1024"});
  EXPECT_EQ(whole_with("[2048, 12.5]", "[2048, -1]"),
            Lines{"p.json: /tiers/0/collectives/0/points/1/1: expected a number above 0, found -1"});
  EXPECT_EQ(whole_with("\"devices\": 2, \"neighbours\"", "\"devices\": 4, \"neighbours\""),
            Lines{"p.json: /tiers/0/collectives/0/devices: expected from 2 to the tier's 2, found 4"});
  EXPECT_EQ(whole_with("\"combine_gbps\"", "\"combine\"").size(), 2u) << "missing, and unknown";
  EXPECT_EQ(
      whole_with("\"value\": 9.5,", "\"value\": 0,"),
      Lines{"p.json: /tiers/0/expert_kernels/0/dispatch_gbps/value: expected a number above 0, found 0"});
  EXPECT_EQ(whole_with("\"mesh\"", "\"torus\""),
            Lines{"p.json: /tiers/0/wiring: expected one of \"switched\", \"mesh\", found \"torus\""});
  EXPECT_EQ(whole_with("\"hccl\"", "\"rccl\""),
            Lines{"p.json: /library: expected one of \"nccl\", \"hccl\", found \"rccl\""});
  const auto complaint_of = [](const std::string& text) {
    const std::string path = written("p.json", text);
    return complaints([&] { read_platform(path); });
  };
  EXPECT_EQ(
      complaint_of(with_protocols("1.5")),
      Lines{"p.json: /tiers/0/protocols/small/value: expected a number above 0 and at most 1, found 1.5"});
  EXPECT_EQ(
      complaint_of(replaced(with_protocols(), "\"ports\"", "\"library\": \"hccl\", \"ports\"")),
      Lines{"p.json: /tiers/0/protocols: expected no such key, since the library is not nccl, found hccl"});
}

Lines platform_with(const std::string& part, const std::string& replacement) {
  const std::string path = written("p.json", replaced(kPair, part, replacement));
  return complaints([&] { read_platform(path); });
}

TEST(PlatformReader, BadOnes) {
  EXPECT_EQ(
      platform_with("\"vendor\"", "\"rumour\""),
      Lines{"p.json: /accelerator/bf16_tflops/kind: expected one of \"measured\", \"vendor\", \"derived\", "
            "\"fitted\", \"extrapolated\", \"assumed\", found \"rumour\""});
  EXPECT_EQ(platform_with("\"source\": \"a\"", "\"source\": \"\""),
            Lines{"p.json: /accelerator/bf16_tflops/source: expected text, found \"\""});
  EXPECT_EQ(platform_with("\"port\": \"link\"", "\"port\": \"lnk\""),
            Lines{"p.json: /tiers/0/port: expected \"link\", found \"lnk\""});
  EXPECT_EQ(platform_with("\"value\": 2", "\"value\": 0"),
            Lines{"p.json: /accelerator/bf16_tflops/value: expected a number above 0, found 0"});
  EXPECT_EQ(platform_with("\"value\": 5, \"kind\": \"vendor\"", "\"value\": -5, \"kind\": \"vendor\""),
            Lines{"p.json: /tiers/0/bandwidth_gbps/value: expected a number above 0, found -5"});
  EXPECT_EQ(platform_with("\"port\": \"link\",", ""),
            Lines{"p.json: /tiers/0/port: expected a value, found nothing"});
}

// Findings of check_platform keep their pointers and get the file's name.
TEST(PlatformReader, WhatIsNoPlatform) {
  EXPECT_EQ(platform_with("\"value\": 5, \"kind\": \"vendor\"", "\"value\": 50, \"kind\": \"vendor\""),
            Lines{"p.json: /tiers/0/bandwidth_gbps/value: expected at most its port's 5, found 50"});
  const std::size_t tiers = kPair.find("\"tiers\"");
  const std::string none = kPair.substr(0, tiers) + "\"tiers\": [] }";
  EXPECT_EQ(complaints([&] { read_platform(written("p.json", none)); }),
            Lines{"p.json: /tiers: expected at least one tier, found none"});
}

}  // namespace
}  // namespace spillway
