// A whole experiment at random: model, durations or architectures, platform, images, replicas, schedules. Job
// n is the same on every machine and in every run.
#pragma once

#include <cstdint>
#include <string>

#include "experiment/experiment.h"

namespace spillway::testing {

struct Job {
  std::uint64_t number;
  std::string document;  // what `spillway run` reads; names files by whole paths
  Experiment experiment;
};

Job job(std::uint64_t number);

// What a document says.
Experiment experiment_of(const std::string& document);

}  // namespace spillway::testing
