// Checks the traces of `run --out` against their format's rules with a reader that shares nothing with the
// writer: trace_rules.py. Skipped without Python.
#include <vector>

#include "cli/program.h"

namespace spillway::testing {
namespace {

class TraceRules : public Cli {
 protected:
  void SetUp() override {
    Cli::SetUp();
    if (std::system("command -v python3 >/dev/null") != 0) GTEST_SKIP() << "no python3 on this machine";
  }

  void expect_sound(const std::string& experiment) {
    const std::string out = (folder_ / "out").string();
    ASSERT_EQ(run("run " + experiment + " --draws 1 --quiet --out '" + out + "'").status, 0);
    const std::string check =
        "python3 '" + (kSource / "tests/cli/trace_rules.py").string() + "' '" + out + "' >&2";
    EXPECT_EQ(std::system(check.c_str()), 0) << experiment;
    fs::remove_all(out);
  }
};

TEST_F(TraceRules, HoldForTransfersReplicasAndFusedPasses) {
  for (const char* experiment : {"small", "first-look", "owners"})
    expect_sound("workloads/experiments/" + std::string(experiment) + ".json");
  expect_sound("docs/pictures/schedules.json --set /network/p2p_ms=0.5");
  expect_sound("docs/pictures/schedules.json --set /network/p2p_ms=0.5 --set /network/p2p=blocking");
  expect_sound(
      "workloads/experiments/small.json --set /pipeline/replicas=2 "
      "--set '/model/blocks/0/work_per_microbatch=[[1, 2, 1], [3, 1, 1]]'");
}

TEST_F(TraceRules, HoldForAStepThatWaitsForItsPlan) {
  expect_sound(
      "workloads/experiments/image-work.json --set /schedules/0/owner_from=draw "
      "--set /schedules/0/planning_ms=5000 --engine longest-path");
}

TEST_F(TraceRules, HoldForSystems) {
  expect_sound("workloads/experiments/systems-four-replicas.json --engine longest-path");
}

TEST_F(TraceRules, HoldForExperimentA) {
  expect_sound("workloads/experiments/experiment-a.json");
}

}  // namespace
}  // namespace spillway::testing
