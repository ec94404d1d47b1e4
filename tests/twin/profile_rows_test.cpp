// Profiles without annotations as measured passes.
#include "twin/profile_rows.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "input/experiment/experiment.h"
#include "row_texts.h"
#include "support/shipped.h"

namespace spillway::testing {
namespace {

Experiment on_pipeline(std::uint32_t ranks) {
  return read_experiment(Source(kExperiments + "ascend-910b-pp2.json"),
                         {{"/pipeline/ranks", std::to_string(ranks)}});
}

ProfiledPass pass_of(PassPhase direction, double ms) {
  return {0, direction, Seconds(), milliseconds(ms), milliseconds(ms), 9};
}

// A step of two microbatches, which takes `slow` times as long as the others.
ProfiledStep profiled_step(double slow, bool whole = true) {
  return {"step",
          milliseconds(100 * slow),
          whole,
          {},
          {pass_of(PassPhase::Forward, 10 * slow), pass_of(PassPhase::Backward, 20 * slow),
           pass_of(PassPhase::Forward, 11 * slow), pass_of(PassPhase::Backward, 22 * slow),
           pass_of(PassPhase::Optimizer, 3 * slow)}};
}

// A first step that warms up, a whole one, and one that the file ends in.
JobProfile one_process() {
  JobProfile job;
  job.files = {"profile.json"};
  job.processes = 1;
  ProfiledRank rank{};
  rank.file = "profile.json";
  rank.steps = {profiled_step(5), profiled_step(1), profiled_step(1, false)};
  rank.inferences = {{"steps", "3", "ranges ProfilerStep", Confidence::Stated},
                     {"backward", "9 kernels", "launched by autograd", Confidence::Likely},
                     {"layers", "3", "repeat", Confidence::Likely}};
  job.ranks = {rank};
  job.steps =
      SteadySteps{.warm_up = 1, .steps = 1, .mean = {}, .median = {}, .least = {}, .most = {}, .cv = 0};
  return job;
}

std::string refused_profile(const JobProfile& job, const Experiment& experiment,
                            const TraceChoice& choice = {}) {
  return first_refusal([&] { profile_rows(job, experiment, choice); });
}

TEST(ProfileRows, AreThePassesOfWholeSteadySteps) {
  const TraceRows read = profile_rows(one_process(), on_pipeline(1), {});
  EXPECT_EQ(texts_of(read), (std::vector<std::string>{"llm backward 4096 20 22", "llm forward 4096 10 11",
                                                      "llm optimizer  3"}));
  EXPECT_EQ(read.notes, (std::vector<std::string>{"steps: 3 (stated: ranges ProfilerStep)",
                                                  "backward: 9 kernels (likely: launched by autograd)"}));
}

TEST(ProfileRows, OfAPipelineAreTheChosenRanks) {
  EXPECT_EQ(texts_of(profile_rows(one_process(), on_pipeline(2), {.steps = {}, .ranks = {1}, .schedule = {}}))
                .front(),
            "llm:14-28 backward 4096 20 22");
  EXPECT_EQ(refused_profile(one_process(), on_pipeline(2)),
            "--rank with the pipeline rank that was measured, of 2 ranks | none");
  EXPECT_EQ(refused_profile(one_process(), on_pipeline(1), {.steps = {"2"}, .ranks = {}, .schedule = {}}),
            "no --step, which chooses steps of traces: here all steady steps count | 2");
}

TEST(ProfileRows, OfReplicasAreRepeats) {
  JobProfile job = one_process();
  job.ranks.push_back(job.ranks.front());
  EXPECT_EQ(texts_of(profile_rows(job, on_pipeline(1), {})).front(), "llm backward 4096 20 22 20 22");
  EXPECT_EQ(refused_profile(job, on_pipeline(2), {.steps = {}, .ranks = {0}, .schedule = {}}),
            "the profile of one process, and its pipeline rank by --rank | 2 processes");
}

TEST(ProfileRows, OfAnotherModelOrWithoutPassesAreRefused) {
  JobProfile other = one_process();
  other.ranks.front().layers = {{PassPhase::Forward, 36, 12, milliseconds(1), 0.9}};
  EXPECT_EQ(refused_profile(other, on_pipeline(1)), "at most 28 equal layers, as llm has | 36");
  JobProfile cut = one_process();
  for (ProfiledStep& step : cut.ranks.front().steps) step.whole = false;
  EXPECT_EQ(refused_profile(cut, on_pipeline(1)),
            "forward and backward passes in a whole step | no whole step with passes");
}

}  // namespace
}  // namespace spillway::testing
