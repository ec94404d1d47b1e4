// Every kind of page, at three widths and in both schemes: nothing lies off the screen. The pictures, of
// whole pages, are for people to look at.
#include "report_html/report_page.h"
#include "support/nightly.h"

namespace spillway::testing {
namespace {

// FOLDER in a command is where its page goes.
struct KindOfPage {
  const char *name, *command;
};

const KindOfPage kPages[] = {
    {"run", "run workloads/experiments/experiment-a.json --draws 3 --engine longest-path --out FOLDER"},
    {"explain", "explain workloads/experiments/first-look.json --out FOLDER"},
    {"trace-run",
     "run --workload workloads/published/traces/straggler-st.csv --draws 2 --engine longest-path --out "
     "FOLDER"},
    {"plan", "plan workloads/jobs/llama-3-70b-failures.json --quiet --top 4 --write FOLDER"},
    {"cases", "validate workloads/published/simumax-b200.json --intervals --out FOLDER"},
    {"classes",
     "validate workloads/published/simumax-b200.json workloads/published/automodel.json --out FOLDER"},
    {"trace", "validate workloads/published/traces/straggler-ar.csv --out FOLDER"},
    {"compare",
     "compare workloads/experiments/small.json workloads/experiments/first-look.json --out FOLDER"},
    {"synthesize", "synthesize workloads/experiments/owners.json --effort 300 --out FOLDER"},
    {"twin",
     "twin workloads/experiments/ascend-910b-pp2.json workloads/published/traces/ascend-910b-pp2.csv --page "
     "FOLDER"},
};

const std::string kOnScreen =
    "[...document.querySelectorAll('th, td, svg, canvas, h1, p, li, dd')].filter((e) => e.offsetParent !== "
    "null || "
    "e.closest('svg')).every((e) => e.closest('thead')?.offsetWidth === 1 || e.closest('.axis, defs, "
    ".tiles') || "
    "(e.getBoundingClientRect().left >= -1 && e.getBoundingClientRect().right <= innerWidth + 1))";

// Every timeline has something of which a pixel is not clear.
const std::string kDrawn =
    "[...document.querySelectorAll('.track canvas')].every((c) => {"
    "const copy = new OffscreenCanvas(1, c.height).getContext('2d', {willReadFrequently: true});"
    "copy.drawImage(c, -Math.floor(c.width / 2), 0);"
    "return copy.getImageData(0, 0, 1, c.height).data.some((v) => v > 0); })";

class LooksOfPages : public ReportHtml, public ::testing::WithParamInterface<KindOfPage> {};

TEST_P(LooksOfPages, NothingLiesOffTheScreen) {
  const std::string folder = "'" + (folder_ / "page").string() + "'";
  std::string command = GetParam().command;
  command.replace(command.find("FOLDER"), 6, folder);
  const Outcome outcome = run(command);
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  browser_->open(folder_ / "page" / "report.html");
  for (const int width : {1400, 1280, 400})
    for (const std::string scheme : {"light", "dark"}) {
      if (!is_nightly() && (width == 1400 || (width == 1280) == (scheme == "dark"))) continue;
      browser_->resize(width, 900);
      browser_->prefer(scheme);
      EXPECT_TRUE(browser_->becomes("document.documentElement.scrollWidth <= " + std::to_string(width)))
          << width;
      EXPECT_TRUE(browser_->becomes(kOnScreen)) << width;
      // Timelines are drawn as far as they are in view, so all of the page is.
      const int height = value("document.documentElement.scrollHeight");
      browser_->resize(width, height);
      EXPECT_TRUE(browser_->becomes("innerHeight >= " + std::to_string(height)));
      EXPECT_TRUE(browser_->becomes(kDrawn)) << width;
      browser_->screenshot(fs::path(SPILLWAY_SCREENSHOTS) / (std::string(GetParam().name) + "-" +
                                                             std::to_string(width) + "-" + scheme + ".png"));
    }
}

// Names that would take too much of the width stand above their rows.
TEST_F(ReportHtml, ShowsLongNamesWholeOnAPhone) {
  const Outcome outcome =
      run("validate workloads/published/simumax-b200.json --out '" + folder_.string() + "'");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  browser_->open(folder_ / "report.html");
  const std::string names = "[...document.querySelectorAll('svg text.name')]";
  for (const int width : {1280, 400}) {
    browser_->resize(width, 900);
    EXPECT_TRUE(
        browser_->becomes(names + ".length > 0 && " + names +
                          ".every((e) => e.firstChild.data === e.querySelector('title').textContent)"))
        << width;
    EXPECT_TRUE(browser_->becomes(
        names + ".every((e) => e.classList.contains('above') === " + (width == 400 ? "true" : "false") + ")"))
        << width;
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, LooksOfPages, ::testing::ValuesIn(kPages), [](const auto& page) {
  std::string name = page.param.name;
  std::erase(name, '-');
  return name;
});

}  // namespace
}  // namespace spillway::testing
