// An experiment from the parts of a Megatron command line.
#pragma once

#include "launch/command/experiment.h"
#include "launch/megatron/flavour.h"
#include "launch/megatron/layout.h"
#include "launch/megatron/model.h"
#include "launch/megatron/training.h"

namespace spillway {

LaunchExperiment megatron_experiment(const MegatronLayout& layout, const MegatronModel& model,
                                     const MegatronTraining& training, MegatronFlavour flavour);

// All of them, from the arguments.
LaunchReading read_megatron(Arguments& arguments, MegatronFlavour flavour,
                            std::optional<std::uint32_t> devices, const LaunchOptions& options);

}  // namespace spillway
