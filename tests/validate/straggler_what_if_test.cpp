#include "straggler_what_if.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "traces/formats/read_trace.h"

namespace spillway {
namespace {

class JobTrace {
 public:
  void add(std::uint16_t replica, TraceKind kind, const std::string& name, double start, double duration,
           std::uint16_t stage = 0) {
    const auto known = std::find(trace_.names.begin(), trace_.names.end(), name);
    const auto number = static_cast<std::uint32_t>(known - trace_.names.begin());
    if (known == trace_.names.end()) trace_.names.push_back(name);
    trace_.events.push_back(
        {Seconds(start), Seconds(duration), 0, 0, number, replica, stage, stage, 0, kind});
  }

  Trace trace() {
    trace_.steps = {"7"};
    normalise(trace_);
    return trace_;
  }

 private:
  Trace trace_;
};

// One rank runs one microbatch. Its replica begins to gather parameters `late` seconds after the start; the
// gathering ends at 1.4 s, a second after the last replica has come.
void add_replica(JobTrace& job, std::uint16_t replica, double late, double forward) {
  job.add(replica, TraceKind::Collective, "params-all-gather", late, 1.4 - late);
  job.add(replica, TraceKind::Forward, "forward-compute", 1.5, forward);
  job.add(replica, TraceKind::Backward, "backward-compute", 4, 3);
  job.add(replica, TraceKind::Host, "gc", 7.1, 0);
  job.add(replica, TraceKind::Collective, "grads-reduce-scatter", 7.5, 0.2);
  job.add(replica, TraceKind::Host, "optimizer", 8, 1);
}

TEST(StragglerWhatIf, OneRankByHand) {
  JobTrace job;
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

// Two stages, what they run in which order, and what each takes. Measured far apart, so that nothing but
// order and durations is to be read from the starts.
struct TwoStages {
  std::array<std::string, 2> order;  // "FFBB"
  std::array<double, 2> forward;
  std::array<double, 2> backward;
  double activations = 0.5;
  double gradients = 0.5;

  Trace trace() const {
    JobTrace job;
    for (std::uint16_t stage = 0; stage < 2; ++stage) {
      job.add(0, TraceKind::Collective, "params-all-gather", 0, 1, stage);
      for (std::size_t i = 0; i < order[stage].size(); ++i) {
        const bool is_forward = order[stage][i] == 'F';
        const double start = 100 * static_cast<double>(i + 1);
        if (is_forward)
          job.add(0, TraceKind::Forward, "forward-compute", start, forward[stage], stage);
        else
          job.add(0, TraceKind::Backward, "backward-compute", start, backward[stage], stage);
      }
      for (std::size_t m = 0; m < order[stage].size() / 2; ++m) {
        const double start = 1000 + 100 * static_cast<double>(m);
        job.add(0, stage == 0 ? TraceKind::SendForward : TraceKind::ReceiveForward, "activations", start,
                activations, stage);
        job.add(0, stage == 0 ? TraceKind::ReceiveBackward : TraceKind::SendBackward, "gradients",
                start + 1000, gradients, stage);
      }
      job.add(0, TraceKind::Collective, "grads-reduce-scatter", 3000, 0.25, stage);
      job.add(0, TraceKind::Collective, "optimizer-clip-main-grad", 3100, 0.125, stage);
      job.add(0, TraceKind::Host, "optimizer", 3200, 1 + 2 * stage, stage);
    }
    return job.trace();
  }

  double without_delays() const {
    const auto what_if = straggler_what_if(trace());
    return what_if ? what_if->steps.at(0).without_delays.value() : -1;
  }
};

// Stage 0: F 1 to 3, 3 to 5. Activations 3 to 3.5, 5 to 5.5. Stage 1: F 3.5 to 4.5, B to 8.5, F to 9.5, B to
// 13.5. Gradients 8.5 to 9, 13.5 to 14. Stage 0: B 9 to 12, 14 to 17, reduced at 17.25. Stage 1 is reduced at
// 13.75 and waits for stage 0 to clip, until 17.375. Its optimizer ends last.
TEST(StragglerWhatIf, TwoStagesByHand) {
  EXPECT_DOUBLE_EQ((TwoStages{{"FFBB", "FBFB"}, {2, 1}, {3, 4}}.without_delays()), 17 + 0.375 + 3);
}

// Stage 1 ends its first forward at 6.5 and only then receives the second activation, sent at 5, until 7. It
// runs F to 10 and B to 10.25. Gradients arrive at 10.75, and stage 0 runs B to 11.
TEST(StragglerWhatIf, AReceiveIsPostedWhenThePassBeforeItsOwnHasEnded) {
  EXPECT_DOUBLE_EQ((TwoStages{{"FFBB", "FBFB"}, {2, 3}, {0.25, 0.25}}.without_delays()), 11 + 0.375 + 3);
}

// Stage 0 runs all forwards first, from 1 to 5, 9 and 13. The first gradient is ready at 6.5 + 0.25 but is
// exchanged only after the last but one forward, from 9 to 14. Then stage 0 runs B.
TEST(StragglerWhatIf, GradientsAreNotExchangedBeforeTheLastForwardsButOne) {
  TwoStages stages{{"FFFBBB", "FBFBFB"}, {4, 1}, {1, 0.25}};
  stages.gradients = 5;
  EXPECT_DOUBLE_EQ(stages.without_delays(), 14 + 1 + 2 * (5 + 1) + 0.375 + 3);
}

// Every forward takes (2 + 1) / 2, every backward (3 + 4) / 2, a transfer its median, 0.5, and the optimizer
// (1 + 3) / 2. Stage 1: F 3 to 4.5, B to 8, F to 9.5, B to 13. Gradients arrive at 13.5; stage 0: B to 17.
TEST(StragglerWhatIf, WithoutVariationStagesAreAlike) {
  const auto what_if = straggler_what_if(TwoStages{{"FFBB", "FBFB"}, {2, 1}, {3, 4}}.trace());
  ASSERT_TRUE(what_if);
  EXPECT_DOUBLE_EQ(what_if->without_variation.value(), 17 + 0.375 + 2);
}

TEST(StragglerWhatIf, WorkOfAnotherKindIsNotGuessed) {
  JobTrace job;
  add_replica(job, 0, 0, 2);
  job.add(0, TraceKind::Kernel, "gemm", 2, 0.1);
  EXPECT_FALSE(straggler_what_if(job.trace()));
}

TEST(StragglerWhatIf, AStepWithoutOptimizerIsNotWhole) {
  JobTrace job;
  job.add(0, TraceKind::Forward, "forward-compute", 0, 1);
  job.add(0, TraceKind::Backward, "backward-compute", 1, 1);
  EXPECT_FALSE(straggler_what_if(job.trace()));
}

TEST(StragglerWhatIf, AReplicaThatLacksAnOperationIsNotCompared) {
  JobTrace job;
  add_replica(job, 0, 0, 2);
  add_replica(job, 1, 0.4, 1);
  job.add(1, TraceKind::Forward, "forward-compute", 20, 1);
  EXPECT_FALSE(straggler_what_if(job.trace()));
}

TEST(StragglerWhatIf, AnEmptyTraceSaysNothing) {
  EXPECT_FALSE(straggler_what_if({}));
}

// Compares with the authors' own results, which they publish with their traces.
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

// The authors' program keeps times in single precision.
constexpr double kSinglePrecision = 1e-6;

TEST_P(StragglerStudy, MeasuredStepsAndStepsWithoutDelaysAreTheirs) {
  for (const StepWhatIf& step : what_if_.steps) {
    const double measured = theirs_["step_t_base"][step.step].get<double>();
    const double without_delays = theirs_["step_t_nodelay"][step.step].get<double>();
    EXPECT_NEAR(step.measured.value() / measured, 1, kSinglePrecision) << step.step;
    EXPECT_NEAR(step.without_delays.value() / without_delays, 1, kSinglePrecision) << step.step;
  }
}

// For AR only a third of the steps is available, so its means differ from the authors'.
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
