#include "sweep/plot/plot.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>

#include "base/error.h"
#include "outcomes.h"
#include "support/temporary_folder.h"

namespace spillway::testing {
namespace {

namespace fs = std::filesystem;

const char* const kRanks = "/pipeline/ranks";
const char* const kMicrobatches = "/pipeline/microbatches";
const char* const kTransfer = "/network/p2p_ms";

struct PlottedPoint {
  std::vector<std::string> values;
  std::optional<PointOutcome> outcome;
};

// Returns 4 and 8 ranks x 8, 16 and 32 microbatches x transfers of 0.5 and 1 ms. The first draw of the fast
// schedule takes half as long.
std::vector<PlottedPoint> grid() {
  std::vector<PlottedPoint> points;
  for (int ranks : {4, 8})
    for (int microbatches : {8, 16, 32})
      for (const char* transfer : {"0.5", "1"}) {
        const double seconds = ranks + microbatches;
        points.push_back({{std::to_string(ranks), std::to_string(microbatches), transfer},
                          point_of({schedule_of("slow", {seconds, seconds + 2}),
                                    schedule_of("fast", {seconds / 2, seconds / 2 + 2})})});
      }
  return points;
}

PlotRequest lines() {
  return {.x = kMicrobatches, .at = {{kRanks, "4"}, {kTransfer, "1.0"}}, .output = "picture.svg"};
}

PlotRequest heat_map() {
  return {.x = kMicrobatches, .y = kRanks, .at = {{kTransfer, "1"}}, .output = "picture.svg"};
}

void gather(SweepPlot& plot, const std::vector<PlottedPoint>& points) {
  for (const PlottedPoint& point : points) plot.add(point.values, point.outcome ? &*point.outcome : nullptr);
}

std::string script_of(const PlotRequest& request, const std::vector<PlottedPoint>& points = grid()) {
  SweepPlot plot(heading_of({kRanks, kMicrobatches, kTransfer}), request);
  gather(plot, points);
  return plot.script();
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// Returns "OPTION: expected" of each violation.
std::vector<std::string> wrong_in(const PlotRequest& request,
                                  const std::vector<PlottedPoint>& points = grid()) {
  std::vector<std::string> wrong;
  try {
    script_of(request, points);
  } catch (const InputError& error) {
    for (const Violation& violation : error.violations())
      wrong.push_back(violation.pointer + ": " + violation.expected);
  }
  return wrong;
}

TEST(SweepLines, ALineForEachScheduleButTheBaseline) {
  const std::string script = script_of(lines());
  EXPECT_TRUE(has(script, "set xlabel 'pipeline microbatches'\n"));
  EXPECT_TRUE(has(script, "set ylabel 'speedup over slow'\n"));
  EXPECT_TRUE(has(script, "'by hand' at screen"));
  EXPECT_TRUE(has(script, "'fast: speedup over slow, mean of 4 draws, bars: 95 % interval of the mean'"));
  EXPECT_TRUE(has(script, "pipeline ranks = 4; network p2p (ms) = 1; makespans by the longest path; seed 1"));
  EXPECT_TRUE(has(script, "plot 1 with lines"));
  EXPECT_TRUE(has(script, "title 'fast'"));
  EXPECT_FALSE(has(script, "$line1"));
}

TEST(SweepLines, MarkWhatIsNotRanked) {
  std::vector<PlottedPoint> points = grid();
  for (PlottedPoint& point : points) point.outcome->schedules[1].unranked = "its rule is not public";
  EXPECT_TRUE(has(script_of(lines(), points), "title 'fast (not ranked)'"));
  // If no schedule is named, the picture shows the first one that is ranked.
  EXPECT_TRUE(has(script_of(heat_map(), points), "'slow: speedup over slow"));
}

TEST(SweepLines, HoldsTheFiguresWithTheirIntervals) {
  PlotRequest request = lines();
  request.metric = "makespan_s_mean";
  const std::string script = script_of(request);
  EXPECT_TRUE(has(script, "set ylabel 'makespan (s)'\n"));
  const std::string interval =
      "12.706204736174705";  // Student's t of one degree of freedom: 2 s between two draws
  EXPECT_TRUE(has(script, "$line0 << EOD\n8 13 " + interval.substr(0, 10)));
  EXPECT_TRUE(has(script, "$line1 << EOD\n8 7 " + interval.substr(0, 10)));
  EXPECT_TRUE(has(script, "with yerrorlines"));
}

TEST(SweepLines, AGeometricAxisIsLogarithmic) {
  EXPECT_TRUE(has(script_of(lines()), "set logscale x"));
  PlotRequest request = lines();
  request.x = kRanks;
  request.at = {{kMicrobatches, "8"}, {kTransfer, "1"}};
  EXPECT_FALSE(has(script_of(request), "set logscale x"));
}

TEST(SweepLines, ASeriesIsALineForEachOfItsValues) {
  PlotRequest request = lines();
  request.series = kRanks;
  request.at = {{kTransfer, "1"}};
  const std::string script = script_of(request);
  EXPECT_TRUE(has(script, "title 'pipeline ranks'"));
  EXPECT_TRUE(has(script, "title '4'"));
  EXPECT_TRUE(has(script, "title '8'"));
  EXPECT_TRUE(has(script, "'fast: speedup over slow"));
}

TEST(SweepLines, WhatIsRefusedOrUnfinishedIsAGap) {
  std::vector<PlottedPoint> points = grid();
  points[1].outcome = refused("too large");
  points[3].outcome.reset();
  const std::string script = script_of(lines(), points);
  EXPECT_TRUE(has(script, "$line0 << EOD\n8 NaN 0\n16 NaN 0\n32 1."));
  EXPECT_TRUE(has(script, "left out: 2 points refused or not finished"));
}

// Returns the grid under a memory limit that the fast schedule exceeds at 32 microbatches.
std::vector<PlottedPoint> too_large() {
  std::vector<PlottedPoint> points = grid();
  for (PlottedPoint& point : points)
    point.outcome = holding(*point.outcome, Bytes(80e9), {10e9, point.values[1] == "32" ? 90e9 : 70e9});
  return points;
}

TEST(SweepLines, WhatDoesNotFitIsHollow) {
  const std::string script = script_of(lines(), too_large());
  EXPECT_TRUE(has(script, "$misfit0 << EOD\n32 1."));
  EXPECT_TRUE(has(script, "$misfit0 with points linecolor rgb ground"));
  EXPECT_TRUE(has(script, "hollow: 1 step would not fit in memory"));
  EXPECT_FALSE(has(script_of(lines()), "misfit"));
}

TEST(SweepHeatMap, WhatDoesNotFitIsHatched) {
  const std::string script = script_of(heat_map(), too_large());
  EXPECT_TRUE(has(script, "$misfits << EOD\n2 0\n2 1\nEOD\n"));
  EXPECT_TRUE(has(script, "$misfits using 1:2:(0.5):(0.5) with boxxyerror"));
  EXPECT_TRUE(has(script, "hatched: 2 steps would not fit in memory"));
  EXPECT_FALSE(has(script_of(heat_map()), "$misfits using"));
}

// Five colours can be told apart, so a sixth schedule has the first one's again, and other dashes and points.
TEST(SweepLines, ThatShareAColourDifferInDashesAndShapes) {
  std::vector<ScheduleOutcome> schedules = {schedule_of("baseline", {9.0, 9.5})};
  for (int i = 0; i < 6; ++i) schedules.push_back(schedule_of("s" + std::to_string(i), {2.0 + i, 2.5 + i}));
  const std::string script =
      script_of({.x = kMicrobatches, .output = "picture.svg"}, {{{"4", "8", "1"}, point_of(schedules)}});
  const auto line_of = [&](const std::string& name) {
    const std::size_t end = script.find("title '" + name + "'");
    return script.substr(script.rfind("$line", end), end - script.rfind("$line", end));
  };
  const auto part_of = [](const std::string& line, const std::string& word) {
    const std::size_t at = line.find(word + ' ');
    return at == std::string::npos ? "" : line.substr(at, line.find(' ', at + word.size() + 1) - at);
  };
  EXPECT_EQ(part_of(line_of("s0"), "rgb"), part_of(line_of("s5"), "rgb"));
  EXPECT_EQ(part_of(line_of("s0"), "dashtype"), "");
  EXPECT_EQ(part_of(line_of("s5"), "dashtype"), "dashtype 2");
  EXPECT_NE(part_of(line_of("s0"), "pointtype"), part_of(line_of("s5"), "pointtype"));
}

TEST(SweepLines, WordsStandSideBySideWithoutLines) {
  const SweepHeading heading = heading_of({"/schedules/0/owner"});
  SweepPlot plot(heading, {.x = "/schedules/0/owner", .output = "picture.svg"});
  for (const char* owner : {"\"min-max\"", "\"it's 100 %\""}) plot.add({owner}, &*grid().front().outcome);
  const std::string script = plot.script();
  EXPECT_TRUE(has(script, R"(set xtics ('min-max' 0, "it\047s 100 \045\045" 1))"));
  EXPECT_TRUE(has(script, "with yerrorbars"));
}

TEST(SweepHeatMap, ACellForEachPointOfOneSchedule) {
  PlotRequest request = heat_map();
  request.metric = "makespan_s_p95";
  const std::string script = script_of(request);
  EXPECT_TRUE(has(script, "set ylabel 'pipeline ranks'\n"));
  EXPECT_TRUE(has(script, "set xtics ('8' 0, '16' 1, '32' 2)"));
  EXPECT_TRUE(has(script, "set cblabel 'makespan, p95 (s)'"));
  EXPECT_TRUE(has(script, "'fast: makespan, p95, 4 draws'"));
  EXPECT_TRUE(has(script, "$known << EOD\n0 0 8\n1 0 12\n2 0 20\n0 1 10\n1 1 14\n2 1 22\nEOD\n"));
  EXPECT_TRUE(has(script, "set cbrange [8:22]"));
}

TEST(SweepHeatMap, ColoursASpeedupByItsSideOfOne) {
  const std::string script = script_of(heat_map());
  EXPECT_TRUE(has(script, "set palette defined (0 '#f7f7f7'"));
  EXPECT_TRUE(has(script, "set cbrange [1:"));
  PlotRequest slow = heat_map();
  slow.metric = "difference_s_mean";
  EXPECT_TRUE(has(script_of(slow), "32 '#f7f7f7')"));
}

TEST(SweepHeatMap, WhatIsRefusedIsGreyAndWhatIsNotThereBlank) {
  std::vector<PlottedPoint> points = grid();
  points[1].outcome = refused("too large");
  points.erase(points.begin() + 3);
  const std::string script = script_of(heat_map(), points);
  EXPECT_TRUE(has(script, "$unknown << EOD\n0 0\nEOD\n"));
  EXPECT_FALSE(has(script, "\n1 0 "));
  EXPECT_TRUE(has(script, "grey: 1 point refused"));
}

TEST(SweepPlot, AnAxisThatGoesAlongNeedNotBeFixed) {
  SweepPlot plot(heading_of({kRanks, kMicrobatches}), {.x = kRanks, .output = "picture.svg"});
  plot.add({"4", "8"}, &*grid().front().outcome);
  plot.add({"8", "16"}, &*grid().front().outcome);
  EXPECT_TRUE(has(plot.script(), "pipeline microbatches goes along"));
}

TEST(SweepPlot, AnAxisThatIsNeitherDrawnNorFixedIsNamed) {
  PlotRequest request = lines();
  request.at = {};
  EXPECT_EQ(wrong_in(request),
            (std::vector<std::string>{"--at: one value of /pipeline/ranks, such as /pipeline/ranks=4",
                                      "--at: one value of /network/p2p_ms, such as /network/p2p_ms=0.5"}));
}

TEST(SweepPlot, EveryWrongPartOfARequestIsNamed) {
  PlotRequest request{.x = "/pipeline/rank",
                      .y = "/network/p2p",
                      .metric = "makespan_mean",
                      .schedules = {"slow", "fast"},
                      .at = {{"/pipeline/microbatch", "8"}},
                      .output = "picture.jpg"};
  EXPECT_EQ(wrong_in(request),
            (std::vector<std::string>{"--x: an axis of the sweep, such as \"/pipeline/ranks\"",
                                      "--y: an axis of the sweep, such as \"/network/p2p_ms\"",
                                      "--metric: a column of figures, such as \"makespan_s_mean\"",
                                      "--at: an axis of the sweep, such as \"/pipeline/microbatches\"",
                                      "--schedule: one schedule for a picture of two axes",
                                      "--out: a file that ends in .svg or .png"}));
}

TEST(SweepPlot, WhatTheSweepHasNotIsNamed) {
  PlotRequest request = lines();
  request.at[0].second = "5";
  EXPECT_EQ(wrong_in(request), std::vector<std::string>{"--at: a value of /pipeline/ranks: 4, 8"});
  request = lines();
  request.schedules = {"faster"};
  EXPECT_EQ(wrong_in(request), std::vector<std::string>{"--schedule: one of slow, fast"});
  request = lines();
  request.metric = "mfu_mean";
  EXPECT_EQ(wrong_in(request), std::vector<std::string>{"--metric: a figure that these points have"});
  EXPECT_EQ(wrong_in(lines(), {{{"4", "8", "1"}, std::nullopt}}),
            std::vector<std::string>{"/: a finished point"});
  request = {.output = "picture.svg"};
  EXPECT_EQ(wrong_in(request).front(),
            "--x: one of /pipeline/ranks, /pipeline/microbatches, /network/p2p_ms");
  request = heat_map();
  request.y = request.x;
  EXPECT_EQ(wrong_in(request), std::vector<std::string>{"--y: another axis than --x"});
}

TEST(SweepPlot, MoreLinesThanCanBeToldApartAreRefused) {
  std::vector<PlottedPoint> points;
  for (int i = 0; i < 21; ++i) points.push_back({{std::to_string(i), "8", "1"}, grid().front().outcome});
  PlotRequest request = lines();
  request.series = kRanks;
  request.at = {};
  EXPECT_EQ(wrong_in(request, points),
            std::vector<std::string>{"--series: an axis of at most 20 values, or --y for a heat map"});
}

class SweepPicture : public ::testing::Test {
 protected:
  std::string drawn(PlotRequest request, const std::string& file) const {
    request.output = folder_ / file;
    SweepPlot plot(heading_of({kRanks, kMicrobatches, kTransfer}), request);
    gather(plot, grid());
    plot.write();
    std::ifstream in(request.output, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  static bool has_gnuplot() { return std::system("gnuplot --version > /dev/null 2>&1") == 0; }

  const TemporaryFolder temporary_;
  const fs::path folder_ = temporary_.path();
};

TEST_F(SweepPicture, GnuplotDrawsTheTextAsText) {
  if (!has_gnuplot()) GTEST_SKIP() << "no gnuplot";
  for (const PlotRequest& request : {lines(), heat_map()}) {
    const std::string svg = drawn(request, "picture.svg");
    for (const char* text : {"by hand", "pipeline microbatches", "speedup over slow", ">8<", ">16<", ">32<"})
      EXPECT_TRUE(has(svg, text)) << text;
    EXPECT_TRUE(has(svg, "</svg>"));
  }
}

// Every colour of the page and of lines has a dark value, and no rule is for a colour that is not there.
TEST_F(SweepPicture, FollowsTheReadersScheme) {
  if (!has_gnuplot()) GTEST_SKIP() << "no gnuplot";
  PlotRequest ordered = lines();
  ordered.series = kRanks, ordered.at = {{kTransfer, "1"}};
  for (const PlotRequest& request : {lines(), heat_map(), ordered}) {
    const std::string svg = drawn(request, "picture.svg");
    const std::size_t style = svg.find("@media (prefers-color-scheme:dark)"), end = svg.find("</style>");
    ASSERT_NE(style, std::string::npos);
    const std::string body = svg.substr(end);
    std::set<std::string> ruled;
    static const std::regex rule("\\[(fill|stroke|color)=\"([^\"]+)\"\\]");
    const std::string rules = svg.substr(style, end - style);
    for (std::sregex_iterator at(rules.begin(), rules.end(), rule), last; at != last; ++at) {
      EXPECT_NE(body.find((*at)[2]), std::string::npos) << at->str();
      ruled.insert((*at)[2]);
    }
    static const std::regex used("(?:stroke|color)='(rgb[^']+)'");
    for (std::sregex_iterator at(body.begin(), body.end(), used), last; at != last; ++at)
      EXPECT_TRUE(ruled.contains((*at)[1])) << (*at)[1];
    EXPECT_TRUE(ruled.contains("black"));
  }
  EXPECT_EQ(drawn(lines(), "a.png").find("<style>"), std::string::npos);
}

TEST_F(SweepPicture, GnuplotDrawsWhatDoesNotFit) {
  if (!has_gnuplot()) GTEST_SKIP() << "no gnuplot";
  for (PlotRequest request : {lines(), heat_map()}) {
    request.output = folder_ / "misfits.svg";
    SweepPlot plot(heading_of({kRanks, kMicrobatches, kTransfer}), request);
    gather(plot, too_large());
    plot.write();
    std::ifstream svg(folder_ / "misfits.svg");
    EXPECT_TRUE(has({std::istreambuf_iterator<char>(svg), {}}, "would not fit in memory"));
  }
}

// The names have a quote at the beginning, at the end or alone, text that double quotes make special, or
// text that a shell would run.
TEST_F(SweepPicture, NamesWithQuotesAreDrawn) {
  if (!has_gnuplot()) GTEST_SKIP() << "no gnuplot";
  for (const char* name :
       {"'", "''a", "a'", "it's \"x\"", "'\\", "'`echo run`", "'@x $x", "'%d {a}", "\"", "`x`", "\\"}) {
    std::vector<PlottedPoint> named = grid();
    for (PlottedPoint& point : named) point.outcome->schedules[1].name = name;
    PlotRequest request = lines();
    request.output = folder_ / "named.svg";
    SweepHeading heading = heading_of({kRanks, kMicrobatches, kTransfer});
    heading.name = name;
    SweepPlot plot(heading, request);
    gather(plot, named);
    EXPECT_NO_THROW(plot.write()) << name;
    std::ifstream in(request.output, std::ios::binary);
    const std::string svg{std::istreambuf_iterator<char>(in), {}};
    std::string shown;
    for (const char c : std::string(name))
      shown += c == '"' ? "&quot;" : c == '\'' ? "&apos;" : c == '&' ? "&amp;" : std::string(1, c);
    EXPECT_TRUE(has(svg, shown) || has(svg, name)) << name << svg.substr(0, 3000);
  }
}

TEST_F(SweepPicture, TheSameResultsAreTheSameBytes) {
  if (!has_gnuplot()) GTEST_SKIP() << "no gnuplot";
  EXPECT_EQ(drawn(heat_map(), "a.svg"), drawn(heat_map(), "b.svg"));
  const std::string png = drawn(lines(), "a.png");
  EXPECT_TRUE(png.starts_with("\x89PNG"));
  EXPECT_EQ(png, drawn(lines(), "b.png"));
}

TEST_F(SweepPicture, WithoutGnuplotItSaysWhatToInstallAndLeavesNoFile) {
  const std::string path = getenv("PATH");
  setenv("PATH", folder_.c_str(), 1);
  EXPECT_THROW(drawn(lines(), "picture.svg"), InputError);
  setenv("PATH", path.c_str(), 1);
  EXPECT_TRUE(fs::is_empty(folder_));
}

}  // namespace
}  // namespace spillway::testing
