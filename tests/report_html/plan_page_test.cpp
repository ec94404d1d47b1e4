// The page of plan.
#include "report_html/report_page.h"

namespace spillway::testing {
namespace {

// Every framework that was looked at is there, as in the text.
TEST_F(ReportHtml, OfAPlanShowsItsPlansItsPictureAndItsSoftware) {
  const Outcome outcome =
      run("plan workloads/jobs/llama-3-8b.json --quiet --json --top 3 --write '" + folder_.string() + "'");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  browser_->open(folder_ / "report.html");
  const Json plan = Json::parse(outcome.out);
  EXPECT_GT(figures_shown(*browser_, plan), 12u);
  EXPECT_TRUE(browser_->becomes("document.querySelectorAll('.point').length > 3"));
  EXPECT_NE(text("h1").find("Train on "), std::string::npos) << text("h1");
  EXPECT_NE(text(".decision").find(" a step"), std::string::npos) << text(".decision");
  EXPECT_EQ(value("document.querySelectorAll('#clusters tbody tr').length"), 3);

  const Json software = plan["software"];
  std::size_t rows = 0;
  const std::string shown = text("#software");
  for (const Json& cluster : software) {
    EXPECT_NE(shown.find(cluster["cluster"].get<std::string>()), std::string::npos) << shown;
    EXPECT_NE(shown.find("no software reaches less than "), std::string::npos) << shown;
    for (const Json& one : cluster["frameworks"]) {
      EXPECT_NE(shown.find(one["framework"].get<std::string>()), std::string::npos) << shown;
      rows += one["best"].is_object();
    }
  }
  EXPECT_GT(rows, 5u);
  EXPECT_EQ(value("document.querySelectorAll('#software tbody tr').length"), rows);
  for (const int width : {1280, 400}) {
    browser_->resize(width, 900);
    EXPECT_TRUE(browser_->becomes("document.documentElement.scrollWidth <= " + std::to_string(width)));
    browser_->screenshot(fs::path(SPILLWAY_SCREENSHOTS) /
                         ("software-" + std::to_string(width) + "-light.png"));
  }
}

// Every column is on the screen, and on a phone each row is a card whose figures carry their headings.
TEST_F(ReportHtml, OfAPlanShowsItsFailuresAndFitsItsScreen) {
  const Outcome outcome =
      run("plan workloads/jobs/llama-3-70b-failures.json --quiet --json --top 4 --write '" +
          folder_.string() + "'");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  browser_->open(folder_ / "report.html");
  EXPECT_GT(figures_shown(*browser_, Json::parse(outcome.out)), 10u);
  for (const std::string section : {"#plans", "#failures"})
    EXPECT_EQ(
        value("document.querySelectorAll('" + section + " data[data-pointer$=\"/goodput/share\"]').length"),
        4);
  EXPECT_NE(text("#plans").find(" with failures"), std::string::npos) << text("#plans");

  const std::string on_screen =
      "[...document.querySelectorAll('th, td')].every((e) => e.closest('thead')?.offsetWidth === 1 || "
      "(e.getBoundingClientRect().left >= 0 && e.getBoundingClientRect().right <= innerWidth))";
  for (const int width : {1400, 1280, 900, 400}) {
    browser_->resize(width, 900);
    EXPECT_TRUE(browser_->becomes("document.documentElement.scrollWidth <= " + std::to_string(width)));
    EXPECT_TRUE(browser_->becomes(on_screen)) << width;
    EXPECT_EQ(value("getComputedStyle(document.querySelector('#plans td')).display"),
              width > 1000 ? "table-cell" : "grid");
    browser_->screenshot(fs::path(SPILLWAY_SCREENSHOTS) / ("plan-" + std::to_string(width) + "-light.png"));
  }
  EXPECT_EQ(value("getComputedStyle(document.querySelector('#plans td:nth-child(4)'), '::before').content"),
            "\"step\"");
}

}  // namespace
}  // namespace spillway::testing
