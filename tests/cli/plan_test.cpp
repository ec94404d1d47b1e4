// `spillway plan` as its user meets it.
#include <nlohmann/json.hpp>

#include "program.h"
#include "support/nightly.h"
#include "support/on_ranks.h"

namespace spillway::testing {
namespace {

using PlansDocument = nlohmann::json;

const std::string kJob = "workloads/jobs/llama-3-8b.json";

using Plan = Cli;

// Every day of the layouts of one framework.
const std::string kSome = is_nightly() ? "" : " --framework nemo";

TEST_F(Plan, SaysTheSameForAnyNumberOfThreads) {
  const std::string plan = "plan " + kJob + kSome + " --json --quiet";
  const Outcome one = run(plan + " --jobs 1"), two = run(plan + " --jobs 3");
  EXPECT_EQ(one.status, 0) << one.err;
  EXPECT_EQ(one.err, "");
  EXPECT_EQ(one.out, two.out);
}

TEST_F(Plan, SaysTheSameOnRanks) {
  const std::string plan = "plan " + kJob + " --json --quiet --framework nemo";
  const Outcome alone = run(plan), ranked = run(plan, testing::on_ranks(2));
  EXPECT_EQ(ranked.status, 0) << ranked.err;
  EXPECT_EQ(alone.out, ranked.out);
}

// The written experiments run and give the printed figures.
TEST_F(Plan, WritesExperimentsThatGiveItsFigures) {
  const Outcome planned =
      run("plan " + kJob + kSome + " --json --quiet --top 3 --write '" + folder_.string() + "'");
  ASSERT_EQ(planned.status, 0) << planned.err;
  const auto plans = PlansDocument::parse(planned.out)["plans"];
  ASSERT_EQ(plans.size(), 4u);  // three, and the best on the devices of another cluster
  for (std::size_t i = 0; i < plans.size(); ++i) {
    const Outcome report = run("run '" + (folder_ / ("plan-" + std::to_string(i + 1) + ".json")).string() +
                               "' --json --engine longest-path,simgrid --draws 1");
    ASSERT_EQ(report.status, 0) << report.err;
    const auto schedule = PlansDocument::parse(report.out)["schedules"][0];
    EXPECT_EQ(schedule["engines"]["longest_path_s"], plans[i]["step_s"]);
    EXPECT_EQ(schedule["peak_memory_bytes"], plans[i]["peak_memory_bytes"]);
    if (!plans[i]["simgrid_s"].is_null()) {
      EXPECT_EQ(schedule["engines"]["simgrid_s"], plans[i]["simgrid_s"]);
    }
  }
}

std::string little_endian(std::uint32_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i) & 0xff);
  return text;
}

// A TIFF file with two entries, behind pixels.
std::string scan(std::uint32_t width, std::uint32_t height) {
  const auto entry = [](std::uint32_t tag, std::uint32_t value) {
    return little_endian(tag, 2) + little_endian(4, 2) + little_endian(1, 4) + little_endian(value, 4);
  };
  return std::string("II*\0", 4) + little_endian(8 + 600, 4) + std::string(600, '\x7f') +
         little_endian(2, 2) + entry(256, width) + entry(257, height) + little_endian(0, 4);
}

std::string gif(std::uint32_t width, std::uint32_t height) {
  return "GIF89a" + little_endian(width, 2) + little_endian(height, 2);
}

// From a model as published and a folder of images to a plan and its run, with nothing edited: the folder is
// named relative to the job, and the plan is written elsewhere and run from elsewhere.
TEST_F(Plan, RunsFromAFolderOfImages) {
  fs::create_directories(folder_ / "photos/more");
  for (std::uint32_t i = 0; i < 12; ++i) {
    const std::uint32_t width = 300 + 80 * i, height = 900 - 40 * i;
    const fs::path path = folder_ / (i % 3 == 0 ? "photos/more" : "photos") /
                          (std::to_string(i) + (i % 2 == 0 ? ".tif" : ".gif"));
    std::ofstream(path, std::ios::binary) << (i % 2 == 0 ? scan(width, height) : gif(width, height));
  }
  for (const char* model : {"qwen2.5-vl-7b", "internvl3-8b"}) {
    const std::string config = std::string(model) + ".json";
    fs::copy_file(kSource / "tests/input/configs" / config, folder_ / config);
    const auto block = [&](const char* name, const char* role) {
      return PlansDocument{{"name", name}, {"role", role}, {"trainable", true}, {"architecture", config}};
    };
    const PlansDocument job = {
        {"schema", "spillway/plan/1"},
        {"name", model},
        {"model", {{"blocks", {block("enc", "encoder"), block("llm", "backbone")}}}},
        {"workload",
         {{"trace", "photos"},
          {"images_per_sample", 2},
          {"text_tokens", 200},
          {"packing", "packed"},
          {"sequence_tokens", 4096}}},
        {"batch", {{"sequences", 16}}},
        {"tokens", 1e9},
        {"clusters",
         {{{"platform", "hgx-h20"},
           {"devices", {16}},
           {"frameworks", "none"},
           {"price_per_device_hour_usd", 1.0}}}},
        {"search",
         {{"ranks", {2}}, {"tensor", {2}}, {"context", {1}}, {"schedules", {"1f1b", "transpose,1f1b"}}}},
        {"draws", 2}};
    const Outcome planned = run("plan '" + file("job.json", job.dump()) +
                                "' --json --quiet --top 1 --write '" + (folder_ / "plans").string() + "'");
    ASSERT_EQ(planned.status, 0) << planned.err;
    const auto plan = PlansDocument::parse(planned.out)["plans"].at(0);
    const Outcome report =
        run("run '" + (folder_ / "plans/plan-1.json").string() + "' --json --engine longest-path");
    ASSERT_EQ(report.status, 0) << report.err;
    const double step = plan["step_s"],
                 again =
                     PlansDocument::parse(report.out)["schedules"][0]["engines"]["longest_path_s"]["mean"];
    EXPECT_NEAR(again, step, 1e-9 * step) << model;
  }
}

// Files of a run with more plans would pass for plans of this run. Other files are the user's.
TEST_F(Plan, WritesOverTheFilesOfAnOlderRun) {
  const fs::path folder = folder_ / "plans";
  const std::string plan =
      "plan " + kJob + " --framework nemo --quiet --write '" + folder.string() + "' --top ";
  ASSERT_EQ(run(plan + "5").status, 0);
  for (const char* other : {"plan-03.json", "plan-.json", "my-plan-3.json", "plan-3.json.bak"})
    std::ofstream(folder / other) << "mine";
  ASSERT_EQ(run(plan + "1").status, 0);
  EXPECT_TRUE(fs::exists(folder / "plan-1.json"));
  for (const char* older : {"plan-4.json", "plan-5.json"}) EXPECT_FALSE(fs::exists(folder / older)) << older;
  for (const char* other : {"plan-03.json", "plan-.json", "my-plan-3.json", "plan-3.json.bak"})
    EXPECT_TRUE(fs::exists(folder / other)) << other;
}

// The page is the largest file and is written last. If it does not fit, no experiment is left behind.
TEST_F(Plan, WritesAllItsFilesOrNone) {
  const fs::path folder = folder_ / "plans";
  const std::string plan = "plan " + kJob + " --framework nemo --quiet --write '" + folder.string() + "'";
  ASSERT_EQ(run(plan).status, 0);
  if (!fs::exists(folder / "report.html")) GTEST_SKIP() << "built without pages";
  fs::remove_all(folder);
  const std::string limit = "env --ignore-signal=XFSZ prlimit --fsize=" + std::to_string(60'000) + " ";
  const Outcome full = run(plan, limit);
  EXPECT_EQ(full.status, 2) << full.err;
  EXPECT_NE(full.err.find("report.html: /: expected a place that can be written, found File too large"),
            std::string::npos)
      << full.err;
  EXPECT_TRUE(fs::is_empty(folder));
}

TEST_F(Plan, WithoutOneSaysWhyAndWhatComesNearest) {
  PlansDocument job = PlansDocument::parse(slurp(kSource / kJob));
  job["limits"]["days"] = 1e-3;
  job["clusters"] = {{{"platform", "hgx-h200"}, {"devices", {16}}}};
  auto& architecture = job["model"]["blocks"][0]["architecture"];
  architecture = (kSource / "workloads/jobs" / architecture.get<std::string>()).string();
  const Outcome none = run("plan '" + file("job.json", job.dump()) + "' --quiet" + kSome);
  EXPECT_EQ(none.status, 3);
  EXPECT_EQ(none.out, "");
  EXPECT_NE(none.err.find("no plan keeps within the limits: the nearest takes "), std::string::npos)
      << none.err;
}

TEST_F(Plan, MayBeOfOneFrameworkThatCanLaunchIt) {
  const Outcome one = run("plan " + kJob + " --json --quiet --framework torchtitan-compiled --launchable");
  ASSERT_EQ(one.status, 0) << one.err;
  const auto document = PlansDocument::parse(one.out);
  EXPECT_GT(document["unlaunchable"], 0);
  for (const auto& plan : document["plans"]) {
    EXPECT_EQ(plan["framework"], "torchtitan, compiled");
    EXPECT_FALSE(plan["launch"].is_null());
  }
  expect_refused("plan " + kJob + " --framework megatron-lm", "one of the frameworks of its clusters");
}

TEST_F(Plan, RefusesWhatIsNoJob) {
  expect_refused("plan workloads/experiments/small.json", "an experiment");
}

}  // namespace
}  // namespace spillway::testing
