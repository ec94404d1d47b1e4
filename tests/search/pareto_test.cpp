// The picture of time against cost, as given to gnuplot.
#include "search/answer/pareto.h"

#include <gtest/gtest.h>

#include "small_jobs.h"

namespace spillway {
namespace {

std::string script_of(const JobJson& document) {
  const PlanJob job = job_from(document);
  return scatter_script(pareto_picture(job, searched(job, legal_layouts(job), 4)), PictureFormat::Svg, {});
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Undominated, AreThoseThatNoOtherIsBetterThan) {
  EXPECT_EQ(undominated({{3, 1}, {1, 3}, {2, 2}, {2, 4}, {3, 2}, {1, 3}}),
            (std::vector<std::size_t>{1, 2, 0}));
  EXPECT_EQ(undominated({{1, 1}, {1, 0}, {0, 1}}), (std::vector<std::size_t>{2, 1}));
  EXPECT_EQ(undominated({}), std::vector<std::size_t>{});
}

TEST(ParetoPicture, HasAColourForEachClusterAndEveryLayoutThatFits) {
  JobJson job = text_job();
  job["clusters"].push_back(
      {{"platform", shipped("platforms/hgx-a100.json")}, {"devices", {8}}, {"frameworks", "none"}});
  const PlanJob read = job_from(job);
  const SearchResult result = searched(read, legal_layouts(read), 1000);
  const Scatter picture = pareto_picture(read, result);
  ASSERT_EQ(picture.groups.size(), 2u);
  EXPECT_EQ(picture.groups[0].name, "HGX H100");
  EXPECT_EQ(picture.groups[0].points.size() + picture.groups[1].points.size(), result.plans.size());
  EXPECT_EQ(picture.best.back().at.y, price_of(read, result.plans.front())->value());
  for (std::size_t i = 1; i < picture.best.size(); ++i) {
    EXPECT_GT(picture.best[i].at.x, picture.best[i - 1].at.x);
    EXPECT_LT(picture.best[i].at.y, picture.best[i - 1].at.y);
  }
}

// Whichever cluster is best, each is drawn with its own best layout; the line joins such layouts alone.
TEST(ParetoPicture, HasTheBestOfEachClusterAndNumberOfDevices) {
  JobJson document = text_job();
  JobJson dear = document["clusters"][0];
  dear["platform"] = shipped("platforms/hgx-h200.json");
  dear["price_per_device_hour_usd"] = 50;
  document["clusters"].push_back(dear);
  const PlanJob job = job_from(document);
  const SearchResult few = searched(job, legal_layouts(job), 1),
                     all = searched(job, legal_layouts(job), 1000);
  const Scatter picture = pareto_picture(job, few), whole = pareto_picture(job, all);
  for (std::size_t group = 0; group < 2; ++group) {
    const auto cheapest = [&](const Scatter& one) {
      return std::ranges::min(one.groups[group].points, {}, &ScatterPoint::y).y;
    };
    EXPECT_EQ(cheapest(picture), cheapest(whole));
  }
  ASSERT_EQ(picture.best.size(), whole.best.size());
  for (std::size_t i = 0; i < picture.best.size(); ++i) EXPECT_EQ(picture.best[i].text, whole.best[i].text);
}

TEST(ParetoPicture, SaysWhatItsAxesAre) {
  const std::string priced = script_of(text_job());
  EXPECT_TRUE(has(priced, "'days of the training'")) << priced;
  EXPECT_TRUE(has(priced, "'USD of the training'"));
  EXPECT_FALSE(has(priced, "device-hours"));
  JobJson job = text_job();
  job.erase("tokens");
  job["clusters"].push_back(
      {{"platform", shipped("platforms/cloudmatrix384.json")}, {"devices", {8}}, {"frameworks", "none"}});
  const std::string unpriced = script_of(job);
  EXPECT_TRUE(has(unpriced, "'seconds of a step'")) << unpriced;
  EXPECT_TRUE(has(unpriced, "'device-hours of a step (no price is given)'"));
  EXPECT_TRUE(has(unpriced, "A cluster has no price"));
  EXPECT_FALSE(has(priced, "No layout of"));
  job = text_job();
  job["clusters"].push_back({{"platform", shipped("platforms/hgx-a100.json")},
                             {"devices", {8}},
                             {"frameworks", "none"},
                             {"memory_limit_gb", 0.1}});
  EXPECT_TRUE(has(script_of(job), "No layout of HGX A100 fits."));
}

// Every device of a layout costs its hours: at the same time, more devices cost more.
TEST(ParetoPicture, DeviceHoursAreOfEveryDevice) {
  JobJson document = text_job();
  document.erase("tokens");
  document["clusters"].push_back(
      {{"platform", shipped("platforms/cloudmatrix384.json")}, {"devices", {8, 16}}, {"frameworks", "none"}});
  for (const bool of_training : {false, true}) {
    if (of_training) document["tokens"] = 1e9;
    const PlanJob job = job_from(document);
    const SearchResult result = searched(job, legal_layouts(job), 1000);
    const Scatter picture = pareto_picture(job, result);
    std::vector<std::size_t> next(job.clusters.size());
    for (const EvaluatedPlan& plan : result.plans) {
      const ScatterPoint& at = picture.groups[plan.layout.cluster].points[next[plan.layout.cluster]++];
      const double hours = of_training ? at.x * 24 : at.x / 3600;
      EXPECT_NEAR(at.y, plan.layout.devices * hours, 1e-9 * at.y);
    }
  }
}

}  // namespace
}  // namespace spillway
