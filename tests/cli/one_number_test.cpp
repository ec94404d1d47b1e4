// Figures of one name have one value in every output of a run: the report, its table, a comparison, a point
// of a sweep and an explanation. Pages show values of the report by their place (tests/report_html), Python
// gives the documents of --json (tests/python).
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "support/nightly.h"
#include "sweeps.h"

namespace spillway::testing {
namespace {

using Json = nlohmann::json;
using Figures = std::map<std::string, double>;  // by key of a schedule in spillway/report/2
using BySchedule = std::map<std::string, Figures>;

// Fitting Experiment A takes seconds; every day it is Experiment B, with as many schedules.
const std::string kToldJob =
    "workloads/experiments/" + std::string(is_nightly() ? "experiment-a" : "experiment-b") + ".json";

double shown(const std::string& key, const Json& figure) {
  if (figure.is_number()) return figure;
  return figure[key == "peak_memory_bytes" ? "max" : "mean"];
}

BySchedule in_report(const Json& report) {
  BySchedule all;
  for (const Json& schedule : report["schedules"])
    for (const auto& [key, figure] : schedule.items())
      if (figure.is_number() || (figure.is_object() && figure.contains("ci95")))
        all[schedule["name"]][key] = shown(key, figure);
  return all;
}

BySchedule in_comparison(const Json& comparison, const char* side) {
  BySchedule all;
  for (const Json& schedule : comparison["schedules"])
    for (const auto& [key, figure] : schedule["figures"].items()) all[schedule["name"]][key] = figure[side];
  return all;
}

BySchedule in_sweep(const Json& rows) {
  BySchedule all;
  for (const Json& row : rows)
    for (const auto& [column, value] : row.items()) {
      const std::size_t end = column.rfind('_');
      const std::string part = end == std::string::npos ? "" : column.substr(end);
      if (value.is_number() && (part == "_mean" || part == "_max"))
        all[row["schedule"]][column.substr(0, end)] = value;
    }
  return all;
}

// Two blanks separate cells.
std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  for (std::size_t at = line.find_first_not_of(' '); at != std::string::npos;) {
    const std::size_t end = line.find("  ", at);
    cells.push_back(line.substr(at, end == std::string::npos ? end : end - at));
    at = end == std::string::npos ? end : line.find_first_not_of(' ', end);
  }
  return cells;
}

// Returns the heading and the rows of the first table.
std::vector<std::vector<std::string>> table_in(const std::string& text) {
  std::vector<std::vector<std::string>> rows;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::vector<std::string> cells = cells_of(line);
    if (rows.empty() && (cells.size() < 2 || cells[1] != "makespan")) continue;
    if (cells.size() < 2) break;
    rows.push_back(cells);
  }
  return rows;
}

// "37.56 GB" stands for 37.56e9, within half of its last digit.
void expect_told(const std::string& cell, double value) {
  const std::map<std::string, double> units = {{"GB", 1e9}, {"MB", 1e6}, {"%", 0.01}, {"x", 1}, {"s", 1}};
  std::size_t end = 0;
  const double number = std::stod(cell, &end);
  const std::size_t point = cell.find('.');
  const double digit = point < end ? std::pow(10, -static_cast<double>(end - point - 1)) : 1;
  std::string unit = cell.substr(end);
  std::erase_if(unit, [](char c) { return c == ' ' || c == '!'; });
  const double scale = unit.empty() ? 1 : units.at(unit);
  EXPECT_NEAR(number * scale, value, digit * scale / 2 * (1 + 1e-9)) << cell;
}

class OneNumber : public Sweeps {
 protected:
  Json document(const std::string& arguments) const {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return Json::parse(outcome.out);
  }

  // The same run for all of a test.
  const std::string& report_text() {
    if (report_.empty())
      report_ = run("run " + kToldJob + " --engine longest-path --draws 5 --seed 3 --json").out;
    return report_;
  }
  Json report() { return Json::parse(report_text()); }

  // Returns the path of an experiment that states the report's draws and seed; the told one states others.
  std::string experiment() const {
    Json experiment = Json::parse(slurp(kSource / kToldJob));
    experiment["draws"] = 5;
    experiment["seed"] = 3;
    std::string text = experiment.dump();
    const std::string there = (kSource / "workloads").string();
    for (std::size_t at = 0; (at = text.find("\"../", at)) != std::string::npos;)
      text.replace(at, 4, '"' + there + '/');
    return file("e.json", text);
  }

  // Returns the number of figures that both have.
  static std::size_t expect_equal(const BySchedule& one, const BySchedule& other) {
    std::size_t common = 0;
    for (const auto& [schedule, figures] : one)
      for (const auto& [key, value] : figures) {
        const auto there = other.find(schedule);
        if (there == other.end() || !there->second.contains(key)) continue;
        EXPECT_EQ(value, there->second.at(key)) << schedule << ": " << key;
        ++common;
      }
    return common;
  }

 private:
  std::string report_;
};

TEST_F(OneNumber, MemoryIsTheMostOverTheDraws) {
  const Json memory = report()["schedules"][0]["peak_memory_bytes"];
  EXPECT_GT(memory["max"], memory["mean"]);
  EXPECT_GE(memory["max"], memory["p99"]);
}

TEST_F(OneNumber, OfTheReportIsThatOfItsTable) {
  const BySchedule figures = in_report(report());
  const auto rows = table_in(run("run " + kToldJob + " --engine longest-path --draws 5 --seed 3").out);
  const std::map<std::string, std::string> keys = {
      {"makespan", "makespan_s"},    {"speedup", "speedup"},       {"peak mem.", "peak_memory_bytes"},
      {"bubble", "bubble_fraction"}, {"max spill", "max_spill_s"}, {"exposed enc", "exposed_encoder_s"}};
  ASSERT_EQ(rows.size(), 1 + figures.size());
  std::size_t told = 0;
  for (std::size_t row = 1; row < rows.size(); ++row)
    for (std::size_t column = 0; column < rows[row].size(); ++column) {
      const auto key = keys.find(rows[0][column]);
      if (key == keys.end() || rows[row][column] == "-") continue;
      expect_told(rows[row][column], figures.at(rows[row][0]).at(key->second));
      ++told;
    }
  EXPECT_EQ(told, 3 * 4 + 2u);
}

TEST_F(OneNumber, OfTheReportIsThatOfAComparison) {
  const std::string file = this->file("report.json", report_text());
  const Json both = document("compare '" + file + "' '" + experiment() + "' --json");
  EXPECT_GT(expect_equal(in_report(report()), in_comparison(both, "a")), 3 * 8u);
}

TEST_F(OneNumber, OfAnExperimentIsThatOfItsReport) {
  const std::string made = file("report.json", report_text());
  const Json both = document("compare '" + experiment() + "' '" + made + "' --json");
  EXPECT_GT(expect_equal(in_comparison(both, "a"), in_comparison(both, "b")), 3 * 8u);
}

TEST_F(OneNumber, OfTheReportIsThatOfAPointOfASweep) {
  const std::string sweep =
      file("s.json", R"({ "schema": "spillway/sweep/1", "experiment": ")" + (kSource / kToldJob).string() +
                         R"(", "axes": [ { "pointer": "/pipeline/microbatches",
                                                   "values": [32] } ], "draws": 5, "seed": 3 })");
  const Json rows = Json::parse(exported(swept(sweep, "s.sqlite"), "json"))["rows"];
  EXPECT_GT(expect_equal(in_report(report()), in_sweep(rows)), 3 * 6u);
}

TEST_F(OneNumber, OfAnExplanationIsTheReportsMeanOrHasANameOfItsOwn) {
  const std::string few = kToldJob + " --set /draws=5 --json";
  const Json explained = document("explain " + few);
  const Json own = document("run " + few + " --engine longest-path");
  for (std::size_t i = 0; i < own["schedules"].size(); ++i)
    EXPECT_EQ(explained["schedules"][i]["mean_makespan_s"], own["schedules"][i]["makespan_s"]["mean"]);
}

// Figures of the first draw say so; the figures over all draws have the names without it.
TEST_F(OneNumber, OfTheFirstDrawIsSaidToBe) {
  const Json spill = report()["schedules"][0]["spill"];
  EXPECT_TRUE(spill["explanation"].get<std::string>().starts_with("in the first draw max spill "));
  const Json one = document("run " + kToldJob + " --engine longest-path --draws 1 --json")["schedules"][0];
  EXPECT_EQ(one["spill"]["exposed_s"], one["exposed_encoder_s"]);
  EXPECT_EQ(one["spill"]["formula_s"], one["max_spill_s"]);
  EXPECT_TRUE(one["spill"]["explanation"].get<std::string>().starts_with("max spill "));
}

}  // namespace
}  // namespace spillway::testing
