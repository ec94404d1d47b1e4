// spillway synthesize, as its user meets it.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "program.h"
#include "support/schema_check.h"

namespace spillway::testing {
namespace {

using Synthesize = Cli;
using FoundJson = nlohmann::json;

const std::string kZeroBubble = "workloads/experiments/zero-bubble.json";

TEST_F(Synthesize, PrintsOneDocumentOfItsSchema) {
  const Outcome printed = run("synthesize " + kZeroBubble + " --effort 200 --json");
  ASSERT_EQ(printed.status, 0) << printed.err;
  const FoundJson document = FoundJson::parse(printed.out);
  EXPECT_EQ(SchemaCheck("synthesis").complaints(document), "");
  EXPECT_EQ(document["effort"], 200);
  EXPECT_LE(document["makespan_s"], document["best_named"]["makespan_s"]);
  EXPECT_GE(document["makespan_s"], document["lower_bound_s"]);
  EXPECT_EQ(run("synthesize " + kZeroBubble + " --effort 200 --json").out, printed.out);
}

// The program that is handed over cannot block for ever, and the entry runs.
TEST_F(Synthesize, HandsOverAScheduleAndAProgram) {
  const auto folder = folder_ / "found";
  const Outcome made = run("synthesize " + kZeroBubble + " --effort 200 --json --out " + folder.string());
  ASSERT_EQ(made.status, 0) << made.err;
  const Outcome checked = run("derive --check " + (folder / "program.json").string());
  EXPECT_EQ(checked.status, 0) << checked.out << checked.err;
  FoundJson job = FoundJson::parse(slurp(kSource / kZeroBubble));
  job["schedules"] = {FoundJson::parse(slurp(folder / "schedule.json"))};
  const Outcome again = run("run " + file("job.json", job.dump()) + " --engine longest-path --json");
  ASSERT_EQ(again.status, 0) << again.err;
  EXPECT_EQ(FoundJson::parse(again.out)["schedules"][0]["makespan_s"],
            FoundJson::parse(made.out)["makespan_s"]);
}

// Each draw's plan is a program of this draw. Programs of an earlier run with more draws do not stay.
TEST_F(Synthesize, HandsOverAProgramForEachDraw) {
  const auto folder = folder_ / "found";
  const std::string few =
      "synthesize workloads/experiments/image-work.json --set /pipeline/microbatches=6 --effort 150 ";
  const auto made = [&](const std::string& draws) {
    return run(few + "--per-draw 40 --json --set /draws=" + draws + " --out " + folder.string());
  };
  ASSERT_EQ(made("3").status, 0);
  const Outcome two = made("2");
  ASSERT_EQ(two.status, 0) << two.err;
  EXPECT_NE(two.err.find("planning a draw took"), std::string::npos) << two.err;
  EXPECT_FALSE(std::filesystem::exists(folder / "draws/2.json"));
  for (const int draw : {0, 1}) {
    const auto program = folder / "draws" / (std::to_string(draw) + ".json");
    EXPECT_EQ(FoundJson::parse(slurp(program))["draw"], draw);
    EXPECT_EQ(run("derive --check " + program.string()).status, 0);
  }
  const FoundJson each = FoundJson::parse(two.out)["each_draw"];
  const double mean = (FoundJson::parse(slurp(folder / "draws/0.json"))["makespan_s"].get<double>() +
                       FoundJson::parse(slurp(folder / "draws/1.json"))["makespan_s"].get<double>()) /
                      2;
  EXPECT_NEAR(each["makespan_s"]["mean"].get<double>(), mean, 1e-9 * mean);
}

TEST_F(Synthesize, RefusesWhatNoOrderCanKeep) {
  const Outcome tight = run("synthesize " + kZeroBubble + " --effort 100 --memory 1e9");
  EXPECT_EQ(tight.status, 3) << tight.err;
  EXPECT_NE(tight.err.find("the least that an order holds is"), std::string::npos) << tight.err;
  EXPECT_EQ(run("synthesize " + kZeroBubble + " --effort 0").status, 2);
  EXPECT_EQ(run("synthesize " + kZeroBubble + " --seconds -1").status, 2);
  EXPECT_NE(run("synthesize " + kZeroBubble + " --seconds 0").err.find("found 0"), std::string::npos);
  EXPECT_EQ(run("synthesize " + kZeroBubble + " --seed -1").status, 2);
  EXPECT_EQ(run("synthesize " + kZeroBubble + " --skeletons ''").status, 2);
  EXPECT_EQ(run("synthesize workloads/experiments/first-look.json --memory 1e9").status, 2);
}

// Skeletons that a framework lacks are no starts, and none of its backwards is split.
TEST_F(Synthesize, KeepsToTheSkeletonsOfAFramework) {
  const Outcome whole = run("synthesize " + kZeroBubble + " --effort 300 --skeletons 1f1b,gpipe --json");
  ASSERT_EQ(whole.status, 0) << whole.err;
  const FoundJson document = FoundJson::parse(whole.out);
  EXPECT_EQ(document["left_out"][0]["reason"], "the framework lacks zb-h1");
  for (const FoundJson& row : document["schedule"]["actions"])
    EXPECT_EQ(row.get<std::string>().find('W'), std::string::npos) << row;
  EXPECT_EQ(run("synthesize " + kZeroBubble + " --skeletons 1f2b").status, 2);
  EXPECT_EQ(run("synthesize " + kZeroBubble + " --skeletons transpose").status, 2);
}

// Nothing can be overlapped with one microbatch, and no order beats the only chain.
TEST_F(Synthesize, ProvesTheStepOfOneMicrobatch) {
  const Outcome one =
      run("synthesize workloads/experiments/pipelines.json --set /pipeline/microbatches=1 "
          "--effort 200 --json");
  ASSERT_EQ(one.status, 0) << one.err;
  const FoundJson document = FoundJson::parse(one.out);
  EXPECT_LE(document["makespan_s"], document["best_named"]["makespan_s"]);
}

TEST_F(Synthesize, RefusesMoreRanksThanLayers) {
  const Outcome many = run("synthesize " + kZeroBubble + " --set /pipeline/ranks=1000");
  EXPECT_EQ(many.status, 2) << many.out;
  EXPECT_NE(many.err.find("layers"), std::string::npos) << many.err;
}

TEST_F(Synthesize, StopsAfterTheStatedTimeAndSaysTheEffort) {
  const Outcome stopped = run("synthesize " + kZeroBubble + " --effort 100000000 --seconds 0.5 --json");
  ASSERT_EQ(stopped.status, 0) << stopped.err;
  const auto effort = FoundJson::parse(stopped.out)["effort"].get<std::uint64_t>();
  EXPECT_LT(effort, 100000000U);
  EXPECT_EQ(run("synthesize " + kZeroBubble + " --json --effort " + std::to_string(effort)).out, stopped.out);
}

}  // namespace
}  // namespace spillway::testing
