// `spillway compare` as its user meets it.
#include <nlohmann/json.hpp>

#include "program.h"

namespace spillway::testing {
namespace {

using ComparisonDocument = nlohmann::json;

class Compare : public Cli {
 protected:
  // Returns the path of owners.json with slower links.
  std::string slower() const {
    auto document = ComparisonDocument::parse(slurp(kSource / kOwners));
    document["network"]["p2p_ms"] = 2;
    return '\'' + file("slower.json", document.dump()) + '\'';
  }
  static constexpr const char* kOwners = "workloads/experiments/owners.json";
};

TEST_F(Compare, SaysFirstHowMuchAndWhy) {
  const Outcome outcome = run(std::string("compare ") + kOwners + ' ' + slower());
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  EXPECT_TRUE(
      outcome.out.starts_with("pipelined: B is 2.83 % slower than A: 902.5 ms to 928.0 ms; +25.50 ms by "
                              "/network/p2p_ms, 0.5 to"))
      << outcome.out;
}

// docs/compare.md quotes this output. Its commands change the other experiment in the same way.
TEST_F(Compare, SaysWhatItsPageQuotes) {
  std::string text = slurp(kSource / kOwners);
  text.replace(text.find("0.5"), 3, "2");
  const Outcome outcome = run(std::string("compare ") + kOwners + " '" + file("slower.json", text) + '\'');
  const std::size_t from = outcome.out.find("greedy: "), to = outcome.out.find("min-max: ");
  ASSERT_LT(from, to) << outcome.out;
  EXPECT_NE(
      slurp(kSource / "docs/compare.md").find("```text\n" + outcome.out.substr(from, to - from) + "```\n"),
      std::string::npos)
      << outcome.out;
}

TEST_F(Compare, ExitsWithFourWhereAConditionHolds) {
  const std::string files = std::string("compare ") + kOwners + ' ' + slower();
  EXPECT_EQ(run(files + " --fail-if 'makespan_s > 2 %'").status, 4);
  EXPECT_EQ(run(files + " --fail-if 'makespan_s > 50 %'").status, 0);
  EXPECT_EQ(run(files + " --fail-if 'makespan_s > 50 %' --fail-if 'bubble_rate > 1 %'").status, 4);
  const Outcome json = run(files + " --json --fail-if 'makespan_s > 2 %'");
  EXPECT_EQ(json.status, 4);
  EXPECT_EQ(ComparisonDocument::parse(json.out)["schema"], "spillway/comparison/1");
  expect_refused(files + " --fail-if 'makespan > 2 %'", "did you mean makespan_s?");
}

// The report warns of all that `run` looks for, and so does the experiment.
TEST_F(Compare, WarnsOfNothingThatBothSidesHave) {
  const std::string job = "workloads/experiments/small-vlm.json", folder = (folder_ / "out").string();
  const Outcome warned = run("run " + job + " --engine longest-path --out '" + folder + "'");
  ASSERT_NE(warned.out.find("no framework is stated"), std::string::npos) << warned.out;
  const Outcome same = run("compare " + job + " '" + folder + "'");
  EXPECT_EQ(same.out.find("warning"), std::string::npos) << same.out;
}

TEST_F(Compare, ReportsTheErrorsOfBothSides) {
  const std::string a = file("a.json", R"({"schema": "spillway/experiment/1", "wings": 2})"),
                    b = file("b.json", R"({"schema": "spillway/experiment/1", "fins": 3})");
  const Outcome outcome = run("compare '" + a + "' '" + b + '\'');
  EXPECT_EQ(outcome.status, 2);
  EXPECT_NE(outcome.err.find("a.json: /wings"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("b.json: /fins"), std::string::npos) << outcome.err;
}

TEST_F(Compare, TakesTheFolderOfARun) {
  const std::string folder = (folder_ / "out").string();
  ASSERT_EQ(
      run(std::string("run ") + kOwners + " --engine longest-path --quiet --out '" + folder + "'").status, 0);
  const Outcome same = run("compare '" + folder + "' " + kOwners);
  EXPECT_EQ(same.status, 0) << same.err;
  EXPECT_TRUE(same.out.starts_with("no difference")) << same.out;
  const Outcome trace = run("compare '" + folder + "/pipelined.trace.json.gz' " + slower() + " --json");
  EXPECT_EQ(trace.status, 0) << trace.err;
  EXPECT_EQ(ComparisonDocument::parse(trace.out)["a"]["kind"], "trace");
}

TEST_F(Compare, RefusesWhatItCannotRead) {
  expect_refused(std::string("compare ") + kOwners + " nowhere.json", "nowhere.json");
  expect_refused(std::string("compare ") + kOwners + " workloads/studies/small.json", "a sweep");
  expect_refused("compare '" + file("old.json", R"({"schema": "spillway/report/1"})") + "' " + kOwners,
                 "\"spillway/report/1\"");
}

// Names in files must not reach the terminal raw.
TEST_F(Compare, PrintsNamesPrintably) {
  auto document = ComparisonDocument::parse(slurp(kSource / kOwners));
  document["schedules"] = ComparisonDocument::array({{{"name", "a\x1b[31m"}, {"schedule", "1f1b"}}});
  document.erase("baseline");
  const std::string a = file("a.json", document.dump());
  document["network"]["p2p_ms"] = 2;
  document["name"] = "b\x1b[31m";
  const Outcome outcome = run("compare '" + a + "' '" + file("b.json", document.dump()) + "'");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.out.find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace spillway::testing
