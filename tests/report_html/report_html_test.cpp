// The pages of run, explain, validate, compare and sweep.
#include "report_html/report_page.h"

namespace spillway::testing {
namespace {

std::string one_pipeline(int ranks, int microbatches, const std::string& name) {
  const Json experiment = {{"schema", "spillway/experiment/1"},
                           {"name", name},
                           {"pipeline", {{"ranks", ranks}, {"microbatches", microbatches}}},
                           {"model",
                            {{"blocks",
                              {{{"name", name},
                                {"layers", ranks},
                                {"trainable", true},
                                {"profile",
                                 {{"forward_ms", 1},
                                  {"input_gradient_ms", 1},
                                  {"weight_gradient_ms", 1},
                                  {"activation_bytes", 1e6}}}}}}}},
                           {"network", {{"p2p_ms", 0.1}}},
                           {"schedules", {{{"name", name}, {"schedule", "1f1b"}}}}};
  return experiment.dump();
}

TEST_F(ReportHtml, FiguresAreThoseOfTheReport) {
  const Json report = open_run("workloads/experiments/experiment-a.json --draws 4");
  EXPECT_GT(figures_shown(*browser_, report), 250u);
  // Memory is the maximum over the draws, as everywhere (tests/cli/one_number_test.cpp).
  EXPECT_EQ(value("document.querySelectorAll('data[data-pointer$=\"/peak_memory_bytes/mean\"]').length"), 0);
  EXPECT_GT(value("document.querySelectorAll('data[data-pointer$=\"/peak_memory_bytes/max\"]').length"), 3);
  // The file has the size that a reader is sent: replica 0 of all, and all figures.
  EXPECT_LT(fs::file_size(folder_ / "out" / "report.html"), 3'000'000u);
}

TEST_F(ReportHtml, OfAnExplanationSaysWhatWouldHelp) {
  EXPECT_EQ(
      run("explain workloads/experiments/owners.json --schedule greedy --out '" + folder_.string() + "'")
          .status,
      0);
  browser_->open(folder_ / "report.html");
  EXPECT_NE(text("#help").find("links twice as fast"), std::string::npos) << text("#help");
}

TEST_F(ReportHtml, OfAValidationShowsItsCases) {
  const Outcome table =
      run("validate workloads/published/simumax-b200.json --json --out '" + folder_.string() + "'");
  ASSERT_EQ(table.status, 0) << table.err;
  browser_->open(folder_ / "report.html");
  EXPECT_GT(figures_shown(*browser_, Json::parse(table.out)), 30u);
  EXPECT_TRUE(text("h1").starts_with("The mean absolute error of 9 predicted steps is ")) << text("h1");
  EXPECT_TRUE(browser_->becomes("document.querySelectorAll('#errors circle').length > 5"));

  const Outcome tables =
      run("validate workloads/published/simumax-b200.json workloads/published/automodel.json "
          "--json --out '" +
          folder_.string() + "'");
  ASSERT_EQ(tables.status, 0) << tables.err;
  browser_->open(folder_ / "report.html");
  EXPECT_GT(figures_shown(*browser_, Json::parse(tables.out)), 40u);
  EXPECT_NE(text("h1").find("2 tables"), std::string::npos) << text("h1");

  const Outcome trace =
      run("validate workloads/published/traces/straggler-ar.csv --json --out '" + folder_.string() + "'");
  ASSERT_EQ(trace.status, 0) << trace.err;
  browser_->open(folder_ / "report.html");
  EXPECT_GT(figures_shown(*browser_, Json::parse(trace.out)), 10u);
  EXPECT_TRUE(browser_->becomes("document.querySelectorAll('#ranks rect').length > 5"));
  focus_first_timeline();
  EXPECT_TRUE(browser_->becomes("document.querySelectorAll('.track canvas').length === 2"));
  EXPECT_TRUE(is_drawn());
  EXPECT_EQ(text(".track figcaption b"), "measured");
  browser_->press("ArrowRight");
  EXPECT_NE(text(".detail").find("forward of microbatch 1"), std::string::npos) << text(".detail");
  browser_->screenshot(fs::path(SPILLWAY_SCREENSHOTS) / "validation-1280-light.png");
}

TEST_F(ReportHtml, OfAComparisonShowsWhatMoved) {
  std::string slower = slurp(kSource / kSmall);
  const std::size_t at = slower.find("\"p2p_ms\": 0");
  ASSERT_NE(at, std::string::npos);
  slower.replace(at, 11, "\"p2p_ms\": 9");
  const Outcome outcome = run("compare " + kSmall + " '" + file("slower.json", slower) + "' --json --out '" +
                              folder_.string() + "'");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  browser_->open(folder_ / "report.html");
  EXPECT_GT(figures_shown(*browser_, Json::parse(outcome.out)), 10u);
  EXPECT_NE(text("h1").find("slower"), std::string::npos) << text("h1");
  EXPECT_NE(text("#configuration").find("/network/p2p_ms"), std::string::npos);
}

TEST_F(ReportHtml, OfASweepDrawsAFigureOverAnAxis) {
  const std::string sweep =
      file("s.json", R"({"schema": "spillway/sweep/1", "experiment": ")" +
                         (kSource / "workloads/experiments/small.json").string() +
                         R"(", "axes": [{"pointer": "/pipeline/microbatches", "values": [3]},
                                                 {"pointer": "/network/p2p_ms", "values": [0, 1, 2, 4]}]})");
  const std::string store = (folder_ / "s.sqlite").string();
  ASSERT_EQ(run("sweep '" + sweep + "' --out '" + store + "'").status, 0);
  const Outcome page = run("sweep export '" + store + "' --format html");
  ASSERT_EQ(page.status, 0) << page.err;
  file("report.html", page.out);
  browser_->open(folder_ / "report.html");
  EXPECT_NE(text("header").find("mpipe: shortest step "), std::string::npos) << text("header");
  // The baseline's speedup is 1 everywhere: a level beside the four points of the other schedule.
  EXPECT_TRUE(browser_->becomes("document.querySelectorAll('#figures .point').length === 4"));
  EXPECT_EQ(value("document.querySelectorAll('#figures .level').length"), 1);
  const std::string line = "document.querySelector('#figures path.line')?.getAttribute('d')";
  const std::string before = value(line);
  value(
      "(() => { const s = document.querySelector('select'); s.value = 'makespan_s_mean';"
      "s.dispatchEvent(new Event('change')); })()");
  EXPECT_TRUE(browser_->becomes(line + " && " + line + " !== '" + before + "'"));
  EXPECT_NE(text("h1").find("4 points evaluated"), std::string::npos) << text("h1");
}

// The page and `sweep plot` draw the same points, with the same labels, and mark the same ones as too large.
TEST_F(ReportHtml, OfASweepDrawsWhatSweepPlotDraws) {
  Json experiment = Json::parse(one_pipeline(4, 8, "held"));
  experiment["schedules"].push_back({{"name", "all at once"}, {"schedule", "gpipe"}});
  experiment["memory"] = {{"limit_gb", 0.009}};  // gpipe holds 16 MB at most
  const std::string sweep =
      file("s.json", Json{{"schema", "spillway/sweep/1"},
                          {"experiment", file("e.json", experiment.dump())},
                          {"axes",
                           {{{"pointer", "/pipeline/microbatches"}, {"values", {4, 8, 16}}},
                            {{"pointer", "/network/p2p_ms"}, {"values", {0.5}}}}}}
                         .dump());
  const std::string store = (folder_ / "s.sqlite").string();
  const Outcome swept = run("sweep '" + sweep + "' --out '" + store + "'");
  ASSERT_EQ(swept.status, 0) << swept.err;
  const Outcome plotted =
      run("sweep plot '" + store + "' --x /pipeline/microbatches --metric makespan_s_mean --out '" +
          (folder_ / "s.svg").string() + "'");
  ASSERT_EQ(plotted.status, 0) << plotted.err;
  file("report.html", run("sweep export '" + store + "' --format html").out);
  browser_->open(folder_ / "report.html");
  value(
      "(() => { const s = document.querySelector('select'); s.value = 'makespan_s_mean';"
      "s.dispatchEvent(new Event('change')); })()");
  ASSERT_TRUE(browser_->becomes("document.querySelectorAll('#figures .point').length === 6"));
  const std::string picture = slurp(folder_ / "s.svg");
  const double hollow = value("document.querySelectorAll('#figures .point[data-hollow]').length");
  EXPECT_GT(hollow, 0);
  const std::string steps = std::to_string(static_cast<int>(hollow)) + (hollow == 1 ? " step" : " steps");
  EXPECT_NE(picture.find("hollow: " + steps + " would not fit in memory"), std::string::npos);
  EXPECT_NE(text("#figures .hint").find("hollow: " + steps + " would not fit in memory"), std::string::npos);
  for (const char* label : {"makespan (s)", "pipeline microbatches"}) {
    EXPECT_NE(picture.find(label), std::string::npos) << label;
    EXPECT_NE(text("#figures svg.plane").find(label), std::string::npos) << label;
  }
}

TEST_F(ReportHtml, IsDrawnZoomedPointedAtAndWalkedByKeyboard) {
  open_run("workloads/experiments/experiment-a.json --draws 1");
  focus_first_timeline();
  EXPECT_TRUE(browser_->becomes("document.querySelectorAll('canvas').length === 3"));
  EXPECT_TRUE(is_drawn());
  const double whole = to();
  EXPECT_EQ(from(), 0);
  EXPECT_GT(whole, 10);

  browser_->press("+");
  EXPECT_TRUE(in_view("to - from < " + std::to_string(whole * 0.6)));
  browser_->press("0");
  EXPECT_TRUE(in_view("to - from > " + std::to_string(whole * 0.99)));

  const Point middle = point(0.5, 0.5);
  browser_->turn_wheel(middle.x, middle.y, -240, 2);
  EXPECT_TRUE(in_view("to - from < " + std::to_string(whole * 0.9) + " && from > 0"));
  const double before = from();
  browser_->drag(middle.x, middle.y, -120);
  EXPECT_TRUE(in_view("from > " + std::to_string(before * 1.05)));
  browser_->press("0");
  EXPECT_TRUE(in_view("to - from > " + std::to_string(whole * 0.99)));

  browser_->press("Escape");
  browser_->press("ArrowRight");
  EXPECT_TRUE(browser_->becomes("/rank 0/.test(document.querySelector('.detail').textContent)"));
  const std::string first = text(".detail");
  browser_->press("ArrowRight");
  EXPECT_NE(text(".detail"), first);
  browser_->press("ArrowDown");
  EXPECT_NE(text(".detail").find("rank 1"), std::string::npos) << text(".detail");
  browser_->press("c");
  EXPECT_NE(text(".detail").find("on the critical path"), std::string::npos) << text(".detail");

  const Point early = point(0.08, 0.03);  // rank 0 in its first forwards
  browser_->move(early.x, early.y);
  EXPECT_TRUE(browser_->becomes("!document.querySelector('.tip').hidden"));
  EXPECT_NE(text(".tip").find("forward of microbatch"), std::string::npos) << text(".tip");
  EXPECT_NE(text(".tip").find("waited for"), std::string::npos) << text(".tip");
}

TEST_F(ReportHtml, ReadsOnAPhoneAndInTheDark) {
  open_run("workloads/experiments/experiment-a.json --draws 2");
  const fs::path pictures = SPILLWAY_SCREENSHOTS;
  for (const int width : {1280, 400}) {
    browser_->resize(width, 900);
    focus_first_timeline();
    EXPECT_TRUE(is_drawn()) << width;
    for (const std::string scheme : {"light", "dark"}) {
      browser_->prefer(scheme);
      EXPECT_TRUE(browser_->becomes("document.documentElement.scrollWidth <= " + std::to_string(width)));
      EXPECT_TRUE(
          browser_->becomes("getComputedStyle(document.body).backgroundColor === " +
                            std::string(scheme == "dark" ? "'rgb(18, 21, 25)'" : "'rgb(255, 255, 255)'")));
      browser_->screenshot(pictures / ("report-" + std::to_string(width) + "-" + scheme + ".png"));
    }
  }
  EXPECT_GT(fs::file_size(pictures / "report-400-dark.png"), 50'000u);
}

TEST_F(ReportHtml, AHundredThousandEventsAreDrawnAndZoomed) {
  open_run("'" + file("large.json", one_pipeline(64, 512, "large")) + "' --engine longest-path");
  focus_first_timeline();
  const double start = value("performance.getEntriesByName('spillway-drawn')[0].startTime");
  const double paint = value(
      "(async () => { const painted = () => performance.getEntriesByType('paint')[0];"
      "while (!painted()) await new Promise(requestAnimationFrame); return painted().startTime; })()");
  RecordProperty("first_paint_ms", std::to_string(paint));
  std::cout << "first paint " << paint << " ms, built " << start << " ms after the page was asked for\n";
  EXPECT_TRUE(is_drawn());
  browser_->press("+");
  browser_->press("+");
  EXPECT_TRUE(in_view("to - from < 0.5"));
  EXPECT_TRUE(is_drawn());
  EXPECT_EQ(value("document.querySelectorAll('.note').length"), 0);
  EXPECT_LT(fs::file_size(folder_ / "out" / "report.html"), 3'000'000u);  // 4 MB if it were not packed
}

TEST_F(ReportHtml, MoreEventsThanItDrawsAreThinnedAndItSaysSo) {
  open_run("'" + file("huge.json", one_pipeline(64, 2048, "huge")) + "' --engine longest-path");
  EXPECT_NE(text(".note").find("events are too many to draw"), std::string::npos);
  focus_first_timeline();
  EXPECT_TRUE(is_drawn());
  browser_->press("ArrowRight");
  EXPECT_NE(text(".detail").find("mostly forward"), std::string::npos) << text(".detail");
  EXPECT_LT(fs::file_size(folder_ / "out" / "report.html"), 3'000'000u);
}

TEST_F(ReportHtml, NamesAreTextWhateverTheyHold) {
  const std::string name =
      "</script><script>window.taken=1</script><img src=x onerror=window.taken=2>&amp;\"'`${taken}";
  open_run("'" + file("hostile.json", one_pipeline(2, 4, name)) + "'");
  EXPECT_EQ(value("window.taken ?? null"), Json());
  EXPECT_EQ(value("document.images.length"), 0);
  EXPECT_EQ(value("document.scripts.length"), 2);
  EXPECT_EQ(text("h1").substr(0, name.size()), name);
  focus_first_timeline();
  browser_->press("ArrowRight");
  EXPECT_NE(text(".detail").find(name), std::string::npos);
}

TEST_F(ReportHtml, NamesDoNotTurnTheTextBehindThem) {
  open_run("'" + file("turned.json", one_pipeline(2, 4, "a\u202eb")) + "' --engine longest-path");
  EXPECT_EQ(text("h1").substr(0, 16), "a\\u202eb takes 1") << text("h1");
}

TEST_F(ReportHtml, AShadeIsTheSameMemoryInEverySchedule) {
  open_run("workloads/experiments/experiment-a.json --draws 1 --engine longest-path");
  const std::string box =
      "[...document.querySelectorAll('.toolbar label')].find((one) => one.textContent === 'memory held')";
  EXPECT_EQ(text(".timelines > .legend").find("held"), std::string::npos);
  value(box + ".firstChild.click()");
  EXPECT_EQ(text(".timelines > .legend").substr(0, 7), "0 B to ") << text(".timelines > .legend");
  EXPECT_EQ(value("document.querySelectorAll('.timelines > .legend .ramp').length"), 1);
  value(box + ".firstChild.click()");
  EXPECT_EQ(text(".timelines > .legend").find("held"), std::string::npos);
}

// Where the page cannot be written, no partial file is left.
TEST_F(PageFile, APlaceThatCannotBeWrittenIsRefused) {
  fs::create_directories(folder_ / "out" / "report.html" / "taken");
  const Outcome outcome = run("run " + kSmall + " --out '" + (folder_ / "out").string() + "'");
  EXPECT_EQ(outcome.status, 2) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  EXPECT_NE(outcome.err.find("report.html"), std::string::npos) << outcome.err;
  EXPECT_FALSE(fs::is_regular_file(folder_ / "out" / "report.html"));
}

TEST_F(PageFile, TheSameRunWritesTheSameBytes) {
  const auto written = [&](const std::string& folder) {
    EXPECT_EQ(run("run " + kSmall + " --out '" + (folder_ / folder).string() + "'").status, 0);
    return slurp(folder_ / folder / "report.html");
  };
  const std::string first = written("a");
  EXPECT_GT(first.size(), 80'000u);
  EXPECT_EQ(written("b"), first);
}

}  // namespace
}  // namespace spillway::testing
