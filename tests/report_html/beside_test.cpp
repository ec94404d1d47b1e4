// What commands add to the page of a run or a trace: the found order of synthesize, the measured passes of
// twin, the played steps of execute.
#include "report_html/report_page.h"
#include "support/on_ranks.h"

namespace spillway::testing {
namespace {

class BesideAReport : public ReportHtml {
 protected:
  // Opens the page that the command writes into `folder_`, and returns the document that it prints.
  Json open_page_of(const std::string& command) {
    const Outcome outcome = run(command);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    browser_->open(folder_ / "report.html");
    return Json::parse(outcome.out);
  }

  std::string quoted(const fs::path& path) const { return "'" + path.string() + "'"; }

  double legend_count(const std::string& mark) {
    return value("Number(document.querySelector('.legend ." + mark +
                 "')?.parentNode.querySelector('b')"
                 ".textContent.replaceAll(',', '') ?? 0)");
  }
};

// The program counts what differs from lists of orders, the page from events: they agree.
TEST_F(BesideAReport, AFoundOrderHasWhatDiffersMarked) {
  int compared = 0;
  for (const char* experiment : {"owners", "small-vlm"}) {
    const Json found = open_page_of("synthesize workloads/experiments/" + std::string(experiment) +
                                    ".json --effort 300 --json --out " + quoted(folder_));
    EXPECT_NE(text("h1").find("takes "), std::string::npos) << text("h1");
    const std::string first = text(".track figcaption b");
    EXPECT_TRUE(first.starts_with("synthesized")) << first;
    if (found["is_named"] || found["made"] != "") {
      EXPECT_EQ(legend_count("roof") + legend_count("box"), 0);
      continue;
    }
    ++compared;
    EXPECT_EQ(text(".track:nth-of-type(2) figcaption b"), found["nearest"].get<std::string>());
    EXPECT_EQ(legend_count("roof"), found["difference"]["changed_place"]) << experiment;
    EXPECT_EQ(legend_count("box"), found["difference"]["owners"]) << experiment;
  }
  EXPECT_GT(compared, 0);
}

TEST_F(BesideAReport, WhatMovedIsFoundAndDescribed) {
  const Json found = open_page_of("synthesize workloads/experiments/owners.json --effort 300 --json --out " +
                                  quoted(folder_));
  ASSERT_FALSE(found["is_named"]);
  const double moved =
      found["difference"]["changed_place"].get<double>() + found["difference"]["owners"].get<double>();
  EXPECT_GT(moved, 0);
  ASSERT_TRUE(found["best_named"]["fits"].is_null());  // durations are given, so memory is unknown
  EXPECT_EQ(text("#found").find("fit"), std::string::npos) << text("#found");
  EXPECT_EQ(legend_count("roof") + legend_count("box"), moved);
  value(
      "(() => { const e = document.querySelector('input[type=search]'); e.value = 'moved'; "
      "e.dispatchEvent(new Event('input')); e.focus(); })()");
  EXPECT_EQ(shown(text(".search output")).value, moved) << text(".search output");
  browser_->press("Enter");
  EXPECT_TRUE(browser_->becomes(
      "/changed place: in |runs it, from /.test(document.querySelector('.detail').textContent)"))
      << text(".detail");
  const Json both = {{"synthesis", found}};
  const Json figures =
      value("[...document.querySelectorAll('#found data')].map((e) => [e.dataset.pointer, e.value])");
  EXPECT_GT(figures.size(), 5u);
  for (const Json& figure : figures)
    EXPECT_EQ(std::stod(figure[1].get<std::string>()),
              both.at(Json::json_pointer(figure[0].get<std::string>())))
        << figure;
}

TEST_F(BesideAReport, MeasuredPassesStandBesideWhatIsPredictedOfThem) {
  const std::string twin =
      "twin workloads/experiments/ascend-910b-pp2.json workloads/published/traces/ascend-910b-pp2.csv --json "
      "--out " +
      quoted(folder_ / "job.json") + " --page " + quoted(folder_);
  const Json passes = open_page_of(twin);
  Json document = passes["report"];
  document["twin"] = passes;
  EXPECT_GT(figures_shown(*browser_, document), 20u);
  EXPECT_EQ(value("document.querySelectorAll('#passes .wide tbody tr').length"),
            passes["measured"].size() + passes["optimizers"].size() + passes["layers"].size());
  EXPECT_TRUE(browser_->becomes("document.querySelectorAll('#passes circle').length > 1"));
  // The page of a run of the job that twin wrote has them, too.
  EXPECT_EQ(
      run("run " + quoted(folder_ / "job.json") + " --engine longest-path --out " + quoted(folder_)).status,
      0);
  browser_->open(folder_ / "report.html");
  EXPECT_EQ(text("#passes h2"), "Measured passes");
  EXPECT_EQ(value("document.querySelectorAll('#passes .wide tbody tr').length"),
            passes["measured"].size() + passes["optimizers"].size() + passes["layers"].size());
}

TEST_F(BesideAReport, APlayedProgramStandsBesideThePredictedStep) {
  const std::string program =
      file("p.json", run("derive workloads/experiments/first-look.json --schedule mpipe "
                         "--set /model/blocks/0/profile/output_bytes=65536 "
                         "--set /model/blocks/1/profile/output_bytes=65536 "
                         "--format program")
                         .out);
  const Outcome played =
      run("execute '" + program + "' --steps 2 --json --out " + quoted(folder_), on_ranks(4));
  ASSERT_EQ(played.status, 0) << played.err;
  browser_->open(folder_ / "report.html");
  Json document = Json::parse(run("validate " + quoted(folder_ / "trace.csv") + " --json").out);
  document["execution"] = Json::parse(played.out);
  EXPECT_GT(figures_shown(*browser_, document), 20u);
  EXPECT_NE(text("h1").find("mpipe of first-look, played: "), std::string::npos) << text("h1");
  EXPECT_EQ(value("document.querySelectorAll('#lost .wide tbody tr').length"), 4);
  EXPECT_TRUE(browser_->becomes("document.querySelectorAll('.track canvas').length === 2"));
}

}  // namespace
}  // namespace spillway::testing
