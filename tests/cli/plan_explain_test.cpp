// `spillway plan --explain` as its user meets it.
#include <nlohmann/json.hpp>

#include "program.h"
#include "support/nightly.h"

namespace spillway::testing {
namespace {

using ExplanationDocument = nlohmann::json;

const std::string kPlanned = "workloads/jobs/llama-3-8b.json";

using PlanExplain = Cli;

// Every written plan is found again, with its figures and its number. A cluster of 16 devices has enough
// plans, every day of one framework.
TEST_F(PlanExplain, FindsTheWrittenPlansAgain) {
  auto job = ExplanationDocument::parse(slurp(kSource / kPlanned));
  job["clusters"] = {{{"platform", "hgx-h100"}, {"devices", {16}}}};
  job["model"]["blocks"][0]["architecture"] = "llama-3-8b";
  const std::string some = is_nightly() ? "" : " --framework nemo";
  const std::string plan = "plan '" + file("job.json", job.dump()) + "' --json --quiet --top 3" + some;
  const Outcome planned = run(plan + " --write '" + folder_.string() + "'");
  ASSERT_EQ(planned.status, 0) << planned.err;
  const auto plans = ExplanationDocument::parse(planned.out)["plans"];
  for (std::size_t i = 0; i < 3; ++i) {
    const std::string written = (folder_ / ("plan-" + std::to_string(i + 1) + ".json")).string();
    const Outcome said = run(plan + " --explain '" + written + "'");
    ASSERT_EQ(said.status, 0) << said.err;
    const auto document = ExplanationDocument::parse(said.out);
    EXPECT_EQ(document["plan"]["number"], i + 1);
    EXPECT_EQ(document["plan"]["stands_for_it"], false);
    EXPECT_EQ(document["fate"] == "recommended", i == 0);
    EXPECT_EQ(document["notes"], ExplanationDocument::array());
    EXPECT_EQ(document["launch"], plans[i]["launch"]);
    EXPECT_EQ(document["launch_reason"], plans[i]["launch_reason"]);
    EXPECT_EQ(document["figures"]["step_s"], plans[i]["step_s"]);
    EXPECT_EQ(document["figures"]["peak_memory_bytes"], plans[i]["peak_memory_bytes"]);
    EXPECT_EQ(document["step_interval_s"], plans[i]["step_interval_s"]);
  }
}

TEST_F(PlanExplain, AnswersForALayoutThatIsNone) {
  const Outcome said = run("plan " + kPlanned + " --framework nemo --quiet --explain 'P=3 R=5 devices=32'");
  EXPECT_EQ(said.status, 0) << said.err;
  EXPECT_NE(said.out.find("why: it is no legal layout of this job: "), std::string::npos) << said.out;
}

TEST_F(PlanExplain, IsRefusedBesideFilesOfPlans) {
  const Outcome said =
      run("plan " + kPlanned + " --quiet --explain 'P=2' --write '" + folder_.string() + "'");
  EXPECT_EQ(said.status, 2);
  EXPECT_NE(said.err.find("--write: expected no such option beside --explain"), std::string::npos)
      << said.err;
}

TEST_F(PlanExplain, OfAFileThatIsNoExperimentIsRefused) {
  const Outcome said = run("plan " + kPlanned + " --quiet --explain '" + kPlanned + "'");
  EXPECT_EQ(said.status, 2);
  EXPECT_EQ(said.out, "");
  EXPECT_NE(said.err.find("/schema: expected \"spillway/experiment/1\""), std::string::npos) << said.err;
}

// Where no layout fits, the message says what the nearest needs, and what would make it fit.
TEST_F(PlanExplain, OfWhatNothingFitsComesWithTheRefusal) {
  auto job = ExplanationDocument::parse(slurp(kSource / kPlanned));
  job["clusters"] = {{{"platform", "hgx-h100"}, {"devices", {2}}}};
  job["model"]["blocks"][0]["architecture"] = "llama-3-8b";
  job["search"]["recompute"] = {"none"};
  const Outcome said = run("plan '" + file("job.json", job.dump()) + "' --quiet");
  EXPECT_EQ(said.status, 3);
  EXPECT_EQ(said.out, "");
  EXPECT_NE(said.err.find("no plan fits: the nearest, HGX H100 under "), std::string::npos) << said.err;
  EXPECT_NE(said.err.find("memory of each rank, and what it is of"), std::string::npos) << said.err;
  EXPECT_NE(said.err.find("what would make it fit, one change at a time"), std::string::npos) << said.err;
  EXPECT_NE(said.err.find("devices"), std::string::npos) << said.err;
}

}  // namespace
}  // namespace spillway::testing
