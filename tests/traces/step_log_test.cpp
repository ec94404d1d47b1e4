#include "traces/logs/step_log.h"

#include <gtest/gtest.h>

#include "measured_files.h"
#include "trace_files.h"

namespace spillway::testing {
namespace {

// A line as Megatron writes it.
std::string megatron(int iteration, const std::string& elapsed, const std::string& unit = "ms",
                     const std::string& stamp = "", int batch = 128) {
  return stamp + " iteration " + std::to_string(iteration) +
         "/ 100 | consumed samples: 128 | elapsed time per iteration (" + unit + "): " + elapsed +
         " | throughput per GPU (TFLOP/s/GPU): 240.5 | global batch size: " + std::to_string(batch) +
         " | lm loss: 1.8E+00 |\n";
}

std::string titan(int step, const std::string& clock, const std::string& prefix = "[rank0]:") {
  return prefix + "[titan] 2026-03-01 " + clock + " - root - INFO - step: " + std::to_string(step) +
         "  loss:  6.1384  memory: 49.66GiB(52.28%)  tps: 5,856  tflops: 339.16  mfu: 34.29%\n";
}

StepLog log_of(const std::string& text) {
  auto log = step_log(measured_file("train.log", text));
  EXPECT_TRUE(log);
  return log ? *std::move(log) : StepLog();
}

std::vector<std::string> refused(const std::string& text) {
  const std::string path = measured_file("refused.log", text);
  return refusals([&] { step_log(path); });
}

std::vector<double> times_in(const StepLog& log) {
  std::vector<double> times;
  for (const LoggedStep& step : log.steps) times.push_back(step.time.value());
  return times;
}

TEST(StepLog, MegatronsIterationLines) {
  const StepLog log = log_of("building ...\n" + megatron(1, "9100.0") + megatron(2, "5400.0") +
                             megatron(3, "5300.5") + megatron(4, "5500.0"));
  EXPECT_EQ(log.format, "megatron");
  EXPECT_EQ(times_in(log), (std::vector<double>{9.1, 5.4, 5.3005, 5.5}));
  EXPECT_EQ(log.steady.warm_up, 1U);
  EXPECT_EQ(log.steps[1].line, 3U);
  EXPECT_EQ(log.steps[1].number, 2U);
  EXPECT_EQ(log.steps[1].batch, 128);
  EXPECT_NEAR(*log.steps[1].flops_per_s, 240.5e12, 1);
}

// The lines that MindSpeed's core (--op-cal-tflops), MindSpeed-MM's FSDP2 trainer and MindSpeed-LLM's write.
TEST(StepLog, MindSpeedsIterationLines) {
  const StepLog core = log_of(
      " [2026-03-01 10:00:00] iteration        5/     100 | consumed samples:          640 | elapsed time "
      "per "
      "iteration (ms): 12345.6 | theoretical throughput per NPU (TFLOP/s/NPU): 151.2 | actual throughput per "
      "NPU "
      "(TFLOP/s/NPU): 148.0 | actual throughput per NPU with recompute (TFLOP/s/NPU): 190.0 | learning rate: "
      "1.0E-05 | global batch size:   128 | lm loss: 1.8E+00 | loss scale: 1.0 | grad norm: 0.4 |\n");
  EXPECT_NEAR(times_in(core).at(0), 12.3456, 1e-9);
  EXPECT_NEAR(*core.steps[0].flops_per_s, 151.2e12, 1);
  EXPECT_EQ(core.steps[0].batch, 128);
  const StepLog images = log_of(
      "2026-03-01 10:00:00,123 - INFO -  [2026-03-01 10:00:00] iteration        7/    5000 | consumed "
      "samples: "
      "          112 | elapsed time per iteration (ms): 2345.6 | learning rate: 1.0E-05 | global batch size: "
      "   "
      "16 | loss: 1.2E+00 | grad norm: 1.234 |\n");
  EXPECT_NEAR(times_in(images).at(0), 2.3456, 1e-9);
  EXPECT_EQ(images.steps[0].number, 7u);
  const StepLog text = log_of(
      " iteration        9/    2000 | consumed samples:        288 | consumed tokens:    1179648 | elapsed "
      "time "
      "per iteration (ms): 4012.34 | tokens/s: 32667.12 | mfu: 41.20 | learning rate: 1.25E-06 | global "
      "batch "
      "size:    32 | lm loss: 1.0E+00 | grad norm: 1.234 | max_memory_allocated(GB): 48.50 | "
      "max_memory_reserved(GB): 52.00 |\n");
  EXPECT_NEAR(times_in(text).at(0), 4.01234, 1e-9);
  EXPECT_NEAR(*text.steps[0].utilization, 0.412, 1e-12);
  EXPECT_NEAR(text.steps[0].memory->value(), 48.5 * 1024 * 1024 * 1024, 1);
}

TEST(StepLog, DeepSpeedsForkWritesSecondsOrAKeyWithItsUnit) {
  EXPECT_EQ(times_in(log_of(megatron(1, "86.5", "s") + megatron(2, "87.5", "s"))),
            (std::vector<double>{86.5, 87.5}));
  const StepLog later = log_of(
      "[2026-03-01 10:00:00.1][INFO] -  iteration=       7/ 90 | consumed_samples= 768 | "
      "elapsed_time_per_iteration_ms=8457.2 | global_batch_size=768 |\n");
  EXPECT_EQ(times_in(later), std::vector<double>{8.4572});
  EXPECT_EQ(later.steps[0].number, 7U);
}

TEST(StepLog, TimersOfTheSlowestAndTheFastestRankAfterWarmUp) {
  const auto timers = [](const std::string& least, const std::string& most) {
    return "(min, max) time across ranks (ms):\n    forward-compute ................................: (" +
           least + ", " + most + ")\n    optimizer ......................................: (50.00, 51.00)\n";
  };
  const StepLog log = log_of(megatron(1, "9000") + timers("900", "990") + megatron(2, "5000") +
                             timers("100", "120") + megatron(3, "5000") + timers("110", "130"));
  ASSERT_EQ(log.timers.size(), 2U);
  EXPECT_EQ(log.timers[0].name, "forward-compute");
  EXPECT_EQ(log.timers[0].lines, 2U);
  EXPECT_NEAR(log.timers[0].least.value(), 0.105, 1e-12);
  EXPECT_NEAR(log.timers[0].most.value(), 0.125, 1e-12);
}

TEST(StepLog, TimersOfEveryRankNameTheSlowOne) {
  std::string text = megatron(1, "5000") + "times across ranks (ms):\n  forward-compute:\n";
  for (int rank = 0; rank < 4; ++rank)
    text += "     rank  " + std::to_string(rank) + ": " + (rank == 2 ? "130.00" : "100.00") + "\n";
  text += "  optimizer:\n     rank  0: 50.00\n";
  const StepLog log = log_of(text + megatron(2, "5000"));
  ASSERT_EQ(log.timers.size(), 2U);
  EXPECT_EQ(log.timers[0].by_rank.size(), 4U);
  EXPECT_NEAR(log.timers[0].most.value(), 0.13, 1e-12);
  EXPECT_EQ(log.slow_ranks, std::vector<std::uint32_t>{2});
}

TEST(StepLog, OlderTimersStandInOneLine) {
  const StepLog log =
      log_of(megatron(1, "123.4") + "time (ms) | forward-compute: 31.57 | backward-compute: 41.76\n");
  ASSERT_EQ(log.timers.size(), 2U);
  EXPECT_EQ(log.timers[1].name, "backward-compute");
  EXPECT_NEAR(log.timers[1].most.value(), 0.04176, 1e-12);
}

TEST(StepLog, TorchtitansStepsLastFromLineToLine) {
  const StepLog log =
      log_of(titan(1, "10:00:00,000") + titan(10, "10:00:09,000") + titan(20, "10:00:19,500"));
  EXPECT_EQ(log.format, "torchtitan");
  EXPECT_EQ(times_in(log), (std::vector<double>{1, 1.05}));
  EXPECT_EQ(log.steps[0].tokens_per_s, 5856);
  EXPECT_NEAR(*log.steps[0].utilization, 0.3429, 1e-12);
  EXPECT_NEAR(log.steps[0].memory->value(), 49.66 * 1073741824.0, 1);
  EXPECT_EQ(texts(log.notes),
            std::vector<std::string>{"dropped: 1 step without a line before, so without a time"});
}

TEST(StepLog, ColoursOfATerminalDoNotHideALine) {
  const StepLog log =
      log_of(titan(1, "10:00:00,000") +
             "[rank0]:[titan] 2026-03-01 10:00:02,000 - root - INFO - \x1b[31mstep:  2  \x1b[32mloss: 5.0"
             "  \x1b[39mtps: 5,800  \x1b[33mmemory: 1.00GiB(2%)\x1b[39m\n");
  EXPECT_EQ(times_in(log), std::vector<double>{2});
}

TEST(StepLog, OfSeveralRanksTheSlowestCountsAndIsNamed) {
  std::string text;
  for (int step = 1; step <= 3; ++step)
    for (int rank = 0; rank < 4; ++rank)
      text += R"({"step": )" + std::to_string(step) + R"(, "rank": )" + std::to_string(rank) +
              R"(, "step_time_ms": )" + (rank == 3 ? "1200" : "1000") + "}\n";
  const StepLog log = log_of(text);
  EXPECT_EQ(log.format, "json-lines");
  EXPECT_EQ(times_in(log), (std::vector<double>{1.2, 1.2, 1.2}));
  ASSERT_EQ(log.ranks.size(), 4U);
  EXPECT_EQ(log.slow_ranks, std::vector<std::uint32_t>{3});
}

TEST(StepLog, AKeyOfJsonNeedsItsUnit) {
  EXPECT_EQ(times_in(log_of(R"({"iteration": 4, "train_step_timing in s": 2.5, "loss": 1})"
                            "\n")),
            std::vector<double>{2.5});
  EXPECT_EQ(refused(R"({"step": 1, "step_time": 5.3})"
                    "\n"),
            std::vector<std::string>{R"(line 1: expected a time with its unit, s or ms, such as)"
                                     R"( "step_time_s", found the key "step_time")"});
  EXPECT_EQ(refused(R"({"step": 1, "step_time_us": 5.3})"
                    "\n")
                .size(),
            1U);
}

TEST(StepLog, AnotherUnitIsRefusedWithItsLine) {
  EXPECT_EQ(
      refused("x\n" + megatron(1, "5400", "us")),
      std::vector<std::string>{R"(line 2: expected an elapsed time per iteration in ms or s, found "us")"});
}

TEST(StepLog, TimesThatTheClockOfTheirLinesContradictsAreInAnotherUnit) {
  std::string text;
  for (int i = 1; i <= 6; ++i)
    text += megatron(i, "5.4", "ms", "[2026-03-01 10:00:" + std::to_string(10 + 5 * i) + "]");
  const auto found = refused(text);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_NE(found[0].find("line 1: expected times that agree with the clock of their lines"),
            std::string::npos);
}

TEST(StepLog, AClockThatRunsBackwardsIsRefused) {
  const auto found = refused(titan(1, "10:00:10,000") + titan(2, "10:00:11,000") + titan(3, "10:00:05,000"));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].substr(0, 40), "line 3: expected a clock that runs forwa");
}

TEST(StepLog, ATimeThatIsNoneIsRefused) {
  EXPECT_EQ(refused(megatron(1, "nan") + megatron(2, "-3")).size(), 2U);
  EXPECT_EQ(refused("step:  1  loss: 2  tps: 100\n").size(), 1U);
  EXPECT_EQ(refused(titan(1, "10:00:00,000")),
            std::vector<std::string>{"/: expected at least two lines of steps whose times can be told, found "
                                     "1 lines of steps, and no time"});
}

TEST(StepLog, ATimerThatIsNoTimeIsRefused) {
  const auto with = [](const std::string& times) {
    return refused(megatron(1, "5400") + "(min, max) time across ranks (ms):\n    forward-compute ....: (" +
                   times + ")\n" + megatron(2, "5400"));
  };
  EXPECT_EQ(with("0.00, 1.5"), std::vector<std::string>());
  for (const auto& [times, found] : std::vector<std::pair<std::string, std::string>>{
           {"nan, nan", "nan"}, {"-3.0, 1.0", "-3.0"}, {"1.0, 1e30", "1e+30"}})
    EXPECT_EQ(
        with(times),
        std::vector<std::string>{
            "line 3: expected milliseconds from 0 to 1e9 of the timer forward-compute, found " + found});
}

TEST(StepLog, AHugeTimeIsShortInItsMessage) {
  EXPECT_EQ(refused("{\"step\": 1, \"step_time_s\": -1e300}\n"),
            std::vector<std::string>{"line 1: expected a time above 0, found -1e+300"});
}

TEST(StepLog, ARestartBeginsARunAndTheLongestCounts) {
  const StepLog log = log_of(megatron(1, "1000") + megatron(2, "1000") + megatron(2, "2000") +
                             megatron(3, "2000") + megatron(4, "2000"));
  EXPECT_EQ(times_in(log), (std::vector<double>{2, 2, 2}));
  EXPECT_EQ(texts(log.notes),
            std::vector<std::string>{"read: 2 runs in one log, of which the longest counts"});
}

TEST(StepLog, StepsOfAnotherBatchAreLeftOut) {
  const StepLog log = log_of(megatron(1, "500", "ms", "", 64) + megatron(2, "1000") + megatron(3, "1000"));
  EXPECT_EQ(times_in(log), (std::vector<double>{1, 1}));
}

TEST(StepLog, ALineWithoutAnEndIsLeftOut) {
  const std::string whole = megatron(1, "5400.0") + megatron(2, "5400.0") + megatron(3, "5400.0");
  const StepLog log = log_of(whole + " iteration 4/ 100 | elapsed time per iteration (ms): 54");
  EXPECT_EQ(times_in(log), (std::vector<double>{5.4, 5.4, 5.4}));
  ASSERT_EQ(log.notes.size(), 1u);
  EXPECT_EQ(to_string(log.notes[0]), "dropped: 1 line without an end, the last of the file");
}

TEST(StepLog, OtherTextIsNoLog) {
  EXPECT_FALSE(step_log(measured_file("other.log", "iteration 3\nelapsed: 4\n")));
  EXPECT_TRUE(may_be_log("training ...\n"));
  EXPECT_TRUE(may_be_log("{\"step\": 1, \"step_time_s\": 2}\n{"));
  EXPECT_FALSE(may_be_log("{\"traceEvents\": ["));
}

}  // namespace
}  // namespace spillway::testing
