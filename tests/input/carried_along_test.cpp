// Values of one machine that an experiment keeps when another machine replaces it; and how paths that a user
// types are resolved.
#include <gtest/gtest.h>

#include <filesystem>

#include "input/experiment/experiment.h"
#include "sweep/grid/file.h"
#include "written.h"

namespace spillway {
namespace {

using Codes = std::vector<std::string>;

Codes codes(const std::vector<Warning>& warnings) {
  Codes all;
  for (const Warning& warning : warnings)
    if (warning.code.ends_with("-carried-along")) all.push_back(warning.code);
  return all;
}

Codes codes_of(const std::string& name, const std::vector<Setting>& settings) {
  return codes(read_experiment(shipped("workloads/experiments/" + name), settings).warnings);
}

const Setting kH100{"/platform", shipped("platforms/hgx-h100.json")};

TEST(CarriedAlong, AFitAndEfficienciesOfAnotherMachineAreSaid) {
  EXPECT_EQ(codes_of("experiment-a.json", {}), Codes{});
  EXPECT_EQ(codes_of("experiment-a.json", {kH100}), (Codes{"fit-carried-along", "efficiency-carried-along"}));
  EXPECT_EQ(codes_of("experiment-a.json", {kH100, {"/fit", "[]"}}), Codes{"efficiency-carried-along"});
  EXPECT_EQ(codes_of("experiment-a.json", {kH100, {"/fit", "[]"}, {"/model/blocks/1/efficiency", "{}"}}),
            Codes{});
}

// After a change of a link, the fit is still the old machine's. The operators are the machine's own.
TEST(CarriedAlong, AFitOfAChangedMachineIsSaid) {
  const Setting wider{"/platform_set", R"({ "/tiers/2/bandwidth_gbps/value": 100 })"};
  EXPECT_EQ(codes_of("experiment-a.json", {wider}), Codes{"fit-carried-along"});
}

TEST(CarriedAlong, OtherSettingsCarryNothing) {
  EXPECT_EQ(codes_of("experiment-a.json", {{"/pipeline/microbatches", "8"}}), Codes{});
  EXPECT_EQ(codes_of("small.json", {{"/network/p2p_ms", "1"}}), Codes{});
}

TEST(CarriedAlong, PointsOfASweepSayIt) {
  const std::string path = written("s.json", R"({ "schema": "spillway/sweep/1", "experiment": ")" +
                                                 shipped("workloads/experiments/experiment-b.json") +
                                                 R"(", "axes": [ { "pointer": "/platform", "values": [ ")" +
                                                 shipped("platforms/cloudmatrix384.json") + R"(", ")" +
                                                 shipped("platforms/hgx-h100.json") + R"(" ] } ] })");
  const SweepFile sweep(path);
  EXPECT_EQ(codes(sweep.experiment(1).warnings), (Codes{"fit-carried-along", "efficiency-carried-along"}));
}

// The current folder is not the experiment's folder.
TEST(PathsOfSettings, AreRelativeToTheCurrentFolder) {
  const std::string file = shipped("workloads/experiments/experiment-a.json");
  const std::string here = std::filesystem::relative(shipped("platforms/hgx-h100.json")).string();
  const Experiment set = read_experiment(file, {{"/platform", here}});
  EXPECT_EQ(std::get<AnalyticExperiment>(set.costs).costs.platform.name, "HGX H100");
  EXPECT_EQ(complaints([&] {
              read_experiment(file, {{"/platform", "no/such.json"}});
            }),
            std::vector<std::string>{
                file + ": /platform: expected a readable file, its path relative to the current "
                       "folder, found \"no/such.json\": No such file or directory"});
}

// Paths deeper inside a value are relative to it, too.
TEST(PathsOfSettings, AreRelativeToTheCurrentFolderInsideAValue) {
  const std::string here = std::filesystem::relative(shipped("workloads/traces/coco_val2017.csv")).string();
  const std::vector<Setting> workload = {
      {"/workload",
       R"({ "trace": ")" + here + R"(", "images_per_sample": 1, "text_tokens": 30, "packing": "unpacked",
                        "samples_per_microbatch": 2 })"}};
  EXPECT_NO_THROW(read_experiment(shipped("workloads/experiments/experiment-b.json"), workload));
}

}  // namespace
}  // namespace spillway
