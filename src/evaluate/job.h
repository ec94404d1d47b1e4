// What a result is of, in numbers that no draw touches.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cost/layers/parameter_parts.h"
#include "evaluate/fit.h"
#include "experiment/experiment.h"
#include "platform/inputs.h"

namespace spillway {

struct JobLayout {
  std::uint32_t ranks;
  std::uint32_t microbatches;  // of each replica
  std::uint32_t replicas;
  // Nothing where durations are given: a rank is then what they were measured on.
  struct Devices {
    std::uint32_t tensor, context, expert;
    std::uint32_t all;  // ranks x tensor x context x replicas
  };
  std::optional<Devices> devices = {};
};

struct BlockParameters {
  std::string block;
  std::uint64_t parameters;
  std::vector<ParameterPart> parts;  // they sum to it
};

struct Job {
  std::uint64_t seed = 1;
  std::optional<std::string> platform = {};   // its name; nothing where durations are given
  std::optional<std::string> framework = {};  // its name, where the experiment names one
  JobLayout layout = {};
  std::vector<BlockParameters> parameters =
      {};  // by block, in the model's order; empty where durations are given
};

// Of the experiment itself or folded: the replicas are all of them.
Job job_of(const Experiment& experiment);

// What its times rest on: the platform's numbers, and what the experiment states or fits in their place;
// nothing where durations are given.
std::vector<PlatformInput> inputs_of(const Experiment& experiment,
                                     const std::vector<FittedParameter>& fitted);

}  // namespace spillway
