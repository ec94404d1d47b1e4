// The errors that tell plans apart, against the tables that they come from.
#include "search/known_error.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>

#include "evaluate/layout_groups.h"
#include "small_jobs.h"

namespace spillway {
namespace {

const Engines kPath{.run = {Engine::LongestPath}};

const KnownErrors& shipped_errors() {
  static const KnownErrors errors = shipped_known_errors(Files());
  return errors;
}

std::string table_path(std::string_view table) {
  return shipped("workloads/published/" + std::string(table) + ".json");
}

// Returns the settings of a case that belong to the model and the machine, not to the layout.
std::string model_of(const nlohmann::json& one) {
  std::string model;
  const auto settings = one.value("set", nlohmann::json::object());
  for (const auto& [pointer, value] : settings.items())
    if (pointer.ends_with("/architecture") || pointer.ends_with("/layers") || pointer == "/platform" ||
        pointer.ends_with("/sequence_tokens"))
      model += pointer + '=' + value.dump() + ';';
  return model;
}

struct Row {
  std::string model;
  double error;
};

std::vector<Row> rows_of(std::string_view table) {
  const auto document = nlohmann::json::parse(content_of(table_path(table)));
  const std::vector<CaseResult> cases = run_cases(CaseFile(table_path(table)), kPath);
  std::vector<Row> rows;
  for (std::size_t i = 0; i < cases.size(); ++i)
    if (cases[i].error() && !cases[i].measured.fitted)
      rows.push_back({model_of(document["cases"][i]), *cases[i].error()});
  return rows;
}

TEST(KnownErrors, WhatIsWrongWithTheirFileIsSaid) {
  const std::string row = R"({ "table": "t", "accelerator": "a", "share": 0, "rows": 3, "images": true })";
  const std::string path =
      written("errors.json", R"({ "schema": "spillway/known-errors/1", "between_layouts": [)" + row +
                                 R"(], "between_clusters": [] })");
  EXPECT_EQ(complaints([&] { read_known_errors(path, Files()); }),
            (Lines{"errors.json: /between_layouts/0/images: expected a known key: one of \"table\", "
                   "\"accelerator\", \"share\", \"rows\", found \"images\"",
                   "errors.json: /between_layouts/0/share: expected a number above 0, found 0",
                   "errors.json: /between_clusters: expected at least one value, found an empty list"}));
}

TEST(KnownErrors, BetweenLayoutsAreThoseOfTheTables) {
  for (const KnownError& known : shipped_errors().between_layouts) {
    std::map<std::string, std::vector<double>> by_model;
    for (const Row& row : rows_of(known.table)) by_model[row.model].push_back(row.error);
    double scatter = 0;
    std::size_t rows = 0;
    for (const auto& [model, errors] : by_model) {
      if (errors.size() < 2) continue;
      double mean = 0;
      for (const double error : errors) mean += error / static_cast<double>(errors.size());
      for (const double error : errors) scatter += std::abs(error - mean);
      rows += errors.size();
    }
    EXPECT_NEAR(known.share, scatter / static_cast<double>(rows), 0.0005) << known.table;
    EXPECT_EQ(known.rows, rows) << known.table;
  }
}

TEST(KnownErrors, BetweenMachinesAreThoseOfTheTables) {
  for (const KnownError& known : shipped_errors().between_clusters) {
    const std::vector<Row> rows = rows_of(known.table);
    double sum = 0;
    for (const Row& row : rows) sum += std::abs(row.error);
    EXPECT_NEAR(known.share, sum / static_cast<double>(rows.size()), 0.0005) << known.table;
    EXPECT_EQ(known.rows, rows.size()) << known.table;
  }
}

// Returns for each group of layouts of a table how much longer the layout predicted to be best takes than the
// layout measured to be best.
std::vector<double> regrets(std::string_view table) {
  std::vector<double> all;
  for (const LayoutGroup& group : layout_groups(run_cases(CaseFile(table_path(table)), kPath))) {
    all.push_back(group.regret);
    if (group.regret > 0.03)
      std::cout << table << ": " << group.chosen << " takes " << 100 * group.regret << " % longer than "
                << group.best << '\n';
  }
  return all;
}

// docs/plan.md states these figures, and the README those of layouts: the groups, and the groups whose choice
// is within 3 % of the best.
TEST(PublishedLayouts, TheBestPredictedIsOftenTheBestMeasured) {
  struct Held {
    const char* table;
    std::size_t groups, within;
    double worst;
  };
  for (const auto& [table, groups, within, worst] :
       {Held{"vtrain-a100", 4, 3, 0.045}, Held{"vtrain-a100-others", 4, 2, 0.507},
        Held{"simumax-b200", 4, 4, 0}, Held{"torchtitan", 4, 4, 0}, Held{"zero-bubble-a100", 4, 3, 0.048},
        Held{"zero-bubble-v-a100", 3, 3, 0}}) {
    const std::vector<double> all = regrets(table);
    EXPECT_EQ(all.size(), groups) << table;
    EXPECT_EQ(std::ranges::count_if(all, [](double regret) { return regret <= 0.03; }), within) << table;
    EXPECT_NEAR(*std::ranges::max_element(all), worst, 0.0005) << table;
  }
}

// The margin between two clusters is at least the model's error on either, whichever is named first.
TEST(KnownErrors, OfTwoClustersTheLargerTellsApart) {
  JobJson document = text_job();
  for (const char* platform : {"atlas-800-a2", "b200", "hgx-a100"})
    document["clusters"].push_back({{"platform", shipped("platforms/" + std::string(platform) + ".json")},
                                    {"devices", {8}},
                                    {"frameworks", "none"}});
  const PlanJob job = job_from(document);
  bool differ = false;
  for (const JobCluster& one : job.clusters)
    for (const JobCluster& other : job.clusters) {
      if (&one == &other) continue;
      const double own = cluster_error(job, one).share, others = cluster_error(job, other).share;
      differ = differ || own != others;
      EXPECT_EQ(margin(job, one, other), std::max(own, others));
    }
  EXPECT_TRUE(differ);
}

TEST(KnownErrors, AreOfTheTableNearestInKind) {
  const PlanJob text = job_from(text_job());
  EXPECT_EQ(layout_error(text, text.clusters[0]).table, "torchtitan");
  EXPECT_EQ(cluster_error(text, text.clusters[0]).table, "mpt-h100");
  JobJson document = image_job();
  document["clusters"][0]["platform"] = shipped("platforms/atlas-800-a2.json");
  const PlanJob images = job_from(document);
  EXPECT_EQ(layout_error(images, images.clusters[0]).table, "vtrain-a100");
  EXPECT_EQ(cluster_error(images, images.clusters[0]).table, "mindspeed-mm-vl");
  EXPECT_EQ(margin(images, images.clusters[0], images.clusters[0]),
            layout_error(images, images.clusters[0]).share);
}

// docs/plan.md must state the program's own figures.
TEST(KnownErrors, OfThePageAreTheProgramsOwn) {
  std::string page = content_of(shipped("docs/plan.md"));
  std::ranges::replace(page, '\n', ' ');
  const std::map<std::string, std::string> words = {{"torchtitan", "torchtitan on H100"},
                                                    {"vtrain-a100", "vTrain on A100"},
                                                    {"simumax-b200", "SimuMax on B200"}};
  for (const KnownError& known : shipped_errors().between_layouts)
    EXPECT_NE(page.find(fmt::format("{} {:.1f} %", words.at(known.table), 100 * known.share)),
              std::string::npos)
        << known.table;
}

}  // namespace
}  // namespace spillway
