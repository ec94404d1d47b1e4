// report.html in a browser, opened from disk. Skipped without Chromium, or where the program was built
// without the page.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "cli/program.h"
#include "report/page/html.h"
#include "report_html/browser.h"

namespace spillway::testing {
namespace {

using Json = nlohmann::json;

class ReportHtml : public Cli {
 protected:
  void SetUp() override {
    Cli::SetUp();
    if (!has_page()) GTEST_SKIP() << "built without esbuild or D3, so there is no report.html";
    if (!Browser::is_there()) GTEST_SKIP() << "no chromium on this machine to open report.html";
    browser_.emplace(folder_);
  }

  void TearDown() override {
    if (browser_ && !HasFatalFailure()) {
      EXPECT_EQ(browser_->complaints(), std::vector<std::string>());
      EXPECT_EQ(browser_->requests(), std::vector<std::string>());
    }
    browser_.reset();
    Cli::TearDown();
  }

  // Runs the experiment and opens its page; returns the report.
  Json open_run(const std::string& arguments) {
    const Outcome outcome = run("run " + arguments + " --out '" + (folder_ / "out").string() + "'");
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    browser_->open(folder_ / "out" / "report.html");
    return Json::parse(slurp(folder_ / "out" / "report.json"));
  }

  Json value(const std::string& expression) { return browser_->value(expression); }
  std::string text(const std::string& selector) {
    return value("document.querySelector('" + selector + "').textContent");
  }
  // These return the ends of the axis, in seconds.
  double from() {
    return std::stod(value("document.querySelector('.axis').dataset.from").get<std::string>());
  }
  double to() { return std::stod(value("document.querySelector('.axis').dataset.to").get<std::string>()); }
  bool in_view(const std::string& condition) {
    return browser_->becomes("(({from, to}) => " + condition +
                             ")(Object.fromEntries(Object.entries(document.querySelector('.axis').dataset)"
                             ".map(([name, text]) => [name, Number(text)])))");
  }
  void focus_first_timeline() {
    value(
        "document.querySelector('canvas').scrollIntoView({block: 'center'}); "
        "document.querySelector('canvas').focus()");
  }
  struct Point {
    double x, y;
  };
  // Returns the place on the screen of a point of the first timeline, from 0 to 1 each way.
  Point point(double across, double down) {
    const Json box = value("document.querySelector('canvas').getBoundingClientRect().toJSON()");
    return {box["x"].get<double>() + across * box["width"].get<double>(),
            box["y"].get<double>() + down * box["height"].get<double>()};
  }
  // Returns true once the first timeline has more than three colours; an empty one has one.
  bool is_drawn() {
    return browser_->becomes(
        "(() => { const c = document.querySelector('canvas');"
        "const copy = new OffscreenCanvas(c.width, c.height).getContext('2d', {willReadFrequently: true});"
        "copy.drawImage(c, 0, 0);"
        "const d = new Uint32Array(copy.getImageData(0, 0, c.width, c.height).data.buffer);"
        "return new Set(d).size > 3; })()");
  }

  std::optional<Browser> browser_;
};

// "14.10 s" stands for 14.10, within half of its last digit.
struct Shown {
  double value, half_digit;
};

Shown shown(std::string text) {
  std::erase(text, ',');
  if (const std::string minus = "\u2212"; text.starts_with(minus)) text.replace(0, minus.size(), "-");
  std::size_t end = 0;
  const double number = std::stod(text, &end);
  const std::size_t point = text.find('.');
  const double digit = point < end ? std::pow(10, -static_cast<double>(end - point - 1)) : 1;
  const std::string unit = text.substr(end);
  const std::map<std::string, double> units = {{" ms", 1e-3}, {" us", 1e-6}, {" kB", 1e3}, {" MB", 1e6},
                                               {" GB", 1e9},  {" TB", 1e12}, {" %", 1e-2}};
  const double scale = units.contains(unit) ? units.at(unit) : 1;
  return {number * scale, digit * scale / 2};
}

// Returns the number of figures of the document on the page. Each must have the document's value.
std::size_t figures_shown(Browser& browser, const Json& document) {
  const Json figures = browser.value(
      "[...document.querySelectorAll('data')].map((e) => [e.dataset.pointer, e.value, e.textContent])");
  for (const Json& figure : figures) {
    const std::string pointer = figure[0];
    const double value = document.at(Json::json_pointer(pointer));
    EXPECT_EQ(std::stod(figure[1].get<std::string>()), value) << pointer;
    const Shown said = shown(figure[2]);
    EXPECT_NEAR(said.value, value, said.half_digit * (1 + 1e-9)) << pointer << ": " << figure[2];
  }
  return figures.size();
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

TEST_F(ReportHtml, OfAPlanShowsItsPlansAndItsPicture) {
  const Outcome outcome =
      run("plan workloads/jobs/llama-3-8b.json --quiet --json --top 3 --write '" + folder_.string() + "'");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  browser_->open(folder_ / "report.html");
  EXPECT_GT(figures_shown(*browser_, Json::parse(outcome.out)), 12u);
  EXPECT_TRUE(browser_->becomes("document.querySelectorAll('circle.point').length > 3"));
  EXPECT_NE(text("h1").find("Train on "), std::string::npos) << text("h1");
  EXPECT_NE(text(".decision").find(" a step"), std::string::npos) << text(".decision");
  EXPECT_EQ(value("document.querySelectorAll('#clusters tbody tr').length"), 3);
}

// Every framework that was looked at is there, as in the text.
TEST_F(ReportHtml, OfAPlanShowsItsSoftware) {
  const Outcome outcome =
      run("plan workloads/jobs/llama-3-8b.json --quiet --json --top 3 --write '" + folder_.string() + "'");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  browser_->open(folder_ / "report.html");
  const Json software = Json::parse(outcome.out)["software"];
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
TEST_F(ReportHtml, OfAPlanFitsItsScreen) {
  const Outcome outcome =
      run("plan workloads/jobs/llama-3-70b-failures.json --quiet --top 4 --write '" + folder_.string() + "'");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  browser_->open(folder_ / "report.html");
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

TEST_F(ReportHtml, OfAPlanShowsItsFailures) {
  const Outcome outcome =
      run("plan workloads/jobs/llama-3-70b-failures.json --quiet --json --top 2 --write '" +
          folder_.string() + "'");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  browser_->open(folder_ / "report.html");
  EXPECT_GT(figures_shown(*browser_, Json::parse(outcome.out)), 10u);
  EXPECT_EQ(value("document.querySelectorAll('data[data-pointer$=\"/goodput/share\"]').length"), 2);
  EXPECT_NE(text("#plans").find(" with failures"), std::string::npos) << text("#plans");
}

TEST_F(ReportHtml, OfAValidationShowsItsCases) {
  const Outcome table =
      run("validate workloads/published/simumax-b200.json --json --out '" + folder_.string() + "'");
  ASSERT_EQ(table.status, 0) << table.err;
  browser_->open(folder_ / "report.html");
  EXPECT_GT(figures_shown(*browser_, Json::parse(table.out)), 30u);
  EXPECT_TRUE(browser_->becomes("document.querySelectorAll('#errors circle').length > 5"));
  EXPECT_NE(text("h1").find("mean absolute error"), std::string::npos) << text("h1");

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
  EXPECT_TRUE(browser_->becomes("document.querySelectorAll('#figures circle').length === 8"));
  const std::string line = "document.querySelector('#figures path.line')?.getAttribute('d')";
  const std::string before = value(line);
  value(
      "(() => { const s = document.querySelector('select'); s.value = 'makespan_s_mean';"
      "s.dispatchEvent(new Event('change')); })()");
  EXPECT_TRUE(browser_->becomes(line + " && " + line + " !== '" + before + "'"));
  EXPECT_NE(text("h1").find("4 points evaluated"), std::string::npos) << text("h1");
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
  open_run("workloads/experiments/experiment-a.json");
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

// Where the page cannot be written, no partial file is left.
TEST_F(ReportHtml, APlaceThatCannotBeWrittenIsRefused) {
  fs::create_directories(folder_ / "out" / "report.html" / "taken");
  const Outcome outcome = run("run " + kSmall + " --out '" + (folder_ / "out").string() + "'");
  EXPECT_EQ(outcome.status, 2) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  EXPECT_NE(outcome.err.find("report.html"), std::string::npos) << outcome.err;
  EXPECT_FALSE(fs::is_regular_file(folder_ / "out" / "report.html"));
}

TEST_F(ReportHtml, TheSameRunWritesTheSameBytes) {
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
