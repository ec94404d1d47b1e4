// The page of docs/ that simulates in the browser (docs/web/): the core compiled to WebAssembly against the
// program itself. Skipped where `make web` has not built the page, or without Chromium.
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "cli/program.h"
#include "report_html/report_page.h"

namespace spillway::testing {
namespace {

using Json = nlohmann::json;

class Playground : public OpenPage {
 protected:
  void SetUp() override {
    Cli::SetUp();
    if (!fs::exists(SPILLWAY_PLAYGROUND))
      GTEST_SKIP() << "no page to open: `make web` builds it, by Emscripten";
    if (!Browser::is_there()) GTEST_SKIP() << "no chromium on this machine to open the page";
    browser_.emplace(folder_);
    browser_->open(SPILLWAY_PLAYGROUND);
  }

  // Runs the experiment in the program, with the page's engine.
  Outcome by_program(const Json& experiment) {
    return run("run '" + file("page.json", experiment.dump()) + "' --engine longest-path --json --quiet");
  }

  std::string text(const std::string& selector) {
    return browser_->value("document.querySelector('" + selector + "').textContent");
  }
  void set(const std::string& name, const std::string& value) {
    browser_->value("(() => { const e = document.querySelector('[name=" + name + "]'); e.value = " + value +
                    "; e.dispatchEvent(new Event('input')); })()");
  }
  // Drops files of these names and texts on the page.
  void drop(const std::vector<std::pair<std::string, std::string>>& files) {
    browser_->value("(() => { const dropped = new DataTransfer(); for (const [name, text] of " +
                    Json(files).dump() +
                    ") dropped.items.add(new File([text], name)); document.body.dispatchEvent(new "
                    "DragEvent('drop', {dataTransfer: dropped, bubbles: true})); })()");
  }
  void tick(const std::string& name) {
    browser_->value("document.querySelector('[name=\"" + name + "\"]').click()");
  }
};

// Removes the times of the host, which differ between any two runs.
Json without_host_times(Json report) {
  for (const char* key : {"schedules", "references"})
    for (Json& schedule : report[key]) schedule.erase("simulation");
  return report;
}

Json random_settings(std::mt19937& random) {
  const auto among = [&](int from, int to) { return std::uniform_int_distribution(from, to)(random); };
  Json schedules = Json::array();
  for (const char* name : {"1f1b", "interleaved", "zb-v", "balanced", "mpipe"})
    if (among(0, 1) == 1) schedules.push_back(name);
  if (schedules.empty()) schedules.push_back("mpipe");
  return {{"ranks", 2 * among(1, 8)},          {"microbatches", among(1, 48)}, {"share", among(1, 30) / 50.0},
          {"trained", among(0, 1) == 1},       {"images", among(1, 16)},       {"spread", among(0, 3)},
          {"transfer_ms", among(0, 20) / 4.0}, {"schedules", schedules}};
}

TEST_F(Playground, SaysOfTwoHundredRandomSettingsWhatTheProgramSays) {
  std::mt19937 random(1);
  int refused = 0;
  for (int compared = 0; compared < 200 && !HasFailure();) {
    const Json settings = random_settings(random);
    const Json said =
        browser_->value("(() => { const s = " + settings.dump() +
                        "; s.spread = spillway.spreads[s.spread]; const e = spillway.experimentOf(s);"
                        "return [e, spillway.simulated(e)]; })()");
    const Outcome outcome = by_program(said[0]);
    if (said[1].contains("refused")) {
      EXPECT_EQ(outcome.status, 2) << settings;
      for (const std::string why : said[1]["refused"])
        EXPECT_NE(outcome.err.find(why), std::string::npos) << why;
      ++refused;
      continue;
    }
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    const Json expected = without_host_times(Json::parse(outcome.out));
    const Json report = without_host_times(said[1]["report"]);
    EXPECT_EQ(report, expected) << settings << Json::diff(report, expected).dump(1).substr(0, 2000);
    ++compared;
  }
  std::cout << "200 settings with the program's figures to the last bit, " << refused << " refused by both\n";
}

TEST_F(Playground, IsDrawnAnewWithinAFrameOrTwoOfADrag) {
  for (const char* name : {"balanced", "mpipe"}) tick(name);
  set("ranks", "16");
  set("microbatches", "63");
  const auto moved = [&](std::size_t times) {
    return browser_->becomes("performance.getEntriesByName('spillway-moved').length >= " +
                             std::to_string(times));
  };
  std::size_t times = browser_->value("performance.getEntriesByName('spillway-moved').length");
  std::vector<double> took;
  for (int i = 0; i < 20; ++i) {
    set("microbatches", i % 2 == 0 ? "64" : "63");
    ASSERT_TRUE(moved(++times));
    took.push_back(browser_->value("performance.getEntriesByName('spillway-moved').at(-1).duration"));
  }
  std::sort(took.begin(), took.end());
  RecordProperty("drag_ms", std::to_string(took[10]));
  std::cout << "1F1B of 16 ranks and 64 microbatches, from a drag until it is drawn: median " << took[10]
            << " ms, most " << took.back() << " ms\n";
  EXPECT_NE(text(".track figcaption").find("1f1b"), std::string::npos) << text(".track figcaption");
  EXPECT_LT(took[10], 1000);
}

TEST_F(Playground, MovesWithItsDials) {
  const std::string before = text("h1");
  EXPECT_NE(before.find("mpipe takes"), std::string::npos) << before;
  set("share", "0.5");
  EXPECT_NE(text("h1"), before);
  EXPECT_TRUE(browser_->becomes("document.querySelectorAll('.track canvas').length === 3"));
  tick("zb-v");
  EXPECT_TRUE(browser_->becomes("document.querySelectorAll('.track canvas').length === 4"));
  // The keyboard changes a setting too.
  browser_->value("document.querySelector('[name=ranks]').focus()");
  browser_->press("ArrowRight");
  EXPECT_NE(text("#schedules").find("zb-v"), std::string::npos);
  for (const char* name : {"1f1b", "balanced", "mpipe", "zb-v"}) tick(name);  // the last one stays
  EXPECT_TRUE(browser_->becomes("document.querySelectorAll('.track canvas').length === 1"));
}

TEST_F(Playground, RefusesAsTheProgramDoes) {
  const Json said =
      browser_->value("spillway.simulated({...spillway.experimentOf(spillway.settings), schedules: []})");
  ASSERT_TRUE(said.contains("refused")) << said;
  EXPECT_NE(said["refused"][0].get<std::string>().find("/schedules: expected "), std::string::npos) << said;
}

// A dropped experiment that names shipped files, by paths and by names, has the program's figures.
TEST_F(Playground, SimulatesAnExperimentThatIsDroppedOnIt) {
  for (const std::string name :
       {"experiment-b", "small-vlm", "released-trained-layers", "zero-bubble", "ascend-910b-pp2"}) {
    const std::string path = "workloads/experiments/" + name + ".json";
    drop({{name + ".json", slurp(kSource / path)}});
    ASSERT_TRUE(
        browser_->becomes("spillway.page.name === '" + name + ".json' && spillway.page.data !== null"))
        << name << ": " << text("h1");
    const Outcome outcome = run("run " + path + " --engine longest-path --json --quiet");
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    const Json expected = Json::parse(outcome.out)["schedules"];
    const Json said = browser_->value("spillway.page.data.report.schedules");
    ASSERT_EQ(said.size(), expected.size()) << name;
    for (std::size_t i = 0; i < said.size(); ++i)
      for (const char* key : {"name", "makespan_s", "bubble_fraction", "peak_memory_bytes", "mfu"})
        EXPECT_EQ(said[i][key], expected[i][key]) << name << ' ' << key;
  }
}

TEST_F(Playground, TakesFilesThatADroppedExperimentNames) {
  Json experiment = Json::parse(slurp(kSource / "workloads/experiments/experiment-b.json"));
  experiment["platform"] = "clusters/mine.json";
  drop({{"e.json", experiment.dump()}});
  ASSERT_TRUE(
      browser_->becomes("/clusters\\/mine.json/.test(document.querySelector('.refusals')?.textContent)"));
  drop({{"e.json", experiment.dump()}, {"mine.json", slurp(kSource / "platforms/cloudmatrix384.json")}});
  ASSERT_TRUE(browser_->becomes("spillway.page.data !== null")) << text("h1");
  EXPECT_EQ(browser_->value("document.querySelectorAll('.refusals').length"), 0);
}

// Every violation stands on the page, as the program prints it; a later move of a dial shows the dials'
// experiment again.
TEST_F(Playground, SaysEveryErrorOfADroppedExperiment) {
  Json experiment = Json::parse(slurp(kSource / kSmall));
  experiment["pipeline"]["ranks"] = "four";
  experiment["network"]["p2p"] = "sometimes";
  drop({{"bad.json", experiment.dump()}});
  ASSERT_TRUE(browser_->becomes("document.querySelectorAll('.refusals li').length === 2"))
      << text(".refusals");
  const Outcome outcome = run("run '" + file("bad.json", experiment.dump()) + "' --quiet");
  EXPECT_EQ(outcome.status, 2);
  for (const std::string line :
       browser_->value("[...document.querySelectorAll('.refusals li')].map((e) => e.textContent)"))
    EXPECT_NE(outcome.err.find(line), std::string::npos) << line;
  EXPECT_EQ(browser_->value("document.querySelector('.exports button:nth-of-type(2)').disabled"), true);
  drop({{"one.json", slurp(kSource / kSmall)}, {"two.json", slurp(kSource / kSmall)}});
  ASSERT_TRUE(
      browser_->becomes("/one experiment at a time/.test(document.querySelector('.refusals').textContent)"));
  drop({{"a.json", "no JSON"}, {"b.csv", "1,2"}});
  ASSERT_TRUE(browser_->becomes("/is among none of/.test(document.querySelector('.refusals').textContent)"));
  drop({{"broken.json", "{\"schema\": "}});
  ASSERT_TRUE(
      browser_->becomes("/broken.json cannot be simulated/.test(document.querySelector('h1').textContent)"));
  set("ranks", "4");
  ASSERT_TRUE(browser_->becomes("spillway.page.data !== null && !document.querySelector('.refusals')"));
}

// The saved page is one that report.html could be: it opens from disk, asks for nothing, and has the same
// figures.
TEST_F(Playground, SavesTheReportPageOfWhatItShows) {
  const Json report = browser_->value("spillway.page.data.report");
  const std::string page =
      browser_->value("spillway.reportPage(spillway.page.data).then((parts) => parts.join(''))");
  file("saved.html", page);
  browser_->open(folder_ / "saved.html");
  EXPECT_GT(figures_shown(*browser_, report), 100u);
  EXPECT_TRUE(browser_->becomes("document.querySelectorAll('.track canvas').length === 3"));
}

// The search's steps are those of `synthesize`, and can be stopped.
TEST_F(Playground, ShowsASearchWhileItImproves) {
  drop({{"owners.json", slurp(kSource / "workloads/experiments/owners.json")}});
  ASSERT_TRUE(browser_->becomes("spillway.page.name === 'owners.json' && spillway.page.data !== null"));
  tick("improve");
  ASSERT_TRUE(browser_->becomes("spillway.page.data.synthesis?.effort >= 100")) << text("h1");
  tick("improve");
  ASSERT_TRUE(browser_->becomes("document.querySelector('[name=improve]').textContent !== 'Stop'"));
  const Json said = browser_->value("spillway.page.data.synthesis");
  const Outcome found =
      run("synthesize workloads/experiments/owners.json --json --effort " + said["effort"].dump());
  ASSERT_EQ(found.status, 0) << found.err;
  const Json expected = Json::parse(found.out);
  for (const char* key : {"makespan_s", "lower_bound_s", "nearest", "difference", "schedule"})
    EXPECT_EQ(said[key], expected[key]) << key;
  EXPECT_TRUE(text(".track figcaption b").starts_with("synthesized")) << text(".track figcaption b");
  EXPECT_TRUE(browser_->becomes("document.querySelectorAll('.legend .roof').length === " +
                                std::string(said["is_named"] == true ? "0" : "1")));
}

TEST_F(Playground, AChangedTextIsSimulated) {
  browser_->value(
      "(() => { const e = document.querySelector('textarea'); e.value = e.value.replace('\"ranks\": 8', "
      "'\"ranks\": 6'); e.dispatchEvent(new Event('input')); })()");
  EXPECT_TRUE(browser_->becomes(
      "spillway.page.name === 'changed.json' && spillway.page.data?.report.layout.ranks === 6"))
      << text("h1");
}

TEST_F(Playground, ReadsOnAPhoneAndInTheDark) {
  const fs::path pictures = SPILLWAY_SCREENSHOTS;
  for (const int width : {1400, 1280, 400}) {
    browser_->resize(width, 900);
    browser_->value("document.querySelector('.track').scrollIntoView()");
    for (const std::string scheme : {"light", "dark"}) {
      browser_->prefer(scheme);
      EXPECT_TRUE(
          browser_->becomes("document.documentElement.scrollWidth <= document.documentElement.clientWidth"));
      browser_->screenshot(pictures / ("playground-" + std::to_string(width) + "-" + scheme + ".png"));
    }
  }
}

}  // namespace
}  // namespace spillway::testing
