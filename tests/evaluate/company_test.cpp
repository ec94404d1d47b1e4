// Checks schedules that differ only in their modules, in one experiment and one after the other. The laws
// "company", "point-alone" and "second-run" (tests/laws) check the same for every key.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "evaluate/point.h"
#include "input/experiment/experiment.h"

namespace spillway {
namespace {

std::string entry(const std::string& name, const std::string& encoder) {
  return R"({ "name": ")" + name + R"(", "schedule": "1f1b,1f1b",
    "modules": [ { "blocks": ["encoder"], )" +
         encoder + R"( }, { "blocks": ["llm"], "ranks": 3 } ] })";
}

const std::string kA = entry("A", R"("ranks": 1, "replicas": 4)"),
                  kB = entry("B", R"("ranks": 2, "replicas": 2)"),
                  kPlain = R"({ "name": "plain", "schedule": "1f1b,1f1b", "microbatch_group": 8 })";

// Each pass of a layer takes `ms`.
std::string layer_profile(const std::string& ms) {
  return R"("profile": { "forward_ms": )" + ms + R"(, "input_gradient_ms": )" + ms +
         R"(, "weight_gradient_ms": )" + ms + " } }";
}

Experiment with(const std::string& schedules) {
  return parse_experiment(R"({ "schema": "spillway/experiment/1", "name": "x",
    "pipeline": { "ranks": 5, "microbatches": 16, "replicas": 2 }, "model": { "blocks": [
      { "name": "encoder", "layers": 7, )" +
                              layer_profile("2") + R"(, { "name": "llm", "layers": 12, )" +
                              layer_profile("1") + R"( ] }, "schedules": [ )" + schedules + " ] }",
                          "/x.json", {});
}

std::vector<double> milliseconds(const Experiment& experiment, Caches& caches) {
  std::vector<double> all;
  for (const ScheduleOutcome& schedule : evaluate_point(experiment, caches).schedules)
    all.push_back(schedule.makespans.front().value() * 1e3);
  return all;
}

void expect_makespans(const std::string& schedules, const std::vector<double>& due, Caches& caches) {
  const std::vector<double> found = milliseconds(with(schedules), caches);
  ASSERT_EQ(found.size(), due.size());
  for (std::size_t i = 0; i < due.size(); ++i) EXPECT_NEAR(found[i], due[i], 1e-9) << schedules;
}

TEST(Company, ASchedulesModulesAreItsOwn) {
  for (const auto& [schedules, due] : std::vector<std::pair<std::string, std::vector<double>>>{
           {kA, {356}}, {kB, {408}}, {kA + "," + kB, {356, 408}}, {kB + "," + kA, {408, 356}}}) {
    Caches caches;
    expect_makespans(schedules, due, caches);
  }
}

TEST(Company, OrdersOfPointsBeforeAreNotTheirs) {
  Caches caches;
  Caches of_plain;
  const double plain = milliseconds(with(kPlain), of_plain).front();
  for (const std::string& again : {kA, kB, kPlain, kB, kA})
    expect_makespans(again, {again == kA ? 356 : again == kB ? 408 : plain}, caches);
}

}  // namespace
}  // namespace spillway
