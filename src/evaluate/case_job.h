// Tells which cases of a table are layouts of one job, so that their steps can be ranked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "experiment/experiment.h"

namespace spillway {

// What a step trains, and on what, without its layout: not how devices share the model, the schedule, the
// microbatches, recomputation or the software. Two layouts of equal jobs can stand in for each other.
struct TrainedJob {
  struct TrainedPart {
    Architecture architecture;  // with fused attention, and its vocabulary in its first and last layers
    bool trainable;
    Precision precision;
    Adapters adapters;

    friend bool operator==(const TrainedPart&, const TrainedPart&) = default;
  };

  std::vector<TrainedPart> parts;  // by block
  std::string platform, accelerator;
  FlopsPerSecond peak;
  Bytes memory;
  std::uint32_t devices;
  WorkloadSpec sample;  // one sample of it a microbatch

  friend bool operator==(const TrainedJob&, const TrainedJob&) = default;
};

// Empty if the experiment states durations, since they name no machine.
std::optional<TrainedJob> trained_job(const Experiment& experiment);

// The samples of a step, over all replicas: sequences, if samples are packed or there is only text. Contract:
// the experiment has a workload.
double samples_per_step(const Experiment& experiment);

struct CaseJob {
  std::size_t number;  // equal for the cases of a table that are layouts of one job
  double samples;      // in a step; layouts are compared by their time for one
};

// Numbers the jobs of a table in the order in which they come.
class CaseJobs {
 public:
  // Empty as trained_job() is.
  std::optional<CaseJob> job_of(const Experiment& experiment);

 private:
  std::vector<TrainedJob> known_;
};

}  // namespace spillway
