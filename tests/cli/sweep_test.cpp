// `spillway sweep` and `sweep export`, against `run` and the contract of their columns.
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "sweeps.h"

namespace spillway::testing {
namespace {

using Json = nlohmann::json;

const std::string kExperimentA = "workloads/experiments/experiment-a.json";
using Row = std::vector<std::string>;

// Splits at commas; fields must not be quoted.
std::vector<Row> csv_rows(const std::string& text) {
  std::vector<Row> rows;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream fields(line + ',');
    Row& row = rows.emplace_back();
    for (std::string field; std::getline(fields, field, ',');) row.push_back(field);
  }
  return rows;
}

std::vector<Row> first_columns(const std::vector<Row>& rows, std::size_t count) {
  std::vector<Row> cut;
  for (const Row& row : rows) cut.emplace_back(row.begin(), row.begin() + static_cast<long>(count));
  return cut;
}

const std::string kContractGrid =
    R"("axes": [ { "pointer": "/pipeline/ranks", "values": [4, 2] },
      { "pointer": "/pipeline/microbatches", "range": { "from": 8, "to": 32, "factor": 2 } } ],
      "draws": 5, "seed": 3, "engine": "longest-path")";

TEST_F(Sweeps, ExportARowForEachPointAndScheduleInGridOrder) {
  const std::string file = this->file("s.json", sweep_text(kContractGrid));
  const auto rows = csv_rows(exported(swept(file, "s.sqlite")));
  ASSERT_EQ(rows.size(), 13u);
  EXPECT_EQ(first_columns(rows, 9)[0],
            (Row{"/pipeline/ranks", "/pipeline/microbatches", "schedule", "makespan_s_mean", "makespan_s_p50",
                 "makespan_s_ci95", "speedup_mean", "bubble_fraction_mean", "max_spill_s_mean"}));
  std::size_t row = 0;
  for (const char* ranks : {"4", "2"})
    for (const char* microbatches : {"8", "16", "32"})
      for (const char* schedule : {"mpipe", "megatron"})
        EXPECT_EQ(first_columns(rows, 3)[++row], (Row{ranks, microbatches, schedule}));
}

TEST_F(Sweeps, NameTheirExperimentByItsPlaceToo) {
  fs::copy(kSource / kSmall, folder_ / "small.json");
  const std::string by_path = file("s.json", R"({ "schema": "spillway/sweep/1", "experiment": "small.json",
    "axes": [ { "pointer": "/network/p2p_ms", "values": [0, 2.5] } ] })");
  const auto rows = csv_rows(exported(swept(by_path, "s.sqlite")));
  EXPECT_EQ(first_columns(rows, 2), (std::vector<Row>{{"/network/p2p_ms", "schedule"},
                                                      {"0", "mpipe"},
                                                      {"0", "baseline"},
                                                      {"2.5", "mpipe"},
                                                      {"2.5", "baseline"}}));
}

TEST_F(Sweeps, ExportTheSameAsJson) {
  const std::string store = swept(file("s.json", sweep_text(grid_text(2))), "s.sqlite");
  const auto rows = csv_rows(exported(store));
  const Json json = Json::parse(exported(store, "json"));
  EXPECT_EQ(json["schema"], "spillway/sweep-results/1");
  ASSERT_EQ(json["rows"].size() + 1, rows.size());
  for (std::size_t row = 1; row < rows.size(); ++row) {
    for (std::size_t column = 0; column < rows[0].size(); ++column) {
      const Json& figure = json["rows"][row - 1][rows[0][column]];
      const std::string& field = rows[row][column];
      EXPECT_TRUE(figure.is_null()     ? field.empty()
                  : figure.is_string() ? figure == field
                                       : figure == Json::parse(field))
          << rows[0][column] << ": " << figure << ", " << field;
    }
  }
}

TEST_F(Sweeps, ExplainEveryColumnWithItsUnit) {
  const std::string store = swept(file("s.json", sweep_text(kContractGrid)), "s.sqlite");
  const auto header = csv_rows(exported(store)).front();
  const std::string dictionary = exported(store, "columns");
  EXPECT_EQ(dictionary.rfind("name,unit,meaning\n", 0), 0u);
  for (const std::string& column : header)
    EXPECT_NE(dictionary.find('\n' + column + ','), std::string::npos) << column;
  EXPECT_NE(dictionary.find("\nmakespan_s_mean,s,"), std::string::npos) << dictionary;
}

// A figure that is the same in all draws is a plain number, without a spread.
Json part_of(const Json& figure, const std::string& part) {
  if (figure.is_object()) return figure[part];
  return part == "ci95" ? Json(0.0) : figure;
}

// Compares bit by bit: both outputs print numbers that read back exactly.
void expect_figures_of_run(const Json& row, const Json& report) {
  for (const Json& schedule : report["schedules"]) {
    if (schedule["name"] != row["schedule"]) continue;
    for (const char* figure : {"makespan_s", "speedup"})
      EXPECT_EQ(row[std::string(figure) + "_mean"], part_of(schedule[figure], "mean")) << row;
    for (const char* part : {"p5", "p50", "p95", "p99", "ci95"})
      EXPECT_EQ(row[std::string("makespan_s_") + part], part_of(schedule["makespan_s"], part)) << row;
    EXPECT_EQ(row["speedup_ci95"], part_of(schedule["speedup"], "ci95")) << row;
    EXPECT_EQ(row["bubble_fraction_mean"], part_of(schedule["bubble_fraction"], "mean")) << row;
    EXPECT_EQ(row["max_spill_s_mean"], part_of(schedule["max_spill_s"], "mean")) << row;
    EXPECT_EQ(row["exposed_encoder_s_mean"], part_of(schedule["exposed_encoder_s"], "mean")) << row;
    return;
  }
  ADD_FAILURE() << "a schedule that the report lacks: " << row;
}

TEST_F(Sweeps, SayOfAPointWhatRunSaysOfIt) {
  const std::string text = sweep_text(kContractGrid);
  const std::string experiment = file("e.json", Json::parse(text)["experiment"].dump());
  const Json all = Json::parse(exported(swept(file("s.json", text), "s.sqlite"), "json"));
  std::size_t compared = 0;
  for (const Json& row : all["rows"]) {
    if (row["/pipeline/microbatches"] == 16) continue;
    const Outcome point =
        run("run " + experiment + " --json --engine longest-path --draws 5 --seed 3 --set /pipeline/ranks=" +
            row["/pipeline/ranks"].dump() +
            " --set /pipeline/microbatches=" + row["/pipeline/microbatches"].dump());
    expect_figures_of_run(row, Json::parse(point.out));
    ++compared;
  }
  EXPECT_EQ(compared, 8u);
}

TEST_F(Sweeps, TakeRefusedPointsForResults) {
  const std::string sweep = file("s.json", sweep_text(R"("axes": [
    { "pointer": "/pipeline/ranks", "values": [4, 16, 2] } ])"));
  const Outcome outcome = run("sweep " + sweep + " --out " + store("s.sqlite"));
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("shrunk: 2 points evaluated, 1 refused"), std::string::npos) << outcome.out;
  const Json rows = Json::parse(exported(store("s.sqlite"), "json"))["rows"];
  ASSERT_EQ(rows.size(), 5u);
  EXPECT_EQ(rows[2]["/pipeline/ranks"], 16);
  EXPECT_TRUE(rows[2]["schedule"].is_null());
  EXPECT_NE(rows[2]["refusal"].get<std::string>().find("expected at least 16 layers"), std::string::npos);
  EXPECT_TRUE(rows[3]["refusal"].is_null());
}

TEST_F(Sweeps, EndWithASummaryTheAssumptionsAndWhatIsNext) {
  const std::string sweep = file("s.json", sweep_text(kContractGrid));
  const Outcome outcome = run("sweep " + sweep + " --out " + store("s.sqlite"));
  for (const char* said : {"shrunk: 6 points evaluated", "largest speedup", "assumed: round numbers",
                           "6 points computed in this run", "export"})
    EXPECT_NE(outcome.out.find(said), std::string::npos) << said << '\n' << outcome.out;
  EXPECT_NE(outcome.err.find("6 of 6 points"), std::string::npos) << outcome.err;
  const Outcome quiet = run("sweep " + sweep + " --quiet --out " + store("quiet.sqlite"));
  EXPECT_EQ(quiet.out + quiet.err, "");
}

// A fitted schedule's step is the same whatever is swept: it must not pass for a result.
TEST_F(Sweeps, SayThatAFitIsMadeAnewAtEachPoint) {
  const std::string sweep = file("s.json", R"({ "schema": "spillway/sweep/1",
    "experiment": ")" + (kSource / kExperimentA).string() +
                                               R"(",
    "axes": [ { "pointer": "/pipeline/microbatches", "values": [16, 32] } ] })");
  const Outcome outcome = run("sweep " + sweep + " --out " + store("s.sqlite"));
  EXPECT_NE(outcome.out.find("again at each point"), std::string::npos) << outcome.out << outcome.err;
}

TEST_F(Sweeps, AreDrawn) {
  const std::string store = swept(file("s.json", sweep_text(kContractGrid)), "s.sqlite");
  const fs::path picture = folder_ / "s.svg";
  const Outcome drawn = run("sweep plot " + store + " --x /pipeline/microbatches --at /pipeline/ranks=4" +
                            " --metric makespan_s_mean --out " + picture.string());
  EXPECT_EQ(drawn.status, 0) << drawn.err;
  EXPECT_NE(slurp(picture).find("microbatches"), std::string::npos);
}

TEST_F(Sweeps, HaveHelpWithAnExampleForEachCommand) {
  for (const std::string command : {"sweep", "sweep export", "sweep merge", "sweep plot"}) {
    const Outcome help = run(command + " --help");
    EXPECT_EQ(help.status, 0);
    EXPECT_NE(help.out.find("Example: spillway " + command), std::string::npos) << help.out;
  }
}

}  // namespace
}  // namespace spillway::testing
