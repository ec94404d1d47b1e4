// `derive --check`: the example of docs/schedules.md, contradictory options, and programs that are no
// programs.
#include <nlohmann/json.hpp>

#include "program.h"
#include "support/schema_check.h"

namespace spillway::testing {
namespace {

class CheckCli : public Cli {
 protected:
  // The program of a schedule whose receives are posted right before they are waited for.
  std::string posted_late() const {
    auto document =
        nlohmann::ordered_json::parse(run("derive small --schedule baseline --format program").out);
    for (auto& program : document["programs"]) program["actions"] = late(program["actions"]);
    return file("late.json", document.dump());
  }

 private:
  static nlohmann::ordered_json late(const nlohmann::ordered_json& actions) {
    nlohmann::ordered_json all = nlohmann::ordered_json::array();
    const auto by_id = [&](const nlohmann::ordered_json& id) {
      return *std::ranges::find_if(actions, [&](const auto& action) { return action["id"] == id; });
    };
    for (const auto& action : actions) {
      if (action["op"] == "post_receive") continue;
      if (action["op"] == "wait" && by_id(action["for"])["op"] == "send") continue;
      if (action["op"] == "wait") all.push_back(by_id(action["for"]));
      all.push_back(action);
      if (action["op"] != "send") continue;
      for (const auto& wait : actions)
        if (wait["op"] == "wait" && wait["for"] == action["id"]) all.push_back(wait);
    }
    return all;
  }
};

TEST_F(CheckCli, SaysThatALoweredProgramIsSafe) {
  const Outcome outcome = run("derive small --check --json");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const auto document = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(SchemaCheck("check").complaints(document), "");
  EXPECT_EQ(document["safe"], true);
  EXPECT_EQ(document["semantics"], "rendezvous");
  EXPECT_EQ(document["buffers_needed"], 0);
  EXPECT_EQ(document["cycle"], nullptr);
}

TEST_F(CheckCli, NamesTheCycleOfAProgramThatBlocks) {
  const std::string late = posted_late();
  const Outcome text = run("derive " + late + " --check");
  EXPECT_EQ(text.status, 4) << text.err;
  EXPECT_EQ(
      text.out,
      "blocks: small, schedule baseline can block for ever under rendezvous sends. 1 buffer for each ordered "
      "pair of ranks is enough.\n"
      "Each of these waits for the next, the last one for the first:\n"
      "  rank 2, action 72: waits until rank 3 posts a receive for the output of stage 2, microbatch 1 (send "
      "62)\n"
      "  rank 3, action 98: waits until rank 2 posts a receive for the gradient of stage 2's output, "
      "microbatch 0 (send 91)\n");
  const Outcome json = run("derive " + late + " --check --json --semantics rendezvous");
  EXPECT_EQ(json.status, 4);
  const auto document = nlohmann::json::parse(json.out);
  EXPECT_EQ(SchemaCheck("check").complaints(document), "");
  EXPECT_EQ(document["safe"], false);
  EXPECT_EQ(document["cycle"], (nlohmann::json{72, 98}));
  EXPECT_EQ(run("derive " + late + " --check --buffers 0").status, 4);
  EXPECT_EQ(run("derive " + late + " --check --buffers 1").status, 0);
  EXPECT_EQ(run("derive " + late + " --check --semantics buffered").status, 0);
}

TEST_F(CheckCli, RefusesOptionsThatContradictEachOther) {
  expect_refused("derive small --check --semantics buffered --buffers 1",
                 "--buffers: expected no --semantics");
  expect_refused("derive small --check --semantics eager", "--semantics: expected buffered or rendezvous");
  expect_refused("derive small --check --format text", "--format: expected no --check");
  expect_refused("derive small --check --out x", "--out: expected no --check");
  expect_refused("derive small --json", "--json: expected --check beside it");
  expect_refused("derive small --buffers 1", "--buffers: expected --check");
  for (const std::string buffers : {"-1", "0.5", "4294967296", "many"})
    expect_refused("derive small --check --buffers " + buffers,
                   "command line: --buffers: expected a whole number from 0 to 4294967295, found " + buffers);
  expect_refused("derive " + posted_late() + " --check --schedule a", "--schedule: expected an experiment");
  expect_refused("derive " + posted_late(), "/schema: expected \"spillway/experiment/1\"");
}

// A program without an update trains nothing, and does not block.
TEST_F(CheckCli, SaysThatTrainingIsNotChecked) {
  auto document = nlohmann::ordered_json::parse(run("derive small --format program").out);
  for (auto& program : document["programs"])
    for (auto& action : program["actions"])
      if (action["op"] == "update") action = {{"id", action["id"]}, {"op", "barrier"}, {"seconds", 0}};
  for (auto& program : document["programs"]) program["actions"].erase(program["actions"].size() - 1);
  const Outcome outcome = run("derive " + file("no-update.json", document.dump()) + " --check");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("Not checked: whether these passes train the model.\n"), std::string::npos)
      << outcome.out;
}

TEST_F(CheckCli, RefusesBytesThatNoProgramHolds) {
  const std::string bytes = " --set /model/blocks/1/profile/output_bytes=1e20";
  for (const std::string rest : {" --check", " --format program"})
    expect_refused("derive small --schedule baseline" + bytes + rest,
                   "experiment: /schedules/1: expected messages, broadcasts and reductions of at most "
                   "9007199254740992 bytes each (2^53), which a program holds, found one of ");
}

TEST_F(CheckCli, TakesAProgramFromAPipe) {
  const std::string program = file("program.json", run("derive small --format program").out);
  const Outcome piped = run("derive /dev/stdin --check", "cat " + program + " |");
  EXPECT_EQ(piped.status, 0) << piped.err;
  EXPECT_EQ(piped.out, run("derive " + program + " --check").out);
}

TEST_F(CheckCli, ReportsWhatIsWrongWithAProgram) {
  const std::string text = run("derive small --format program").out;
  auto document = nlohmann::ordered_json::parse(text);
  document["stages"] = nlohmann::ordered_json::array();
  expect_refused("derive " + file("no-stages.json", document.dump()) + " --check",
                 "/stages: expected a list of stages, found an empty list");
  expect_refused("derive " + file("cut.json", text.substr(0, 5000)) + " --check",
                 "found the end of the file after ");
}

}  // namespace
}  // namespace spillway::testing
