// `spillway plan` as its user meets it.
#include <nlohmann/json.hpp>

#include "program.h"
#include "support/on_ranks.h"

namespace spillway::testing {
namespace {

using PlansDocument = nlohmann::json;

const std::string kJob = "workloads/jobs/llama-3-8b.json";

using Plan = Cli;

TEST_F(Plan, SaysTheSameForAnyNumberOfThreads) {
  const Outcome one = run("plan " + kJob + " --json --quiet --jobs 1"),
                two = run("plan " + kJob + " --json --quiet --jobs 3");
  EXPECT_EQ(one.status, 0) << one.err;
  EXPECT_EQ(one.err, "");
  EXPECT_EQ(one.out, two.out);
}

TEST_F(Plan, SaysTheSameOnRanks) {
  const Outcome alone = run("plan " + kJob + " --json --quiet");
  const Outcome ranked = run("plan " + kJob + " --json --quiet", testing::on_ranks(2));
  EXPECT_EQ(ranked.status, 0) << ranked.err;
  EXPECT_EQ(alone.out, ranked.out);
}

// The written experiments run and give the printed figures.
TEST_F(Plan, WritesExperimentsThatGiveItsFigures) {
  const Outcome planned = run("plan " + kJob + " --json --quiet --top 3 --write '" + folder_.string() + "'");
  ASSERT_EQ(planned.status, 0) << planned.err;
  const auto plans = PlansDocument::parse(planned.out)["plans"];
  ASSERT_EQ(plans.size(), 3u);
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

// Files of a run with more plans would pass for plans of this run. Other files are the user's.
TEST_F(Plan, WritesOverTheFilesOfAnOlderRun) {
  const fs::path folder = folder_ / "plans";
  const std::string plan = "plan " + kJob + " --quiet --write '" + folder.string() + "' --top ";
  ASSERT_EQ(run(plan + "3").status, 0);
  for (const char* other : {"plan-03.json", "plan-.json", "my-plan-3.json", "plan-3.json.bak"})
    std::ofstream(folder / other) << "mine";
  ASSERT_EQ(run(plan + "1").status, 0);
  EXPECT_TRUE(fs::exists(folder / "plan-1.json"));
  for (const char* older : {"plan-2.json", "plan-3.json"}) EXPECT_FALSE(fs::exists(folder / older)) << older;
  for (const char* other : {"plan-03.json", "plan-.json", "my-plan-3.json", "plan-3.json.bak"})
    EXPECT_TRUE(fs::exists(folder / other)) << other;
}

// The page is the largest file and is written last. If it does not fit, no experiment is left behind.
TEST_F(Plan, WritesAllItsFilesOrNone) {
  const fs::path folder = folder_ / "plans";
  const std::string plan = "plan " + kJob + " --quiet --write '" + folder.string() + "'";
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
  for (auto& cluster : job["clusters"])
    cluster["platform"] = (kSource / "workloads/jobs" / cluster["platform"].get<std::string>()).string();
  auto& architecture = job["model"]["blocks"][0]["architecture"];
  architecture = (kSource / "workloads/jobs" / architecture.get<std::string>()).string();
  const Outcome none = run("plan '" + file("job.json", job.dump()) + "' --quiet");
  EXPECT_EQ(none.status, 3);
  EXPECT_EQ(none.out, "");
  EXPECT_NE(none.err.find("no plan keeps within the limits: the nearest takes "), std::string::npos)
      << none.err;
}

TEST_F(Plan, RefusesWhatIsNoJob) {
  expect_refused("plan workloads/experiments/small.json", "an experiment");
}

}  // namespace
}  // namespace spillway::testing
