// A whole random experiment: model, durations or architectures, platform, images, replicas, schedules. Job n
// is the same on every machine and in every run.
#pragma once

#include <cstdint>
#include <string>

#include "experiment/experiment.h"

namespace spillway::testing {

struct Job {
  std::uint64_t number;
  std::string document;  // the input of `spillway run`; names files by absolute paths
  Experiment experiment;
};

Job job(std::uint64_t number);

// Parses a document.
Experiment experiment_of(const std::string& document);

}  // namespace spillway::testing
