// The errors that plans are told apart by, against the tables that they are of.
#include "plan/known_error.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "evaluate/run_cases.h"
#include "small_jobs.h"

namespace spillway {
namespace {

const Engines kPath{.run = {Engine::LongestPath}};

std::string table_path(std::string_view table) {
  return shipped("workloads/published/" + std::string(table) + ".json");
}

// What of a case is of the model and the machine, not of the layout.
std::string model_of(const nlohmann::json& one) {
  std::string model;
  const auto settings = one.value("set", nlohmann::json::object());
  for (const auto& [pointer, value] : settings.items())
    for (const char* key : {"architecture", "/layers", "/platform", "sequence_tokens"})
      if (pointer.find(key) != std::string::npos) model += pointer + '=' + value.dump() + ';';
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

TEST(KnownErrors, BetweenLayoutsAreThoseOfTheTables) {
  for (const LayoutError& known : layout_errors()) {
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
    EXPECT_NEAR(known.scatter, scatter / static_cast<double>(rows), 0.0005) << known.table;
    EXPECT_EQ(known.rows, rows) << known.table;
  }
}

TEST(KnownErrors, BetweenMachinesAreThoseOfTheTables) {
  for (const ModelError& known : model_errors()) {
    const std::vector<Row> rows = rows_of(known.table);
    double sum = 0;
    for (const Row& row : rows) sum += std::abs(row.error);
    EXPECT_NEAR(known.error, sum / static_cast<double>(rows.size()), 0.0005) << known.table;
    EXPECT_EQ(known.rows, rows.size()) << known.table;
  }
}

TEST(KnownErrors, AreOfTheTableNearestInKind) {
  const PlanJob text = job_from(text_job());
  EXPECT_EQ(layout_error(text.clusters[0]).table, "torchtitan");
  EXPECT_EQ(model_error(text.clusters[0]).table, "mpt-h100");
  JobJson document = image_job();
  document["clusters"][0]["platform"] = shipped("platforms/atlas-800-a2.json");
  const PlanJob images = job_from(document);
  EXPECT_EQ(layout_error(images.clusters[0]).table, "vtrain-a100");
  EXPECT_EQ(model_error(images.clusters[0]).table, "mindspeed-mm-vl");
  EXPECT_EQ(margin(images.clusters[0], images.clusters[0]), layout_error(images.clusters[0]).scatter);
}

}  // namespace
}  // namespace spillway
