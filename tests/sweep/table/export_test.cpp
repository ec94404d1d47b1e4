#include "sweep/table/export.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/csv.h"
#include "outcomes.h"
#include "support/property.h"
#include "sweep/table/axis.h"

namespace spillway::testing {
namespace {

using nlohmann::json;

struct Point {
  std::vector<std::string> values;
  PointOutcome outcome;
};

std::string exported(const SweepHeading& heading, const std::vector<Point>& points, SweepFormat format) {
  std::ostringstream out;
  SweepExport writer(out, heading, format);
  for (const Point& point : points) writer.add(point.values, &point.outcome);
  EXPECT_EQ(writer.finish(), 0u);
  return out.str();
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

TEST(SweepCsv, OneLinePerPointAndSchedule) {
  const PointOutcome outcome = point_of({schedule_of("slow", {4, 8}), schedule_of("fast", {2, 4})});
  const auto lines = lines_of(exported(
      heading_of({"/pipeline/ranks", "/schedules/0/owner"}),
      {{{"4", "\"greedy\""}, outcome}, {{"8", "\"greedy\""}, refused("no, \"x\"")}}, SweepFormat::Csv));
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_TRUE(lines[0].starts_with("/pipeline/ranks,/schedules/0/owner,schedule,makespan_s_mean,"));
  EXPECT_TRUE(lines[1].starts_with("4,greedy,slow,6,4,"));
  EXPECT_TRUE(lines[2].starts_with("4,greedy,fast,3,2,"));
  EXPECT_EQ(lines[3], "8,greedy,," + std::string(kSweepFigures + 3, ',') + "\"no, \"\"x\"\"\"");
}

TEST(SweepExport, SaysWhatIsNotRankedAndWhy) {
  PointOutcome outcome = point_of({schedule_of("a", {4}), schedule_of("omni", {2})});
  outcome.schedules[1].unranked = "its rule, is not public";
  const auto lines = lines_of(exported(heading_of({}), {{{}, outcome}}, SweepFormat::Csv));
  EXPECT_TRUE(lines[1].ends_with(",,")) << lines[1];
  EXPECT_TRUE(lines[2].ends_with(",\"its rule, is not public\",")) << lines[2];
  const json rows = json::parse(exported(heading_of({}), {{{}, outcome}}, SweepFormat::Json))["rows"];
  EXPECT_EQ(rows[0]["unranked_reason"], nullptr);
  EXPECT_EQ(rows[1]["unranked_reason"], "its rule, is not public");
}

TEST(SweepCsv, FieldsAreQuotedWhereTheyMustBe) {
  EXPECT_EQ(csv_field("plain words"), "plain words");
  EXPECT_EQ(csv_field("a,b"), "\"a,b\"");
  EXPECT_EQ(csv_field("say \"no\""), "\"say \"\"no\"\"\"");
  EXPECT_EQ(csv_field("two\nlines"), "\"two\nlines\"");
}

TEST(SweepCsv, OnlyPlainStringsLoseTheirQuotes) {
  EXPECT_EQ(axis_text("\"greedy\""), "greedy");
  EXPECT_EQ(axis_text("12.5"), "12.5");
  EXPECT_EQ(axis_text("[4,3]"), "[4,3]");
  for (const char* kept : {"\"\"", "\"4\"", "\"true\"", "\"null\"", "\"a\\nb\"", "\"[1]\""})
    EXPECT_EQ(axis_text(kept), kept);
}

RC_GTEST_PROP(SweepCsv, NumbersReadBackAsTheyWere, (double seconds)) {
  RC_PRE(std::isfinite(seconds));
  const auto lines =
      lines_of(exported(heading_of({}), {{{}, point_of({schedule_of("s", {seconds})})}}, SweepFormat::Csv));
  const std::string field = lines[1].substr(2, lines[1].find(',', 2) - 2);
  RC_ASSERT(axis_number(field) == seconds);
}

TEST(SweepJson, RowsBesideHeadingAndColumns) {
  const PointOutcome outcome = point_of({schedule_of("slow", {0.1, 0.2}), schedule_of("fast", {0.1, 0.1})});
  const json results = json::parse(
      exported(heading_of({"/pipeline/ranks", "/model/blocks/0/owner"}),
               {{{"4", "\"greedy\""}, outcome}, {{"8", "[1,2]"}, refused("why")}}, SweepFormat::Json));
  EXPECT_EQ(results["schema"], "spillway/sweep-results/1");
  EXPECT_EQ(results["name"], "by hand");
  EXPECT_EQ(results["engine"], "longest-path");
  EXPECT_EQ(results["draws"], 4);
  EXPECT_EQ(results["missing_points"], 0);
  ASSERT_EQ(results["rows"].size(), 3u);
  const json& row = results["rows"][1];
  EXPECT_EQ(row["/pipeline/ranks"], 4);
  EXPECT_EQ(row["/model/blocks/0/owner"], "greedy");
  EXPECT_EQ(row["schedule"], "fast");
  EXPECT_EQ(row["makespan_s_mean"], 0.1);
  EXPECT_TRUE(row["simgrid_s_mean"].is_null());
  EXPECT_TRUE(row["refusal"].is_null());
  EXPECT_EQ(results["rows"][2]["/model/blocks/0/owner"], json::parse("[1,2]"));
  EXPECT_EQ(results["rows"][2]["refusal"], "why");
  for (const json& column : results["columns"]) EXPECT_TRUE(row.contains(column["name"].get<std::string>()));
  EXPECT_EQ(results["columns"].size(), row.size());
}

TEST(SweepExport, FitsIsATruthOrNothing) {
  PointOutcome outcome = holding(
      point_of({schedule_of("a", {1}), schedule_of("b", {1}), schedule_of("c", {1})}), Bytes(8), {8, 9});
  outcome.schedules[1].evidence = Evidence::Extrapolated;
  const auto lines = lines_of(exported(heading_of({}), {{{}, outcome}}, SweepFormat::Csv));
  EXPECT_TRUE(lines[0].ends_with(",usd_per_1e12_useful_tokens_mean,fits,evidence_weakest,unranked_reason,refusal"))
      << lines[0];
  EXPECT_TRUE(lines[1].ends_with(",8,,,,true,,,")) << lines[1];
  EXPECT_TRUE(lines[2].ends_with(",9,,,,false,extrapolated,,")) << lines[2];
  EXPECT_TRUE(lines[3].ends_with(",,,,")) << lines[3];
  const json rows = json::parse(exported(heading_of({}), {{{}, outcome}}, SweepFormat::Json))["rows"];
  EXPECT_EQ(rows[0]["fits"], true);
  EXPECT_EQ(rows[1]["fits"], false);
  EXPECT_TRUE(rows[2]["fits"].is_null());
  EXPECT_TRUE(rows[0]["evidence_weakest"].is_null());
  EXPECT_EQ(rows[1]["evidence_weakest"], "extrapolated");
}

TEST(SweepJson, NoRowsAreStillADocument) {
  std::ostringstream out;
  SweepExport writer(out, heading_of({"/a"}), SweepFormat::Json);
  writer.add({"1"}, nullptr);
  EXPECT_EQ(writer.finish(), 1u);
  const json results = json::parse(out.str());
  EXPECT_EQ(results["rows"], json::array());
  EXPECT_EQ(results["missing_points"], 1);
}

TEST(SweepDictionary, ExplainsEveryColumn) {
  std::ostringstream out;
  write_sweep_dictionary(out, heading_of({"/network/p2p_ms"}));
  const auto lines = lines_of(out.str());
  EXPECT_EQ(lines[0], "name,unit,meaning");
  EXPECT_EQ(lines[1], "/network/p2p_ms,ms,the experiment's value at this place");
  EXPECT_EQ(lines.size(), 1 + 1 + 1 + kSweepFigures + 4);
}

TEST(SweepAxis, PointersReadAsWordsAndUnits) {
  EXPECT_EQ(axis_label("/pipeline/ranks"), "pipeline ranks");
  EXPECT_EQ(axis_label("/network/p2p_ms"), "network p2p (ms)");
  EXPECT_EQ(axis_label("/platform_set/~1tiers~10~1bandwidth_gbps/value"),
            "platform set /tiers/0/bandwidth (GB/s)");
  EXPECT_EQ(axis_unit("/platform_set/~1tiers~10~1bandwidth_gbps/value"), "GB/s");
  EXPECT_EQ(axis_unit("/pipeline/microbatches"), "");
}

TEST(SweepAxis, ValuesAreTheSameInEveryForm) {
  EXPECT_TRUE(same_axis_value("8", "8.0"));
  EXPECT_TRUE(same_axis_value("\"greedy\"", "greedy"));
  EXPECT_TRUE(same_axis_value("[4,3]", "[4, 3]"));
  EXPECT_FALSE(same_axis_value("8", "9"));
  EXPECT_FALSE(same_axis_value("\"8\"", "8"));
}

}  // namespace
}  // namespace spillway::testing
