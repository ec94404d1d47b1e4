// spillway explain, and the cases of tables, as their user meets them.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "program.h"

namespace spillway::testing {
namespace {

using Explain = Cli;
const std::string kStepTable = "workloads/published/simumax-b200.json",
                  kOneCase = " --case llama3_70b_tp2_pp1_dp4_l12_mbc4_cef";

TEST_F(Explain, SaysWhatWouldHelp) {
  const Outcome text = run("explain " + kSmall + " --schedule mpipe");
  EXPECT_EQ(text.status, 0) << text.err;
  EXPECT_NE(text.out.find("what would help"), std::string::npos);
  EXPECT_NE(text.out.find("links twice as fast"), std::string::npos);
  EXPECT_EQ(text.out.find("baseline: the step"), std::string::npos);
}

// The settings of a gap, given to `run`, reproduce the step that explain states.
TEST_F(Explain, ListsWhatWouldCloseTheGapToAMeasuredStep) {
  const Outcome explained = run("explain " + kSmall + " --schedule baseline --measured 1.5 --json");
  ASSERT_EQ(explained.status, 0) << explained.err;
  const auto gap = nlohmann::json::parse(explained.out)["schedules"][0]["gap"];
  EXPECT_EQ(gap["measured_s"], 1.5);
  ASSERT_GE(gap["settings"].size(), 3u);
  for (const auto& tried : gap["settings"]) {
    std::string sets;
    for (const auto& set : tried["set"])
      sets += " --set '" + set["pointer"].get<std::string>() + "=" + set["value"].get<std::string>() + "'";
    const Outcome again = run("run " + kSmall + " --engine longest-path --json" + sets);
    ASSERT_EQ(again.status, 0) << again.err;
    EXPECT_EQ(nlohmann::json::parse(again.out)["schedules"][1]["makespan_s"], tried["makespan_s"]) << sets;
  }
}

TEST_F(Explain, RefusesAMeasuredStepThatIsNone) {
  for (const char* wrong : {"0", "-1", "1e300"}) {
    const Outcome refused = run("explain " + kSmall + " --schedule baseline --measured=" + wrong);
    EXPECT_EQ(refused.status, 2) << wrong;
    EXPECT_NE(refused.err.find("seconds above 0"), std::string::npos) << refused.err;
    EXPECT_EQ(refused.out, "");
  }
  const Outcome which = run("explain " + kSmall + " --measured 1");
  EXPECT_EQ(which.status, 2);
  EXPECT_NE(which.err.find("--schedule beside it"), std::string::npos) << which.err;
}

TEST_F(Explain, ExplainsTheRowsOfATable) {
  const Outcome table = run("validate " + kStepTable + kOneCase + " --explain --engine longest-path"),
                document =
                    run("validate " + kStepTable + kOneCase + " --explain --engine longest-path --json");
  EXPECT_EQ(table.status, 0) << table.err;
  EXPECT_NE(table.out.find("llama3_70b_tp2_pp1_dp4_l12_mbc4_cef\n    the measured"), std::string::npos)
      << table.out;
  const auto row = nlohmann::json::parse(document.out)["cases"][0];
  EXPECT_FALSE(row["explanation"]["verdict"].get<std::string>().empty());
  const Outcome trace = run("validate workloads/published/traces/straggler-ar.csv --explain");
  EXPECT_EQ(trace.status, 2);
  EXPECT_NE(trace.err.find("--explain"), std::string::npos) << trace.err;
}

// The settings in the document, given to `run`, reproduce the promised makespan.
TEST_F(Explain, PromisesWhatARunGives) {
  const Outcome explained = run("explain " + kSmall + " --schedule baseline --json");
  ASSERT_EQ(explained.status, 0) << explained.err;
  const auto document = nlohmann::json::parse(explained.out);
  ASSERT_EQ(document["schedules"].size(), 1u);
  for (const auto& tried : document["schedules"][0]["would_help"]) {
    if (tried["makespan_s"].is_null()) continue;
    std::string sets;
    for (const auto& set : tried["set"])
      sets += " --set " + set["pointer"].get<std::string>() + "=" + set["value"].get<std::string>();
    const Outcome again = run("run " + kSmall + " --engine longest-path --json" + sets);
    ASSERT_EQ(again.status, 0) << again.err;
    EXPECT_EQ(nlohmann::json::parse(again.out)["schedules"][1]["makespan_s"], tried["makespan_s"]) << sets;
  }
}

// Another schedule has encoders of 8 pipelines, which refuse one more microbatch.
TEST_F(Explain, OfOneScheduleDependsOnItAlone) {
  const std::string modules = "workloads/experiments/modules.json --set /draws=1",
                    balanced = "[{\"name\": \"balanced\", \"schedule\": \"1f1b\", \"split\": \"balanced\"}]";
  const Outcome one = run("explain " + modules + " --schedule balanced --json"),
                alone = run("explain " + modules + " --json --set '/schedules=" + balanced + "'");
  ASSERT_EQ(one.status, 0) << one.err;
  EXPECT_EQ(nlohmann::json::parse(one.out), nlohmann::json::parse(alone.out));
  EXPECT_EQ(one.out.find("/schedules/2"), std::string::npos);
}

// A limit that no schedule of a file meets refuses the whole file; with --schedule, explain still answers.
TEST_F(Explain, OfOneScheduleSaysWhatWouldHelpItFit) {
  const Outcome one = run("explain " + kSmall + " --schedule mpipe --set '/memory={\"limit_gb\": 1}'");
  EXPECT_EQ(one.status, 0) << one.err;
  EXPECT_NE(one.out.find("does not fit"), std::string::npos);
}

TEST_F(Explain, TakesAnOrderFromAFile) {
  const auto order = folder_ / "mine.csv";
  ASSERT_EQ(run("derive " + kSmall + " --schedule baseline --format csv > '" + order.string() + "'").status,
            0);
  const std::string given = "explain " + kSmall + " --order '" + order.string() + "' --json";
  const Outcome all = run(given), one = run(given + " --schedule mine");
  ASSERT_EQ(one.status, 0) << one.err;
  const auto listed = nlohmann::json::parse(one.out)["schedules"][0];
  EXPECT_EQ(listed, nlohmann::json::parse(all.out)["schedules"][2]);
  EXPECT_EQ(listed["would_help"][0]["refusal"], nullptr);
}

TEST_F(Explain, TakesACaseOfATable) {
  const Outcome text = run("explain " + kStepTable + kOneCase);
  EXPECT_EQ(text.status, 0) << text.err;
  EXPECT_NE(text.out.find("collectives inside passes that take no time"), std::string::npos) << text.out;
  const Outcome all = run("validate " + kStepTable + " --json"),
                one = run("validate " + kStepTable + kOneCase + " --json");
  ASSERT_EQ(one.status, 0) << one.err;
  const auto cases = nlohmann::json::parse(one.out)["cases"];
  ASSERT_EQ(cases.size(), 1u);
  const auto table = nlohmann::json::parse(all.out)["cases"];
  const auto same =
      std::ranges::find_if(table, [&](const auto& of_all) { return of_all["name"] == cases[0]["name"]; });
  ASSERT_NE(same, table.end());
  // SimGrid's clock continues from case to case, which changes the rounding.
  EXPECT_NEAR((*same)["predicted_s"].get<double>(), cases[0]["predicted_s"].get<double>(), 1e-12);
}

TEST_F(Explain, RefusesACaseThatIsNotThere) {
  expect_refused("explain " + kStepTable + " --case llama", "--case: expected one of llama3_70b_l12");
  expect_refused("validate " + kStepTable + " --case llama", "--case: expected one of llama3_70b_l12");
  expect_refused("explain " + kSmall + " --case llama", "an experiment");
  expect_refused("validate workloads/published/traces/straggler-ar.csv --case llama",
                 "--case: expected a table of measured steps");
}

}  // namespace
}  // namespace spillway::testing
