// The figures of the shipped studies in docs/studies.md are those of the studies today, except for the study
// of 10,000 points. `make nightly` runs the studies whole; every day long ones run the points that sentences
// name.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "house/documents.h"
#include "support/nightly.h"
#include "support/temporary_folder.h"

namespace {

namespace fs = std::filesystem;
using spillway::testing::is_nightly;
using spillway::testing::rounded;

const fs::path kRepository = SPILLWAY_SOURCE_DIR;

// Returns the page's line on a study.
std::string line_of(const std::string& study) {
  std::istringstream in(spillway::testing::document("docs/studies.md").text);
  for (std::string line; std::getline(in, line);)
    if (line.starts_with("| [" + study + "](")) return line;
  return "";
}

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream text(line);
  for (std::string cell; std::getline(text, cell, ',');) cells.push_back(cell);
  return cells;
}

// A study, run and exported, with rows by the value of an axis and schedule.
class Study : public ::testing::Test {
 protected:
  // `shares`: parts of the points, "1/6", of which to run these alone every day; none: all of them.
  void run(const std::string& study, const std::vector<std::string>& shares = {}) {
    sweep(study, shares);
    text_ = line_of(study);
    ASSERT_FALSE(text_.empty()) << study;
  }

  void sweep(const std::string& study, const std::vector<std::string>& shares = {}) {
    if (shares.empty() || is_nightly()) return sweep_share(study, "");
    for (const std::string& share : shares) sweep_share(study, share);
  }

  // Adds a part of the points to those before; all of them if it is empty.
  void sweep_share(const std::string& study, const std::string& share) {
    const std::string store = (folder_ / "s.sqlite").string(), csv = (folder_ / "s.csv").string();
    const std::string program = "'" SPILLWAY_PROGRAM "' sweep ";
    const std::string file = (kRepository / "workloads/studies" / (study + ".json")).string();
    const std::string some =
        (share.empty() ? "" : " --shard " + share) + (fs::exists(store) ? " --resume" : "");
    ASSERT_EQ(std::system((program + "'" + file + "' --quiet --out '" + store + "'" + some).c_str()), 0);
    ASSERT_EQ(std::system((program + "export '" + store + "' >'" + csv + "'").c_str()), 0);
    std::ifstream in(csv);
    std::string line;
    std::getline(in, line);
    columns_ = cells_of(line);
    rows_.clear();
    while (std::getline(in, line)) rows_.push_back(cells_of(line));
  }

  // Returns the figure in the schedule's first row whose axes have these values.
  double figure(const std::map<std::string, std::string>& at, const std::string& schedule,
                const std::string& column) const {
    for (const auto& row : rows_) {
      bool same = row[index("schedule")] == schedule;
      for (const auto& [axis, value] : at) same = same && row[index(axis)].starts_with(value);
      if (same) return std::stod(row[index(column)]);
    }
    ADD_FAILURE() << "no row of " << schedule;
    return 0;
  }

  // Returns Mpipe's speedup over another schedule, from means.
  double over(const std::string& schedule, const std::map<std::string, std::string>& at) const {
    return figure(at, schedule, "makespan_s_mean") / figure(at, "mpipe", "makespan_s_mean");
  }

  // Returns the figures in all rows of the schedule.
  std::vector<double> figures(const std::string& schedule, const std::string& column) const {
    std::vector<double> found;
    for (const auto& row : rows_)
      if (row[index("schedule")] == schedule) found.push_back(std::stod(row[index(column)]));
    EXPECT_FALSE(found.empty()) << "no row of " << schedule;
    return found;
  }

  // Returns the two numbers of "1.017 to 1.241" behind these words of the page, or one of them twice.
  std::pair<double, double> range_said(const std::string& before) const {
    const std::size_t at = text_.find(before);
    if (at == std::string::npos) {
      ADD_FAILURE() << before;
      return {};
    }
    std::istringstream rest(text_.substr(at + before.size()));
    double low = 0, high = 0;
    std::string to;
    rest >> low;
    if (!(rest >> to >> high) || to != "to") high = low;
    return {low, high};
  }

  void expect_said(const std::string& words) const {
    EXPECT_NE(text_.find(words), std::string::npos) << words;
  }

 private:
  std::size_t index(const std::string& column) const {
    for (std::size_t i = 0; i < columns_.size(); ++i)
      if (columns_[i] == column) return i;
    ADD_FAILURE() << "no column " << column;
    return 0;
  }

  const spillway::testing::TemporaryFolder temporary_;
  const fs::path folder_ = temporary_.path();
  std::vector<std::string> columns_;
  std::vector<std::vector<std::string>> rows_;
  std::string text_;
};

const std::string kForward = "/model/blocks/0/profile/forward_ms";

TEST_F(Study, EncoderToBubble) {
  run("encoder-to-bubble");
  const auto mpipe = [&](const std::string& forward, const std::string& column) {
    return figure({{kForward, forward}}, "mpipe", column);
  };
  expect_said("at most " + rounded(mpipe("0.2371", "encoder_to_bubble_mean"), 1) + " of the warm-up bubble");
  expect_said(rounded(mpipe("0.2371", "exposed_encoder_s_mean") * 1e3, 0) + " ms");
  expect_said(rounded(mpipe("0.01", "speedup_mean"), 2) + " to " +
              rounded(mpipe("0.1778", "speedup_mean"), 2) + "x over");
  expect_said(rounded(mpipe("10", "speedup_mean"), 2) + "x at " +
              rounded(mpipe("10", "encoder_to_bubble_mean"), 0) + " bubbles");
  const auto over_balanced = [&](const std::string& forward) {
    return rounded(over("balanced", {{kForward, forward}}), 2) + "x at ";
  };
  expect_said(over_balanced("0.01") + "the smallest encoder and " + over_balanced("10") +
              rounded(mpipe("10", "encoder_to_bubble_mean"), 0) + " bubbles");
}

TEST_F(Study, EncoderToBubbleScale) {
  run("encoder-to-bubble-scale");
  const auto mpipe = [&](const std::string& ranks, const std::string& column, int digits) {
    return rounded(figure({{"/pipeline/ranks", ranks}, {kForward, "1.0"}}, "mpipe", column), digits);
  };
  const std::string ratio = "encoder_to_bubble_mean", exposed = "exposed_encoder_s_mean",
                    speedup = "speedup_mean";
  expect_said(mpipe("4", ratio, 1) + " bubbles on 4 ranks, " + mpipe("16", ratio, 1) + " on 16 and " +
              mpipe("64", ratio, 1) + " on 64");
  expect_said(mpipe("4", exposed, 2) + " s to " + mpipe("64", exposed, 2) + " s");
  expect_said(mpipe("4", speedup, 2) + "x, " + mpipe("16", speedup, 2) + "x and " + mpipe("64", speedup, 2) +
              "x");
  const auto over_balanced = [&](const std::string& ranks) {
    return rounded(over("balanced", {{"/pipeline/ranks", ranks}, {kForward, "1.0"}}), 2) + "x";
  };
  expect_said("over a balanced pipeline " + over_balanced("4") + ", " + over_balanced("16") + " and " +
              over_balanced("64"));
}

TEST_F(Study, ResolutionMix) {
  run("resolution-mix");
  const auto exposed = [&](const std::string& trace, const std::string& images) {
    return rounded(figure({{"/model/blocks/0/image_work/trace", "../traces/" + trace},
                           {"/model/blocks/0/image_work/samples_per_microbatch", images}},
                          "mpipe", "exposed_encoder_s_mean"),
                   2);
  };
  for (const char* images : {"2", "16"})
    expect_said(exposed("mathvista", images) + " s against " + exposed("coco", images) + " s");
}

TEST_F(Study, Bandwidth) {
  run("bandwidth", {"0/8", "3/8", "7/8"});
  const auto mpipe = [&](const std::string& gbps, const std::string& column) {
    return figure({{"/platform_set/~1tiers~12~1bandwidth_gbps/value", gbps}}, "mpipe", column);
  };
  expect_said(rounded(mpipe("196", "makespan_s_mean"), 2) + " to " +
              rounded(mpipe("12.25", "makespan_s_mean"), 2) + " s");
  expect_said(rounded(mpipe("1.53125", "makespan_s_mean"), 2) + " s");
  expect_said(rounded(mpipe("196", "speedup_mean"), 3) + "x to " +
              rounded(mpipe("1.53125", "speedup_mean"), 3) + "x");
  const std::vector<double> contention = figures("mpipe", "contention_mean");
  EXPECT_EQ(contention.size(), is_nightly() ? 8u : 3u);
  for (const double of_a_point : contention) EXPECT_LT(of_a_point, 1e-5);
}

TEST_F(Study, Systems) {
  run("systems", {"19/48", "39/48"});
  struct Point {
    std::string ranks, microbatches, images, forward;
  };
  const auto gain = [&](const Point& at, const std::string& system) {
    return figure({{"/pipeline/ranks", at.ranks},
                   {"/pipeline/microbatches", at.microbatches},
                   {"/model/blocks/0/image_work/trace", "../traces/" + at.images},
                   {kForward, at.forward}},
                  system, "speedup_mean");
  };
  const Point few{"8", "16", "coco", "4"}, many{"16", "16", "servegen", "4"};
  expect_said(rounded(gain(few, "mpipe"), 3) + "x to Optimus' " + rounded(gain(few, "optimus"), 3) + "x");
  expect_said(rounded(gain(many, "mpipe"), 3) + "x to encode-first's " +
              rounded(gain(many, "encode-first"), 3) + "x");
  if (!is_nightly()) return;
  double least = 10, most = 0, of_encode_first = 10, of_disttrain = 0;
  for (const std::string ranks : {"4", "8", "16"})
    for (const std::string microbatches : {"16", "64"})
      for (const std::string images : {"coco", "servegen"})
        for (const std::string forward : {"0.0625", "0.25", "1", "4"}) {
          const Point at{ranks, microbatches, images, forward};
          least = std::min(least, gain(at, "mpipe"));
          most = std::max(most, gain(at, "mpipe"));
          for (const char* system : {"optimus", "encode-in-bubbles"})
            EXPECT_GT(gain(at, system), 1) << system;
          of_encode_first = std::min(of_encode_first, gain(at, "encode-first"));
          of_disttrain = std::max(of_disttrain, gain(at, "disttrain"));
        }
  expect_said("Mpipe gains " + rounded(least, 3) + " to " + rounded(most, 3) + "x");
  expect_said("as low as " + rounded(of_encode_first, 3) + "x");
  expect_said("at most " + rounded(of_disttrain, 3) + "x");
}

// Every day two of the 48 points lie inside the ranges that the page states.
TEST_F(Study, SystemsEqualTerms) {
  run("systems-equal-terms", {"0/24"});
  const auto expect_range = [&](const std::string& system, const std::string& before,
                                const std::string& after) {
    const auto [least, most] = std::ranges::minmax(figures(system, "speedup_mean"));
    if (is_nightly()) return expect_said(before + rounded(least, 3) + " to " + rounded(most, 3) + after);
    const auto [low, high] = range_said(before);
    EXPECT_LE(low, least + 0.0005) << system;
    EXPECT_GE(high, most - 0.0005) << system;
  };
  expect_range("mpipe", "Mpipe gains on all 48 points, ", "x");
  expect_range("entrain", "nothing left to gain (", "x)");
  expect_range("dip", "DIP has ", "x");
  expect_range("encode-first", "encode-first ", "x");
  const auto expect_most = [&](const std::string& system, const std::string& before,
                               const std::string& after) {
    const double most = std::ranges::max(figures(system, "speedup_mean"));
    if (is_nightly()) return expect_said(before + rounded(most, 3) + after);
    EXPECT_GE(range_said(before).first, most - 0.0005) << system;
  };
  expect_most("orchmllm", "all-to-all in vain (at most ", "x)");
  expect_most("disttrain", "whole ranks for the encoder at most ", "x");
}

// Every day three of the five points of which the page speaks are run, of 36.
TEST_F(Study, SystemsScale) {
  run("systems-scale", {"4/36", "12/36", "16/36"});
  struct Point {
    std::string replicas, microbatches, forward;
  };
  const auto gain = [&](const Point& at, const std::string& system, const std::string& images = "servegen") {
    const std::string by_images = "../traces/" + images;
    const double made = figure({{"/pipeline/replicas", at.replicas},
                                {"/pipeline/microbatches", at.microbatches},
                                {"/model/blocks/0/image_work/trace", by_images},
                                {kForward, at.forward}},
                               system, "speedup_mean");
    return rounded(made, 3) + "x";
  };
  const Point few{"2", "32", "2"}, many{"16", "32", "2"}, long_step{"2", "64", "0.5"},
      short_step{"8", "16", "0.5"}, small{"8", "16", "0.125"};
  expect_said(gain(long_step, "dip") + " with 64, " + gain(short_step, "dip") + " with 16");
  expect_said("to Mpipe's " + gain(long_step, "mpipe") + " and " + gain(short_step, "mpipe"));
  expect_said("DIP has " + gain(small, "dip", "coco") + " and more");
  if (!is_nightly()) return;
  expect_said("it has " + gain(few, "mpipe") + " on 2 replicas and " + gain(many, "mpipe") + " on 16");
  expect_said("goes from " + gain(few, "entrain") + " to " + gain(many, "entrain") + " and OrchMLLM from " +
              gain(few, "orchmllm") + " to " + gain(many, "orchmllm"));
}

// Returns 945359.06 as "945,400".
std::string to_hundreds(double usd) {
  const std::string digits = rounded(usd / 100, 0) + "00";
  return digits.substr(0, digits.size() - 3) + ',' + digits.substr(digits.size() - 3);
}

TEST_F(Study, WhichCluster) {
  sweep("clusters-73b", {"2/27", "3/27", "14/27", "20/27"});
  struct Row {
    const char *platform, *tensor, *ranks, *replicas, *schedule, *layout, *memory;
    int digits;  // of the memory
  };
  for (const Row& row :
       {Row{"hgx-h100", "4", "4", "16", "mpipe", "TP4 PP4 DP16, Mpipe", " of 84.94 GB", 1},
        Row{"hgx-h100", "4", "4", "16", "balanced", "TP4 PP4 DP16, balanced 1F1B", " GB", 1},
        Row{"hgx-h100", "4", "8", "8", "balanced", "TP4 PP8 DP8, balanced 1F1B", " GB", 1},
        Row{"b200", "4", "4", "8", "mpipe", "TP4 PP4 DP8, Mpipe", " of 191.5 GB", 0},
        Row{"cloudmatrix384", "8", "2", "32", "mpipe", "TP8 PP2 DP32, Mpipe", " of 65.79 GB", 1}}) {
    const std::map<std::string, std::string> at = {
        {"/platform", "../../platforms/" + std::string(row.platform)},
        {"/parallel/tensor", row.tensor},
        {"/pipeline/ranks", row.ranks},
        {"/pipeline/replicas", row.replicas}};
    const auto column = [&](const char* name) { return figure(at, row.schedule, name); };
    const std::string step = "| " + std::string(row.layout) + " | " + rounded(column("makespan_s_mean"), 2) +
                             " s | " + rounded(column("peak_memory_bytes_max") / 1e9, row.digits) +
                             row.memory + " | ";
    const bool priced = row.platform != std::string("cloudmatrix384");
    spillway::testing::expect_said(
        "docs/studies.md",
        step + (priced ? to_hundreds(column("usd_per_1e12_useful_tokens_mean")) + " |" : ""));
  }
}

TEST_F(Study, Replicas) {
  run("replicas", {"0/8", "7/8"});
  for (const char* schedule : {"mpipe", "disttrain"}) {
    const double alone = figure({{"/pipeline/replicas", "1"}}, schedule, "makespan_s_mean");
    const double many = figure({{"/pipeline/replicas", "128"}}, schedule, "makespan_s_mean");
    expect_said(rounded(100 * (many / alone - 1), 1) + " % (" + rounded(alone, 2) + " to " +
                rounded(many, 2) + " s)");
  }
}

}  // namespace
