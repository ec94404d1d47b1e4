// The shipped platforms load, and every number states where it was read.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "input/platform/framework_reader.h"
#include "input/platform/platform_reader.h"
#include "platform/framework.h"
#include "written.h"

namespace spillway {
namespace {

using Json = nlohmann::json;

std::vector<std::string> files() {
  std::vector<std::string> all;
  for (const auto& entry : std::filesystem::directory_iterator(shipped("platforms")))
    if (entry.path().extension() == ".json") all.push_back(entry.path().string());
  std::sort(all.begin(), all.end());
  return all;
}

TEST(ShippedPlatforms, AreNamedOnThePageOfTheCostModel) {
  EXPECT_GE(files().size(), 13u);
  std::ifstream file(shipped("docs/cost-model.md"));
  const std::string page(std::istreambuf_iterator<char>(file), {});
  for (const std::string& path : files()) {
    const std::string name = std::filesystem::path(path).stem();
    EXPECT_NE(page.find(name), std::string::npos) << name;
  }
}

TEST(ShippedPlatforms, Load) {
  for (const std::string& file : files())
    EXPECT_EQ(complaints([&] { read_platform(file); }), std::vector<std::string>{});
}

TEST(ShippedPlatforms, OnlyTheIdealOneSharesNothing) {
  for (const std::string& file : files())
    EXPECT_EQ(read_platform(file).contention, !file.ends_with("ideal.json")) << file;
}

// A source names something that can be looked up: a vendor's device, a paper, a repository with its commit, a
// site.
bool names_a_place(const std::string& source) {
  static const std::vector<std::string> places = {
      "arXiv ", "README", "Ascend/", "/blog/", "@",     "data sheet", "product page",     ".blog/",
      ".net/",  ".com/",  ".xyz",    ".ai/",   "docs/", "test data",  "reference design", "no machine"};
  return std::any_of(places.begin(), places.end(),
                     [&](const std::string& place) { return source.find(place) != std::string::npos; });
}

// Every number except the sizes of groups lies in an object that states its kind and source.
void unsourced(const Json& node, const std::string& pointer, bool stated, std::vector<std::string>& found) {
  if (node.is_number() && !stated && !pointer.ends_with("/devices")) found.push_back(pointer);
  if (!node.is_structured()) return;
  const bool states = node.is_object() && node.contains("source") && node.contains("kind") &&
                      names_a_place(node["source"].get<std::string>());
  for (const auto& [key, child] : node.items())
    unsourced(child, pointer + "/" + key, stated || states, found);
}

TEST(ShippedPlatforms, EveryNumberSaysWhereItWasRead) {
  for (const std::string& file : files()) {
    std::vector<std::string> found;
    unsourced(Json::parse(content_of(file)), "", false, found);
    EXPECT_EQ(found, std::vector<std::string>{}) << file;
  }
}

TEST(ShippedPlatforms, ANumberWithoutAPlaceIsNoticed) {
  std::vector<std::string> found;
  unsourced(Json::parse(R"({ "a": { "value": 1, "kind": "vendor", "source": "not stated" }, "b": [ 2 ] })"),
            "", false, found);
  EXPECT_EQ(found, (std::vector<std::string>{"/a/value", "/b/0"}));
}

// Each real platform states the values that distinguish it from the ideal one.
TEST(ShippedPlatforms, RealOnesLeaveNothingToDefaults) {
  for (const std::string& file : files()) {
    if (file.ends_with("ideal.json")) continue;
    const Accelerator a = read_platform(file).accelerator;
    for (const auto* figure :
         {&a.efficiency.gemm, &a.efficiency.grouped_gemm, &a.efficiency.attention,
          &a.efficiency.attention_backward, &a.efficiency.memory, &a.slowdown_under_communication})
      EXPECT_NE(figure->source, "not stated") << file;
    EXPECT_NE(a.host_overhead.source, "not stated") << file;
  }
}

// An NVSwitch gives a pair all of a GPU's bandwidth; a full mesh gives it one link of seven.
TEST(ShippedPlatforms, PairsInsideANode) {
  for (const char* name : {"b200", "b300", "gb200-nvl72", "gb300-nvl72", "hgx-a100", "hgx-h100",
                           "hgx-h100-roce", "hgx-h20", "hgx-h200", "hgx-h800"}) {
    const Platform p = read_platform(shipped("platforms/" + std::string(name) + ".json"));
    EXPECT_EQ(p.tiers[0].bandwidth.value, p.ports[p.tiers[0].port].bandwidth.value) << name;
  }
  for (const char* name : {"atlas-800-a2", "mi300x", "mi325x", "mi355x"}) {
    const Platform mesh = read_platform(shipped("platforms/" + std::string(name) + ".json"));
    const BytesPerSecond port = mesh.ports[mesh.tiers[0].port].bandwidth.value;
    EXPECT_LE(mesh.tiers[0].bandwidth.value * 7, port * (1 + 1e-9)) << name;
  }
}

// What is rented today is rented in clusters of up to 100,000.
TEST(ShippedPlatforms, HaveAHundredThousandDevices) {
  for (const char* name : {"b200", "b300", "gb200-nvl72", "gb300-nvl72", "gh200", "h100-nvl", "h100-pcie",
                           "hgx-a100", "hgx-h100", "hgx-h100-roce", "hgx-h20", "hgx-h200", "hgx-h800",
                           "mi300x", "mi325x", "mi355x", "atlas-800t-a3"})
    EXPECT_GE(read_platform(shipped("platforms/" + std::string(name) + ".json")).device_count(), 100'000U)
        << name;
}

TEST(ShippedPlatforms, RunEveryShippedFramework) {
  std::size_t pairs = 0;
  for (const auto& entry : std::filesystem::directory_iterator(shipped("platforms/frameworks")))
    for (const std::string& file : files()) {
      const Framework framework = read_framework(entry.path().string(), {}, {});
      EXPECT_EQ(check_framework(framework, read_platform(file).accelerator).size(), 0U)
          << framework.name << " on " << file;
      ++pairs;
    }
  EXPECT_GT(pairs, 300U);
}

}  // namespace
}  // namespace spillway
