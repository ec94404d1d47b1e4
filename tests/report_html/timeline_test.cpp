// The timelines of a page: searched, summed over an area, zoomed until transfers show, with a measured step
// beside.
#include "report_html/report_page.h"

namespace spillway::testing {
namespace {

class TimelineOfAPage : public ReportHtml {
 protected:
  void find(const std::string& words) {
    value("(() => { const e = document.querySelector('input[type=search]'); e.value = '" + words +
          "'; e.dispatchEvent(new Event('input')); e.focus(); })()");
  }

  // Returns the figure of a row of the sums: the seconds of the columns whose heading matches.
  double summed(std::size_t row, const std::string& heading) {
    return value(
        "[...document.querySelectorAll('.sums tbody tr')[" + std::to_string(row) +
        "].querySelectorAll('td')].filter((e) => " + heading +
        ".test(e.dataset.heading)).reduce((sum, e) => sum + Number(e.querySelector('data').value), 0)");
  }

  // Returns how many pixels of the first timeline are close to the colour.
  int pixels(const std::string& name) {
    return value(
        "(() => { const wanted = getComputedStyle(document.documentElement).getPropertyValue('--" + name +
        "').trim().match(/[0-9a-f]{2}/g).map((h) => parseInt(h, 16));"
        "const c = document.querySelector('canvas');"
        "const copy = new OffscreenCanvas(c.width, c.height).getContext('2d', {willReadFrequently: true});"
        "copy.drawImage(c, 0, 0); const d = copy.getImageData(0, 0, c.width, c.height).data;"
        "let count = 0;"
        "for (let i = 0; i < d.length; i += 4)"
        "  count += wanted.every((w, k) => Math.abs(w - d[i + k]) < 12);"
        "return count; })()");
  }
};

// Idle time by cause and computing add up to each rank's step, and are the report's.
TEST_F(TimelineOfAPage, SumsOfTheWholeStepAreThoseOfTheReport) {
  const Json report = open_run("workloads/experiments/first-look.json --draws 1");
  focus_first_timeline();
  browser_->press("s");
  ASSERT_TRUE(browser_->becomes("document.querySelectorAll('.sums tbody tr').length === 5"));
  const Json& schedule = report["schedules"][0];
  const double step = schedule["makespan_s"];
  for (std::size_t rank = 0; rank < 4; ++rank) {
    const double idle = schedule["ranks"][rank]["bubble_s"];
    EXPECT_NEAR(summed(rank + 1, "/waiting|fill|drain|sending/"), idle, 1e-6) << rank;
    EXPECT_NEAR(summed(rank + 1, "/ward$/"), step - idle, 1e-6) << rank;
  }
  const std::string head = text(".sums p");
  EXPECT_NE(head.find("encoder-stage, ranks 0 to 3, 0 s to 135.0 ms: 4 ranks"), std::string::npos) << head;
  EXPECT_NE(head.find("30.8 % idle"), std::string::npos) << head;
}

TEST_F(TimelineOfAPage, AnAreaIsSummedAndForgotten) {
  open_run("workloads/experiments/first-look.json --draws 1");
  focus_first_timeline();
  const Point corner = point(0.3, 0.3), end = point(0.6, 0.6);  // ranks 1 and 2
  browser_->drag(corner.x, corner.y, end.x - corner.x, end.y - corner.y, 8);
  ASSERT_TRUE(browser_->becomes("document.querySelectorAll('.sums tbody tr').length === 3"));
  EXPECT_NE(text(".sums p").find("ranks 1 to 2"), std::string::npos) << text(".sums p");
  const double computing = summed(0, "/ward$/"), idle = summed(0, "/waiting|fill|drain|sending/");
  EXPECT_GT(computing, 0);
  EXPECT_NEAR(computing + idle, 2 * 0.3 * 0.135, 0.003);
  EXPECT_NEAR(summed(0, "/./"), summed(1, "/./") + summed(2, "/./"), 1e-9);
  EXPECT_EQ(text(".detail"), "");  // the drag chose no event
  EXPECT_EQ(from(), 0);            // and did not pan
  browser_->press("Escape");
  EXPECT_TRUE(browser_->becomes("document.querySelector('.sums').textContent === ''"));
}

TEST_F(TimelineOfAPage, FindsEventsByWordsAndNumbers) {
  open_run("workloads/experiments/first-look.json --draws 1");
  find("backward 3 rank 2");
  EXPECT_EQ(text(".search output"),
            "4 events");  // in each schedule one, and an encoder's
  browser_->press("Enter");
  EXPECT_TRUE(browser_->becomes("/1 of 4/.test(document.querySelector('.search output').textContent)"));
  EXPECT_NE(text(".detail").find("backward of microbatch 3, encoder+llm stage 2, rank 2"), std::string::npos)
      << text(".detail");
  find("round-robin encoder r0");
  browser_->press("Enter", 8);
  EXPECT_NE(text(".detail").find("encoder"), std::string::npos) << text(".detail");
  EXPECT_NE(text(".detail").find("rank 0"), std::string::npos) << text(".detail");
  find("critical");
  browser_->press("Enter");
  EXPECT_NE(text(".detail").find("on the critical path"), std::string::npos) << text(".detail");
  find("no such event");
  EXPECT_EQ(text(".search output"), "0 events");
}

// 16 ranks and 32 microbatches have 960 transfers of a few pixels' thousandth each.
TEST_F(TimelineOfAPage, TransfersAreSeenWhenZoomed) {
  open_run("workloads/experiments/experiment-a.json --draws 1 --engine longest-path");
  focus_first_timeline();
  value("[...document.querySelectorAll('.toolbar input[type=checkbox]')][0].click()");  // no path over them
  EXPECT_TRUE(is_drawn());
  const int before = pixels("transfer");
  for (int i = 0; i < 4; ++i) browser_->press("+");
  EXPECT_TRUE(in_view("to - from < 2"));
  EXPECT_TRUE(is_drawn());
  EXPECT_GT(pixels("transfer"), before + 100);
  browser_->screenshot(fs::path(SPILLWAY_SCREENSHOTS) / "zoomed-1280-light.png");
}

TEST_F(TimelineOfAPage, AMeasuredStepIsDrawnBesideWhatIsPredictedOfIt) {
  open_run("--workload workloads/published/traces/straggler-st.csv --draws 2");
  focus_first_timeline();
  EXPECT_TRUE(browser_->becomes("document.querySelectorAll('.track canvas').length === 2"));
  EXPECT_TRUE(is_drawn());
  EXPECT_NE(text(".track:nth-of-type(2) figcaption").find("trace-order, simulated: 1f1b"), std::string::npos);
  EXPECT_NE(text(".track figcaption").find("measured: step 23 of the trace, replica 0"), std::string::npos)
      << text(".track figcaption");
  browser_->press("s");
  EXPECT_NE(text(".sums p").find("measured, ranks 0 to "), std::string::npos) << text(".sums p");
}

// A table of nine columns is cards on a phone, each figure with its heading.
TEST_F(TimelineOfAPage, TablesFoldOnAPhone) {
  open_run("workloads/experiments/experiment-a.json --draws 2 --engine longest-path");
  const std::string on_screen =
      "[...document.querySelectorAll('#schedules th, #schedules td')].every((e) => "
      "e.closest('thead')?.offsetWidth === 1 || (e.getBoundingClientRect().left >= 0 && "
      "e.getBoundingClientRect().right <= innerWidth))";
  for (const int width : {1280, 400}) {
    browser_->resize(width, 900);
    EXPECT_TRUE(browser_->becomes(on_screen)) << width;
    EXPECT_EQ(value("getComputedStyle(document.querySelector('#schedules td')).display"),
              width > 600 ? "table-cell" : "grid");
  }
  EXPECT_EQ(value("getComputedStyle(document.querySelector('#schedules td'), '::before').content"),
            "\"step\"");
}

}  // namespace
}  // namespace spillway::testing
