// An evaluation warns if the pipeline would do a transposed last region's work faster.
#include <gtest/gtest.h>

#include <string>

#include "evaluate/evaluate.h"
#include "evaluate/steps.h"
#include "input/experiment/experiment.h"
#include "warn/warnings.h"

namespace spillway {
namespace {

// A backbone and a generator whose layers all take the same time.
Experiment job(int backbone, int generator, const std::string& schedule, const std::string& more = "") {
  const auto block = [](const char* name, int layers) {
    return std::string(R"({"name": ")") + name + R"(", "layers": )" + std::to_string(layers) +
           R"(, "profile": {"forward_ms": 1, "input_gradient_ms": 1, "weight_gradient_ms": 1}})";
  };
  return parse_experiment(R"({"schema": "spillway/experiment/1", "name": "x",
      "pipeline": {"ranks": 4, "microbatches": 8}, "model": {"blocks": [)" +
                              block("llm", backbone) + ", " + block("gen", generator) +
                              R"(]}, "schedules": [{"name": "a", )" + schedule + "}]" + more + "}",
                          "x.json", {});
}

std::string transposed_text(const std::string& skeleton, int backbone) {
  return R"("schedule": ")" + skeleton + R"(,transpose", "cut": [)" + std::to_string(backbone) + "]";
}

const Engines kRun{.run = {Engine::LongestPath}, .references = true};

std::vector<Warning> said(const Experiment& experiment) {
  std::vector<Warning> sinks;
  const Evaluation evaluation = warned(evaluate(experiment, kRun), experiment, kRun);
  for (const Warning& warning : evaluation.schedules.front().warnings)
    if (warning.code == "transposed-sink") sinks.push_back(warning);
  return sinks;
}

Seconds step(const Experiment& experiment) {
  return mean_makespan(evaluate(experiment, kRun).schedules.front());
}

// Five layers on four stages leave two to one of them, and so do seven layers.
TEST(SinkInPipeline, IsSaidWithWhatItWouldTake) {
  const Experiment sink = job(5, 2, transposed_text("1f1b", 5));
  const Seconds even = step(job(5, 2, R"("schedule": "1f1b", "split": "balanced")"));
  ASSERT_GT(step(sink), even * 1.01);
  const auto warnings = said(sink);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].text.find(seconds_text(even) + " instead of " + seconds_text(step(sink))),
            std::string::npos)
      << warnings[0].text;
}

TEST(SinkInPipeline, IsNotSaidWhereTheTransposeGains) {
  const Experiment sink = job(8, 1, transposed_text("1f1b", 8));
  EXPECT_LT(step(sink), step(job(8, 1, R"("schedule": "1f1b", "split": "balanced")")));
  EXPECT_TRUE(said(sink).empty());
}

// The input region stays as it is; the region behind the backbone joins the backbone's.
TEST(SinkInPipeline, KeepsWhatIsBeforeTheBackbone) {
  const Experiment both =
      job(9, 3, R"("schedule": "transpose,1f1b,transpose", "cut": [1, 9], "owner": "blocked")");
  const auto kept = with_sink_in_pipeline(both, both.schedules.front());
  ASSERT_TRUE(kept);
  EXPECT_EQ(to_string(kept->schedule), "transpose,1f1b");
  EXPECT_EQ(kept->cut.boundaries, std::vector<std::uint32_t>{1});
  EXPECT_EQ(kept->owner, OwnerPolicy::Blocked);
}

TEST(SinkInPipeline, IsNothingWithoutATransposedLastRegion) {
  for (const char* schedule : {R"("schedule": "1f1b")", R"("schedule": "transpose,1f1b", "cut": [1])",
                               R"("schedule": "transpose")"}) {
    const Experiment experiment = job(9, 3, schedule);
    EXPECT_FALSE(with_sink_in_pipeline(experiment, experiment.schedules.front())) << schedule;
  }
}

}  // namespace
}  // namespace spillway
