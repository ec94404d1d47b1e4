// The log of a training program as measured steps.
//
//   Megatron-LM, MindSpeed, DeepSpeed's Megatron   " iteration 71/ 100 | ... elapsed time per iteration (ms):
//   5361.6
//                                                  | throughput per GPU (TFLOP/s/GPU): 243.6 | ..."
//   torchtitan         "... 2025-06-16 22:31:04,970 - root - INFO - step: 210 loss: 6.04
//   memory: 49.66GiB(52.28%)
//                      tps: 5,593 tflops: 323.92 mfu: 32.75%": a step's time is that between two lines
//   JSON lines         {"step": 12, "step_time_s": 5.36, "rank": 0}: any key of kTimeKeys with its unit
//
// Megatron's timers follow a line of steps: "(min, max) time across ranks (ms):" and "name ...: (1.2, 3.4)",
// "max time across ranks", "times across ranks" with a line for each rank, and the older "time (ms) |
// name: 1.2 | ...". Sources: megatron/core/timers.py and training.py, torchtitan/components/metrics.py,
// public logs of both; MindSpeed/mindspeed/training.py (--op-cal-tflops), MindSpeed-MM's
// mindspeed_mm/fsdp trainer, MindSpeed-LLM/mindspeed_llm/fsdp2/utils/train_monitor.py.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/quantity.h"
#include "traces/files/note.h"
#include "traces/logs/steady_steps.h"

namespace spillway {

struct LoggedStep {
  std::uint64_t number;
  Seconds time;                             // of one iteration; a line may give the mean of several
  std::size_t line;                         // in the file, from 1
  std::optional<double> batch = {};         // samples of the step, over all devices
  std::optional<double> tokens_per_s = {};  // of a device
  std::optional<double> flops_per_s = {};   // of a device, as the program counts them
  std::optional<double> utilization = {};   // of a device's peak, likewise
  std::optional<Bytes> memory = {};         // the most that a device held
};

// One of Megatron's timers over the steady steps: means per iteration.
struct LoggedTimer {
  std::string name;
  std::size_t lines;
  Seconds least;                      // on the fastest rank
  Seconds most;                       // on the slowest
  std::vector<Seconds> by_rank = {};  // empty unless the log has every rank
  bool slowest_only = false;          // the log has the slowest rank alone, so `least` is its time, too
};

struct LoggedRank {
  std::uint32_t rank;
  Seconds mean;  // of its steady steps
};

struct StepLog {
  std::string format;  // "megatron", "torchtitan" or "json-lines"
  std::string file;
  std::vector<LoggedStep> steps;  // comparable ones, warm-up first, in the order of the file
  SteadySteps steady;
  std::vector<LoggedTimer> timers;        // in the order of their first lines
  std::vector<LoggedRank> ranks;          // ascending; empty unless the log has several
  std::vector<std::uint32_t> slow_ranks;  // by their steps, or by the timer forward-compute
  std::vector<Note> notes;
};

// Returns nothing for a file without a line of a step, so that other readers may try it. Reads line by line.
// A last line without an end is left out, with a note. Throws InputError with the lines of times that are
// none, of steps or of timers, of units other than s and ms, of a clock that runs backwards, and of times
// that the clock of their lines, or the samples per second, contradict by a factor of 30: these are in
// another unit.
std::optional<StepLog> step_log(const std::string& path);

// Returns true if a file that begins so may be such a log: text, but no JSON document.
bool may_be_log(std::string_view beginning);

}  // namespace spillway
