// Reports against reports and experiments; anything that is no report of this version is refused.
#include "compare/comparison_print.h"
#include "compare/verdict.h"
#include "compared_documents.h"
#include "support/property.h"
#include "support/shipped.h"
#include "warn/warnings.h"

namespace spillway {
namespace {

using testing::block_for_each_rank;
using testing::Document;
using testing::pointers_of;
using testing::report_file;

Document report_of(const Document& experiment) {
  return Document::parse(report_json(testing::evaluated(experiment)));
}

Lines refusal_of(const Document& report) {
  const std::string path = written("bad.json", report.dump()),
                    good = report_file("good.json", block_for_each_rank());
  return complaints([&] { compare_files(path, good); });
}

TEST(CompareReports, OfTheSameRunNothingMoved) {
  const std::string report = report_file("a.json", block_for_each_rank());
  const Comparison comparison = compare_files(report, report);
  EXPECT_TRUE(nothing_moved(comparison));
  EXPECT_EQ(comparison_text(comparison, {}).substr(0, 13), "no difference");
}

TEST(CompareReports, ALaterVersionIsNamed) {
  Document report = report_of(block_for_each_rank());
  report["program"] = "9.9.9";
  for (auto& rank : report["schedules"][0]["ranks"])
    for (const char* key : {"busy_s", "bubble_s", "idle_s"}) rank[key] = 1.5 * rank[key].get<double>();
  auto& schedule = report["schedules"][0];
  schedule["makespan_s"] = 1.5 * schedule["makespan_s"].get<double>();
  const Comparison comparison =
      compare_files(report_file("a.json", block_for_each_rank()), written("b.json", report.dump()));
  EXPECT_EQ(pointers_of(comparison), "/program ");
  const ScheduleComparison& only = comparison.schedules[0];
  EXPECT_NEAR(only.makespan.relative(), 0.5, 1e-12);
  EXPECT_EQ(only.decomposition, Decomposition::Ranks);  // its critical path belongs to another makespan
  EXPECT_TRUE(testing::adds_up(testing::sum_of(only.causes), only.makespan));
  EXPECT_NE(comparison_text(comparison, {}).find("the configurations differ only in /program"),
            std::string::npos);
}

TEST(CompareReports, ASlowRankIsNamed) {
  Document slow = block_for_each_rank();
  slow["model"]["blocks"][2]["profile"]["forward_ms"] = 16;
  const Comparison comparison =
      compare_files(report_file("a.json", block_for_each_rank()), report_file("b.json", slow));
  const auto& moves = comparison.schedules[0].moves;
  const auto computing =
      std::find_if(moves.begin(), moves.end(), [](const RankMove& move) { return move.what == "computing"; });
  ASSERT_NE(computing, moves.end());
  EXPECT_EQ(computing->rank, RankId(2));
  EXPECT_NEAR((computing->b - computing->a).value(), 0.048, 1e-12);
}

TEST(CompareReports, WhatDoesNotFitIsSaidWithItsTime) {
  Document fits = report_of(block_for_each_rank()), larger = fits;
  larger["schedules"][0]["warnings"].push_back({{"code", std::string(kDoesNotFit)}, {"text", "it needs more"}});
  const auto said = [](const Document& a, const Document& b) {
    const Comparison comparison = compare_files(written("a.json", a.dump()), written("b.json", b.dump()));
    return verdict(comparison, comparison.schedules[0]);
  };
  EXPECT_EQ(said(fits, fits).find("fit"), std::string::npos) << said(fits, fits);
  EXPECT_TRUE(said(fits, larger).ends_with("; B does not fit")) << said(fits, larger);
  EXPECT_TRUE(said(larger, fits).ends_with("; A does not fit")) << said(larger, fits);
  EXPECT_TRUE(said(larger, larger).ends_with("; neither fits")) << said(larger, larger);
}

// The experiment is run by the engines that the report has.
TEST(CompareReports, AnExperimentGivesTheReportThatRunPrints) {
  const Document experiment = block_for_each_rank();
  const std::string replayed = report_file("a.json", experiment, Engines{}),
                    file = written("b.json", experiment.dump());
  EXPECT_TRUE(nothing_moved(compare_files(replayed, file)));
  EXPECT_TRUE(nothing_moved(compare_files(file, replayed)));
}

TEST(CompareReports, OfOtherVersionsAreRefusedByName) {
  for (const std::string version : {"1", "9"}) {
    Document report = report_of(block_for_each_rank());
    report["schema"] = "spillway/report/" + version;
    EXPECT_EQ(refusal_of(report),
              Lines{"bad.json: /schema: expected \"spillway/report/2\", the version that this "
                    "program writes, found \"spillway/report/" +
                    version + "\""});
  }
}

TEST(CompareReports, OtherDocumentsAreRefusedByWhatTheyAre) {
  const std::string sweep = testing::kSource + "/workloads/studies/small.json";
  const Lines lines = complaints([&] { compare_files(sweep, sweep); });
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_NE(lines[0].find("a sweep"), std::string::npos) << lines[0];
}

TEST(CompareReports, WhatDoesNotAddUpIsRefused) {
  Document report = report_of(block_for_each_rank());
  report["schedules"][0]["ranks"][1]["busy_s"] = 7;
  const Lines lines = refusal_of(report);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_TRUE(lines[0].starts_with("bad.json: /schedules/0/ranks: expected ranks whose busy_s")) << lines[0];
}

Document& any_place(Document& document) {
  Document* at = &document;
  while (at->is_structured() && !at->empty() && testing::number(0, 4) > 0) {
    auto below = at->begin();
    std::advance(below, testing::number(0, static_cast<std::uint32_t>(at->size()) - 1));
    at = &*below;
  }
  return *at;
}

// A report spoilt anywhere is compared or refused.
RC_GTEST_PROP(CompareReports, SpoiltAnywhereAreComparedOrRefused, ()) {
  static const Document whole = report_of(block_for_each_rank());
  static const std::string good = report_file("good.json", block_for_each_rank());
  const Document spoilt = *rc::gen::exec([] {
    const std::vector<Document> values = {nullptr, -1, 1e300, "text", Document::array(), Document::object(),
                                          true};
    Document report = whole;
    any_place(report["schedules"]) = values[testing::number(0, 6)];
    return report;
  });
  try {
    const Comparison comparison = compare_files(good, written("bad.json", spoilt.dump()));
    comparison_text(comparison, {});
    comparison_json(comparison, {});
  } catch (const InputError&) {
  }
}

}  // namespace
}  // namespace spillway
