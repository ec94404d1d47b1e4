// report.html in a browser, opened from disk. Skipped without Chromium, or where the program was built
// without the page.
#pragma once

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

using Json = nlohmann::json;

// A page in a browser. No page may complain or ask for another file.
class OpenPage : public Cli {
 protected:
  void TearDown() override {
    if (browser_ && !HasFatalFailure()) {
      EXPECT_EQ(browser_->complaints(), std::vector<std::string>());
      EXPECT_EQ(browser_->requests(), std::vector<std::string>());
    }
    browser_.reset();
    Cli::TearDown();
  }

  std::optional<Browser> browser_;
};

// The page as a file, which no browser opens.
class PageFile : public Cli {
 protected:
  void SetUp() override {
    Cli::SetUp();
    if (!has_page()) GTEST_SKIP() << "built without esbuild or D3, so there is no report.html";
  }
};

class ReportHtml : public OpenPage {
 protected:
  void SetUp() override {
    Cli::SetUp();
    if (!has_page()) GTEST_SKIP() << "built without esbuild or D3, so there is no report.html";
    if (!Browser::is_there()) GTEST_SKIP() << "no chromium on this machine to open report.html";
    browser_.emplace(folder_);
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
};

// "14.10 s" stands for 14.10, within half of its last digit.
struct Shown {
  double value, half_digit;
};

inline Shown shown(std::string text) {
  std::erase(text, ',');
  if (const std::string minus = "\u2212"; text.starts_with(minus)) text.replace(0, minus.size(), "-");
  std::size_t end = 0;
  const double number = std::stod(text, &end);
  const std::size_t point = text.find('.');
  const double digit = point < end ? std::pow(10, -static_cast<double>(end - point - 1)) : 1;
  const std::string unit = text.substr(end);
  const std::map<std::string, double> units = {{" ms", 1e-3}, {" us", 1e-6},   {" kB", 1e3}, {" MB", 1e6},
                                               {" GB", 1e9},  {" TB", 1e12},   {" %", 1e-2}, {" min", 60},
                                               {" h", 3600},  {" days", 86400}};
  const double scale = units.contains(unit) ? units.at(unit) : 1;
  return {number * scale, digit * scale / 2};
}

// Returns the number of figures of the document on the page. Each must have the document's value.
inline std::size_t figures_shown(Browser& browser, const Json& document) {
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

}  // namespace spillway::testing
