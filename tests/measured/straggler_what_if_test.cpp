#include "measured/straggler_what_if.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "measured/read_trace.h"

namespace spillway {
namespace {

// Events of one pipeline rank.
class Job {
 public:
  void add(std::uint16_t replica, TraceKind kind, const std::string& name, double start, double duration) {
    const auto known = std::find(trace_.names.begin(), trace_.names.end(), name);
    const auto number = static_cast<std::uint32_t>(known - trace_.names.begin());
    if (known == trace_.names.end()) trace_.names.push_back(name);
    trace_.events.push_back({Seconds(start), Seconds(duration), 0, 0, number, replica, 0, 0, 0, kind});
  }

  Trace trace() {
    trace_.steps = {"7"};
    normalise(trace_);
    return trace_;
  }

 private:
  Trace trace_;
};

// One microbatch on one rank; `late` seconds after the start its parameters are gathered, for a second after
// the last replica has come.
void add_replica(Job& job, std::uint16_t replica, double late, double forward) {
  job.add(replica, TraceKind::Collective, "params-all-gather", late, 1.4 - late);
  job.add(replica, TraceKind::Forward, "forward-compute", 1.5, forward);
  job.add(replica, TraceKind::Backward, "backward-compute", 4, 3);
  job.add(replica, TraceKind::Host, "gc", 7.1, 0);
  job.add(replica, TraceKind::Collective, "grads-reduce-scatter", 7.5, 0.2);
  job.add(replica, TraceKind::Host, "optimizer", 8, 1);
}

TEST(StragglerWhatIf, OneRankByHand) {
  Job job;
  add_replica(job, 0, 0, 2);
  add_replica(job, 1, 0.4, 1);
  const auto what_if = straggler_what_if(job.trace());
  ASSERT_TRUE(what_if);
  ASSERT_EQ(what_if->steps.size(), 1u);
  EXPECT_EQ(what_if->steps[0].step, "7");
  EXPECT_NEAR(what_if->steps[0].measured.value(), 9, 1e-12);
  // Gathering starts at 0 and takes a second; the replica with the longer forward is the last.
  EXPECT_NEAR(what_if->steps[0].without_delays.value(), 1 + 2 + 3 + 0.2 + 1, 1e-12);
  EXPECT_NEAR(what_if->without_variation.value(), 1 + 1.5 + 3 + 0.2 + 1, 1e-12);
  EXPECT_NEAR(what_if->slowdown(), 7.2 / 6.7, 1e-12);
}

TEST(StragglerWhatIf, WorkOfAnotherKindIsNotGuessed) {
  Job job;
  add_replica(job, 0, 0, 2);
  job.add(0, TraceKind::Kernel, "gemm", 2, 0.1);
  EXPECT_FALSE(straggler_what_if(job.trace()));
}

TEST(StragglerWhatIf, AStepWithoutOptimizerIsNotWhole) {
  Job job;
  job.add(0, TraceKind::Forward, "forward-compute", 0, 1);
  job.add(0, TraceKind::Backward, "backward-compute", 1, 1);
  EXPECT_FALSE(straggler_what_if(job.trace()));
}

TEST(StragglerWhatIf, AReplicaThatLacksAnOperationIsNotCompared) {
  Job job;
  add_replica(job, 0, 0, 2);
  add_replica(job, 1, 0.4, 1);
  job.add(1, TraceKind::Forward, "forward-compute", 20, 1);
  EXPECT_FALSE(straggler_what_if(job.trace()));
}

TEST(StragglerWhatIf, AnEmptyTraceSaysNothing) {
  EXPECT_FALSE(straggler_what_if({}));
}

// The authors' own results, beside their traces.
class StragglerStudy : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    const char* data = std::getenv("SPILLWAY_MEASURED_DATA");
    if (data == nullptr) GTEST_SKIP() << "SPILLWAY_MEASURED_DATA is not set";
    const std::string folder = std::string(data) + "/pipeline_traces/straggler_analysis/";
    const auto what_if = straggler_what_if(read_trace(folder + "trace-" + GetParam() + ".csv"));
    ASSERT_TRUE(what_if);
    what_if_ = *what_if;
    std::ifstream(folder + "result-" + GetParam() + ".json") >> theirs_;
  }

  StragglerWhatIf what_if_;
  nlohmann::json theirs_;
};

// Theirs are kept in single precision on the way.
constexpr double kSinglePrecision = 1e-6;

TEST_P(StragglerStudy, MeasuredStepsAndStepsWithoutDelaysAreTheirs) {
  for (const StepWhatIf& step : what_if_.steps) {
    const double measured = theirs_["step_t_base"][step.step].get<double>();
    const double without_delays = theirs_["step_t_nodelay"][step.step].get<double>();
    EXPECT_NEAR(step.measured.value() / measured, 1, kSinglePrecision) << step.step;
    EXPECT_NEAR(step.without_delays.value() / without_delays, 1, kSinglePrecision) << step.step;
  }
}

// Of AR a third of the steps is at hand, so its means are not theirs.
TEST_P(StragglerStudy, TheStepWithoutVariationIsTheirs) {
  const double theirs = theirs_["step_t_noblk"].front().get<double>();
  const bool all_steps = theirs_["step_t_base"].size() == what_if_.steps.size();
  EXPECT_EQ(all_steps, GetParam() == "ST");
  EXPECT_NEAR(what_if_.without_variation.value() / theirs, 1, all_steps ? kSinglePrecision : 2e-3);
  EXPECT_NEAR(what_if_.slowdown() / theirs_["blocking_slowdown"].get<double>(), 1,
              all_steps ? kSinglePrecision : 6e-3);
}

INSTANTIATE_TEST_SUITE_P(ByteDance, StragglerStudy, ::testing::Values("ST", "AR"),
                         [](const auto& job) { return job.param; });

}  // namespace
}  // namespace spillway
