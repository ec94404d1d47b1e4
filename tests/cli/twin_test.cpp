// spillway twin, as its user meets it.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "program.h"
#include "support/schema_check.h"
#include "support/temporary_folder.h"

namespace spillway::testing {
namespace {

using Twin = Cli;
using Json = nlohmann::json;

const std::string kMeasuredJob = "workloads/experiments/ascend-910b-pp2.json",
                  kPassTrace = "workloads/published/traces/ascend-910b-pp2.csv";

std::string table(const std::string& rows) {
  return folder_of_process().file("table.csv", "stage,direction,tokens,patches,milliseconds\n" + rows);
}

TEST_F(Twin, OfATraceSaysWhatIsMeasured) {
  const Outcome text = run("twin " + kMeasuredJob + ' ' + kPassTrace + " --engine longest-path");
  EXPECT_EQ(text.status, 0) << text.err;
  EXPECT_NE(text.out.find("Measured passes"), std::string::npos);
  EXPECT_NE(text.out.find("1f1b: 100.0 % of the passes' time is measured"), std::string::npos) << text.out;
}

TEST_F(Twin, PrintsOneDocumentOfItsSchema) {
  const Outcome printed = run("twin " + kMeasuredJob + ' ' + kPassTrace + " --engine longest-path --json");
  ASSERT_EQ(printed.status, 0) << printed.err;
  EXPECT_EQ(SchemaCheck("twin").complaints(Json::parse(printed.out)), "");
  const Json document = Json::parse(printed.out);
  EXPECT_EQ(document["measured"].size(), 4u);
  EXPECT_EQ(document["report"]["schema"], "spillway/report/2");
}

// The written job is one that every command takes: run predicts what twin does.
TEST_F(Twin, WritesAJobThatRunTakes) {
  const auto job = folder_ / "job.json";
  const Outcome made =
      run("twin " + kMeasuredJob + ' ' + kPassTrace + " --engine longest-path --json --out " + job.string());
  ASSERT_EQ(made.status, 0) << made.err;
  const Outcome again = run("run " + job.string() + " --engine longest-path --json");
  ASSERT_EQ(again.status, 0) << again.err;
  EXPECT_EQ(Json::parse(again.out)["schedules"][0]["makespan_s"],
            Json::parse(made.out)["report"]["schedules"][0]["makespan_s"]);
}

TEST_F(Twin, OfASlowStageIsSlower) {
  const auto step = [&](const std::string& ms) {
    const std::string rows = "llm:0-14,forward,4096,," + ms + "\nllm:0-14,backward,4096,," + ms + '\n';
    const Outcome out = run("twin " + kMeasuredJob + ' ' + table(rows) + " --engine longest-path --json");
    EXPECT_EQ(out.status, 0) << out.err;
    return Json::parse(out.out)["report"]["schedules"][0]["makespan_s"].get<double>();
  };
  EXPECT_LT(step("50") + 0.5, step("500"));
}

TEST_F(Twin, RefusesARowThatIsNotOfTheJob) {
  const Outcome out =
      run("twin " + kMeasuredJob + ' ' + table("vit,forward,,784,1\nllm:0-99,forward,8,,1\n"));
  EXPECT_EQ(out.status, 2);
  EXPECT_NE(out.err.find("line 2: expected a stage of blocks llm"), std::string::npos) << out.err;
  EXPECT_NE(out.err.find("line 3: expected layers of llm"), std::string::npos) << out.err;
}

TEST_F(Twin, DoubtsSecondsInPlaceOfMilliseconds) {
  const Outcome out =
      run("twin " + kMeasuredJob + ' ' +
          table("llm:0-14,forward,4096,,0.02\nllm:0-14,backward,4096,,0.04\n") + " --engine longest-path");
  EXPECT_EQ(out.status, 0) << out.err;
  EXPECT_NE(out.out.find("table.csv: line"), std::string::npos) << out.out;
  EXPECT_EQ(out.out.find("/measured/passes"), std::string::npos)
      << "the job's own place is no file of the user";
}

TEST_F(Twin, SaysThatPatchesOfTheLanguageModelChangeNothing) {
  const Outcome out = run("twin workloads/experiments/small-vlm.json " +
                          table("enc,forward,,64,1.5\nllm,forward,64,64,2.5\n") + " --engine longest-path");
  EXPECT_EQ(out.status, 0) << out.err;
  EXPECT_NE(out.out.find("the patches of 1 row change nothing"), std::string::npos) << out.out;
}

TEST_F(Twin, RefusesAScheduleThatTheJobDoesNotHave) {
  const Outcome out = run("twin " + kMeasuredJob + ' ' + kPassTrace + " --schedule nope");
  EXPECT_EQ(out.status, 2);
  EXPECT_EQ(out.err,
            "command line: --schedule: expected a schedule of ascend-910b-pp2: 1f1b, found \"nope\"\n");
}

// The measured trace, as if this program had written it of a schedule of this name.
std::string trace_of(const std::string& schedule) {
  const std::string trace = slurp(kSource / kPassTrace);
  const std::size_t line = trace.find('\n') + 1;
  return folder_of_process().file(
      "named.csv", trace.substr(0, line) + "# schedule " + schedule + '\n' + trace.substr(line));
}

// Two schedules of two stages each, which have other layers.
const std::string kUneven =
    kMeasuredJob +
    R"( --set '/schedules=[{"name":"even","schedule":"1f1b"},{"name":"found","schedule":"1f1b","layers_per_rank":[10,18]}]')";

TEST_F(Twin, ReadsATraceWithTheStagesOfTheScheduleThatItNames) {
  for (const auto& [named, stage] : {std::pair("even", "llm:0-14"), std::pair("found", "llm:0-10")}) {
    const Outcome out = run("twin " + kUneven + " " + trace_of(named) + " --engine longest-path");
    EXPECT_EQ(out.status, 0) << out.err;
    EXPECT_NE(out.out.find(stage), std::string::npos) << out.out;
    EXPECT_NE(out.out.find("read with the stages of schedule " + std::string(named)), std::string::npos);
  }
}

TEST_F(Twin, RefusesATraceOfAScheduleThatTheJobDoesNotHave) {
  const std::string twin = "twin " + kUneven + " " + trace_of("synthesized") + " --engine longest-path";
  expect_refused(twin,
                 "named.csv: schedule: expected one of ascend-910b-pp2 (even, found): add the trace's to its "
                 "schedules, or choose one with the same stages by --schedule, found \"synthesized\"");
  const Outcome chosen = run(twin + " --schedule found");
  EXPECT_EQ(chosen.status, 0) << chosen.err;
  EXPECT_NE(chosen.out.find("llm:0-10"), std::string::npos) << chosen.out;
}

TEST_F(Twin, RefusesAJobWithoutAPlatform) {
  const Outcome out = run("twin " + kSmall + ' ' + kPassTrace);
  EXPECT_EQ(out.status, 2);
  EXPECT_NE(out.err.find("blocks with architectures"), std::string::npos) << out.err;
}

TEST_F(Twin, RefusesAStepThatTheTraceDoesNotHave) {
  const Outcome out = run("twin " + kMeasuredJob + ' ' + kPassTrace + " --step 99");
  EXPECT_EQ(out.status, 2) << out.out;
}

// Passes of one platform say nothing of another.
TEST_F(Twin, OfAPlanJobIsOfOnePlatform) {
  const Outcome out = run("twin workloads/jobs/llama-3-8b.json " +
                          table("llm:0-4,forward,8192,,40\nllm:0-4,backward,8192,,90\n"));
  EXPECT_EQ(out.status, 2);
  EXPECT_NE(out.err.find("/clusters: expected one platform, on which the passes of /measured were measured, "
                         "found HGX H100 and HGX H200"),
            std::string::npos)
      << out.err;
}

}  // namespace
}  // namespace spillway::testing
