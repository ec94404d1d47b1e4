// Real reports against the schema that users get, and the types of their figures against the draws.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "evaluate/evaluate.h"
#include "input/experiment/experiment.h"
#include "report/step/json.h"
#include "support/schema_check.h"

namespace spillway::testing {
namespace {

using nlohmann::json;

json report_of(const std::string& name, std::vector<Setting> settings, int draws) {
  settings.push_back({"/draws", std::to_string(draws)});
  const std::string path = std::string(SPILLWAY_SOURCE_DIR) + "/workloads/experiments/" + name;
  return json::parse(report_json(evaluate(read_experiment(path, settings), {.run = {Engine::LongestPath}})));
}

bool is_spread(const json& value) {
  return value.is_object() && value.contains("ci95");
}

bool is_over_all_draws(const std::string& pointer) {
  return pointer == "/draws" || pointer.ends_with("/fits") || pointer.ends_with("/warnings") ||
         pointer.ends_with("/encoder_microbatch_s") ||
         pointer.ends_with("/explanation");  // of the first draw; it says so if there are others
}

// A report of one draw has no spreads. In a report of several, a plain number is the first draw's, or depends
// on no draw.
void expect_types(const json& one, const json& several, const std::string& pointer) {
  EXPECT_FALSE(is_spread(one)) << pointer;
  if (is_spread(several)) {
    EXPECT_TRUE(one.is_number()) << pointer;
    return;
  }
  ASSERT_EQ(one.type(), several.type()) << pointer;
  const bool of_the_host = pointer.ends_with("/simulation");
  if (of_the_host || is_over_all_draws(pointer)) return;
  if (!one.is_structured()) {
    EXPECT_EQ(one, several) << pointer;
    return;
  }
  ASSERT_EQ(one.size(), several.size()) << pointer;
  for (const auto& [key, value] : one.items())
    expect_types(value, one.is_array() ? several[std::stoul(key)] : several[key], pointer + '/' + key);
}

// The first job draws nothing; the second does not know its memory; the third draws images.
class ReportDocument : public ::testing::TestWithParam<const char*> {};

TEST_P(ReportDocument, KeepsToItsSchemaAndItsTypesToTheDraws) {
  std::vector<Setting> unfitted;  // a fit is to the mean over the draws, so it is removed
  if (std::string(GetParam()) == "experiment-b.json") unfitted = {{"/fit", "[]"}};
  const json one = report_of(GetParam(), unfitted, 1), several = report_of(GetParam(), unfitted, 3);
  EXPECT_EQ(SchemaCheck("report").complaints(one), "");
  EXPECT_EQ(SchemaCheck("report").complaints(several), "");
  expect_types(one, several, "");
  EXPECT_TRUE(one["schedules"][0]["makespan_s"].is_number());
  EXPECT_TRUE(is_spread(several["schedules"][0]["makespan_s"]));
  EXPECT_TRUE(is_spread(several["schedules"][0]["ranks"][0]["busy_s"]));
}

INSTANTIATE_TEST_SUITE_P(Shipped, ReportDocument,
                         ::testing::Values("small.json", "owners.json", "experiment-b.json"));

TEST(ReportDocument, SaysWhatItIsOf) {
  const json b = report_of("experiment-b.json", {{"/seed", "7"}, {"/pipeline/replicas", "2"}}, 1);
  EXPECT_EQ(b["schema"], "spillway/report/2");
  EXPECT_EQ(b["seed"], 7);
  EXPECT_EQ(b["draws"], 1);
  EXPECT_EQ(b["platform"], "CloudMatrix384");
  EXPECT_EQ(b["layout"]["ranks"], 8);
  EXPECT_EQ(b["layout"]["replicas"], 2);
  EXPECT_EQ(b["layout"]["microbatches"], 32);
  EXPECT_EQ(b["layout"]["devices"],
            8 * 2 * b["layout"]["tensor"].get<int>() * b["layout"]["context"].get<int>());
  EXPECT_EQ(b["parameters"].size(), 2U);
  const json small = report_of("small.json", {{"/pipeline/replicas", "3"}}, 1);
  EXPECT_TRUE(small["platform"].is_null());
  EXPECT_TRUE(small["parameters"].is_null());
  EXPECT_EQ(small["layout"]["replicas"], 3);
  EXPECT_TRUE(small["layout"]["tensor"].is_null());
}

}  // namespace
}  // namespace spillway::testing
