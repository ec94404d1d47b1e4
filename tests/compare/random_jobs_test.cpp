// Random whole experiments (tests/laws): every skeleton, owner map, platform, given durations or
// architectures, images, replicas.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "compare/comparison_print.h"
#include "compare/written_out.h"
#include "evaluate/point.h"
#include "input/experiment/experiment.h"
#include "job.h"
#include "json/document.h"
#include "support/schema_check.h"
#include "written.h"

namespace spillway {
namespace {

constexpr std::uint64_t kJobs = 60;

// Drops the warning about changes to a platform's file: the changed platform itself does not get it.
PointOutcome point_of(const std::string& document) {
  Caches caches;
  PointOutcome outcome = evaluate_point(testing::experiment_of(document), caches);
  std::erase_if(outcome.warnings, [](const Warning& warning) { return warning.code == "measured-instead"; });
  return outcome;
}

TEST(CompareRandomJobs, WrittenOutTheyAreTheSame) {
  for (std::uint64_t number = 0; number < kJobs; ++number) {
    const std::string document = testing::job(number).document;
    Findings none("");
    const Node written = written_out(parse_json(document, none).value(), "job.json");
    EXPECT_EQ(point_of(json_text(written)), point_of(document)) << number;
  }
}

TEST(CompareRandomJobs, WithThemselvesNothingMoves) {
  for (std::uint64_t number = 0; number < kJobs; ++number) {
    const std::string path = written("job.json", testing::job(number).document);
    EXPECT_TRUE(nothing_moved(compare_files(path, path))) << number;
  }
}

void expect_sums(const Comparison& comparison, std::uint64_t number) {
  for (const ScheduleComparison& schedule : comparison.schedules) {
    Seconds causes, changes;
    for (const Cause& cause : schedule.causes) causes += cause.difference;
    for (const ChangeEffect& change : schedule.changes) changes += change.difference;
    const double rounding = 1e-9 * std::max(schedule.makespan.a, schedule.makespan.b);
    EXPECT_NEAR(causes.value(), schedule.makespan.difference(), rounding) << number << schedule.name;
    EXPECT_NEAR(changes.value(), schedule.makespan.difference(), rounding) << number << schedule.name;
  }
}

// Pairs that have no schedule in common are refused.
TEST(CompareRandomJobs, OfAnyTwoThePartsAddUp) {
  const testing::SchemaCheck schema("comparison");
  std::size_t compared = 0;
  for (std::uint64_t number = 0; number + 1 < kJobs; ++number) try {
      const Comparison comparison = compare_files(written("a.json", testing::job(number).document),
                                                  written("b.json", testing::job(number + 1).document));
      expect_sums(comparison, number);
      EXPECT_EQ(schema.complaints(nlohmann::json::parse(comparison_json(comparison, {}))), "") << number;
      ++compared;
    } catch (const InputError& refused) {
      EXPECT_NE(std::string(refused.what()).find("also has: "), std::string::npos) << refused.what();
    }
  EXPECT_GT(compared, kJobs / 4);
}

}  // namespace
}  // namespace spillway
