// Megatron's timers as measured passes.
#include "twin/log_rows.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "input/experiment/experiment.h"
#include "row_texts.h"
#include "support/shipped.h"
#include "support/temporary_folder.h"
#include "twin_of_roofline.h"

namespace spillway::testing {
namespace {

// Two pipeline ranks, two microbatches of one sequence, two replicas.
Experiment read_ascend(const std::vector<Setting>& settings = {}) {
  return read_experiment(Source(kExperiments + "ascend-910b-pp2.json"), settings);
}

const std::string kOfRanks = "times across ranks (ms):\n", kOfEnds = "(min, max) time across ranks (ms):\n",
                  kOfSlowest = "max time across ranks (ms):\n";

// Steps with the same timers.
StepLog log_with(const std::string& timers, int batch = 4) {
  std::string text;
  for (int step = 1; step < 6; ++step)
    text += " iteration " + std::to_string(step) +
            "/ 100 | consumed samples: 128 | elapsed time per iteration (ms): 5000.0 | global batch size: " +
            std::to_string(batch) + " | lm loss: 1.8E+00 |\n" + timers;
  const TemporaryFolder folder;
  return step_log(folder.file("train.log", text)).value();
}

std::string of_ranks(const std::string& name, const std::vector<double>& ms) {
  std::string text = "  " + name + ":\n";
  for (std::size_t rank = 0; rank < ms.size(); ++rank)
    text += "     rank " + std::to_string(rank) + ": " + std::to_string(ms[rank]) + "\n";
  return text;
}

std::string ends(const std::string& name, double least, double most) {
  return "    " + name + " ......: (" + std::to_string(least) + ", " + std::to_string(most) + ")\n";
}

std::string both_ends(double least, double most) {
  return kOfEnds + ends("forward-compute", least, most) + ends("backward-compute", 2 * least, 2 * most);
}

std::vector<std::string> rows_in(const StepLog& log, const Experiment& experiment,
                                 const TraceChoice& choice = {}) {
  return texts_of(log_rows(log, experiment, choice));
}

std::string refused_log(const StepLog& log, const Experiment& experiment, const TraceChoice& choice = {}) {
  return first_refusal([&] { log_rows(log, experiment, choice); });
}

TEST(LogRows, OfEveryRankArePassesOfItsStage) {
  const std::string timers = kOfRanks + of_ranks("forward-compute", {200, 202, 300, 302}) +
                             of_ranks("backward-compute", {400, 402, 600, 602}) +
                             of_ranks("optimizer", {20, 21, 22, 23});
  EXPECT_EQ(rows_in(log_with(timers), read_ascend()),
            (std::vector<std::string>{"llm:0-14 forward 4096 100 101", "llm:14-28 forward 4096 150 151",
                                      "llm:0-14 backward 4096 200 201", "llm:14-28 backward 4096 300 301",
                                      "llm:0-14 optimizer  20 21", "llm:14-28 optimizer  22 23"}));
  EXPECT_EQ(rows_in(log_with(timers), read_ascend(), {.steps = {}, .ranks = {1}, .schedule = {}}).size(), 3u);
}

TEST(LogRows, OfOneRankBelongToTheChosenOne) {
  const StepLog log = log_with(both_ends(200, 200));
  EXPECT_EQ(rows_in(log, read_ascend(), {.steps = {}, .ranks = {1}, .schedule = {}}),
            (std::vector<std::string>{"llm:14-28 forward 4096 100", "llm:14-28 backward 4096 200"}));
  EXPECT_EQ(refused_log(log, read_ascend()),
            "--rank with the pipeline rank that was measured, of 2 ranks | none");
}

TEST(LogRows, OfOnePipelineRankAreTheFastestAndTheSlowestDevice) {
  const Experiment one = read_ascend({{"/pipeline/ranks", "1"}});
  EXPECT_EQ(rows_in(log_with(both_ends(200, 220)), one),
            (std::vector<std::string>{"llm forward 4096 100 110", "llm backward 4096 200 220"}));
}

// The twin of timers that the roofline made takes the experiment's own step.
TEST(LogRows, OfTheRooflineGiveItsStep) {
  const Experiment own = read_ascend();
  std::array<std::vector<double>, 2> sums = {std::vector<double>(4), std::vector<double>(4)};
  for (const TraceEvent& event : trace_of_roofline(own, "1f1b").events)
    sums[event.kind == TraceKind::Forward ? 0 : 1][2U * event.rank + event.replica] +=
        event.duration / milliseconds(1);
  const StepLog log =
      log_with(kOfRanks + of_ranks("forward-compute", sums[0]) + of_ranks("backward-compute", sums[1]));
  Experiment twin = own;
  AnalyticCosts& costs = *on_platform(twin.costs);
  Findings findings;
  costs.measured = measured_passes(log_rows(log, own, {}).rows, own.model, costs, findings);
  findings.throw_if_any();
  EXPECT_NEAR(step_of(twin, "1f1b") / step_of(own, "1f1b"), 1, 1e-6);
}

TEST(LogRows, ThatLeaveAPassOpenAreRefused) {
  const TraceChoice first{.steps = {}, .ranks = {0}, .schedule = {}};
  EXPECT_EQ(refused_log(log_with(both_ends(200, 300)), read_ascend(), first),
            "the times of every rank (--timing-log-option all), or a log of one rank | those of the fastest "
            "and the slowest rank, whichever they are");
  const std::string slowest =
      kOfSlowest + "    forward-compute ...: 200.0\n    backward-compute ...: 400.0\n";
  EXPECT_EQ(refused_log(log_with(slowest), read_ascend(), first),
            "the times of every rank (--timing-log-option all), or a log of one rank | those of the slowest "
            "rank, whichever it is");
  EXPECT_EQ(refused_log(log_with(kOfEnds + ends("optimizer", 1, 1)), read_ascend(), first),
            "Megatron's timers forward-compute and backward-compute (--timing-log-level 2) | optimizer");
  EXPECT_EQ(refused_log(log_with(both_ends(200, 200), 128), read_ascend(), first),
            "a global batch of 4, as of ascend-910b-pp2 | 128");
  const std::string three =
      kOfRanks + of_ranks("forward-compute", {1, 1, 1}) + of_ranks("backward-compute", {1, 1, 1});
  EXPECT_EQ(refused_log(log_with(three), read_ascend()),
            "the times of 4 ranks, the devices of ascend-910b-pp2 | those of 3 ranks");
}

TEST(LogRows, OfTimesThatAreNoneAreRefused) {
  const TraceChoice first{.steps = {}, .ranks = {0}, .schedule = {}};
  EXPECT_EQ(refused_log(log_with(both_ends(0, 0)), read_ascend(), first),
            "times above 0 of the timer forward-compute | 0 s");
  EXPECT_EQ(refused_log(log_with(both_ends(200, 200)), read_ascend(),
                        {.steps = {"2"}, .ranks = {0}, .schedule = {}}),
            "no --step, which chooses steps of traces: here all steady steps count | 2");
}

TEST(LogRows, OfSeveralStagesAreRefused) {
  const Experiment chunks =
      read_ascend({{"/schedules/0/schedule", "\"1f1b,1f1b\""}, {"/schedules/0/cut", "[14]"}});
  EXPECT_NE(refused_log(log_with(both_ends(200, 200)), chunks).find("one stage on each rank"),
            std::string::npos);
}

}  // namespace
}  // namespace spillway::testing
