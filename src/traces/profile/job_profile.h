// A PyTorch job without a pipeline's annotations, as its profiles show it: steps, passes, layers,
// collectives, and where each device's time goes. It never makes a pipeline of them: whoever wants one
// annotates passes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "traces/events/trace.h"
#include "traces/logs/steady_steps.h"
#include "traces/profile/device_time.h"
#include "traces/profile/inference.h"

namespace spillway {

// One direction of one microbatch on one process: a forward, a backward, or the optimizer.
struct ProfiledPass {
  std::uint32_t microbatch;  // from 0, in the step; 0 for the optimizer
  PassPhase direction;
  Seconds start;  // of its first work on the device, from the process's first event
  Seconds span;   // to the last end
  Seconds busy;   // of the device, without communication
  std::size_t kernels;
};

struct ProfiledStep {
  std::string name;
  Seconds time;  // from its beginning to the next step's; of the last, see `whole`
  bool whole;    // false for a last step whose end the file does not show
  DeviceTime device;
  std::vector<ProfiledPass> passes;  // in their order; empty if no backward was found
};

// Messages of one kind on one process.
struct CollectiveUse {
  std::string operation;
  std::uint32_t devices;  // 0 if the file does not say
  std::string group;      // as the program describes it; may be empty
  PassPhase phase;        // that launched it
  std::size_t count;
  Seconds time;                // added up, waiting included
  std::optional<Bytes> bytes;  // of all; empty unless each states its own
};

// Layers that repeat in one pass of one step.
struct ProfiledLayers {
  PassPhase direction;
  std::size_t layers;
  std::size_t kernels;  // of a layer
  Seconds busy;         // of a layer, on average
  double share;         // of the pass's busy time
};

struct ProfiledRank {
  std::uint32_t rank;  // in the job; the file's place if no file says
  std::string file;
  std::string device;
  bool of_the_host;  // the file has no device, and `time` is of the host's operators
  DeviceTime time;   // from the first to the last work
  std::vector<ProfiledStep> steps;
  std::vector<CollectiveUse> collectives;  // most time first
  std::vector<ProfiledLayers> layers;      // of the last whole step, by direction, in the pass's order
  std::vector<Inferred> inferences;
};

struct JobProfile {
  std::vector<std::string> files;
  std::uint32_t processes;                // of the job, as the files state; at least the files
  std::vector<ProfiledRank> ranks;        // ascending
  std::vector<Inferred> inferences;       // of the whole job: what it does, how it is parallel, its pipeline
  std::optional<SteadySteps> steps;       // of the slowest rank of each step; empty if none is whole
  std::vector<Seconds> step_times;        // these steps, warm-up first
  std::vector<std::uint32_t> slow_ranks;  // compute more than kSlowRank above the median
  std::vector<Note> notes;
};

// Reads PyTorch's profiles, one file or a folder with one per process, and reports of Nsight Systems. Returns
// nothing for any other trace, and if an annotation names a pass of a pipeline: then read_trace() reads it as
// one. Throws InputError for broken files, for files without any work, for two files of one process, and for
// clocks that run backwards.
std::optional<JobProfile> job_profile(const std::string& path);

}  // namespace spillway
