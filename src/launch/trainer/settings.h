// The settings of a training by Hugging Face's Trainer: arguments, a YAML file, and the files of DeepSpeed
// and accelerate that they name, in one list.
//
//   per_device_train_batch_size          of the Trainer, or of a program that is built on it
//   deepspeed.zero_optimization.stage    of DeepSpeed's JSON
//   accelerate.num_processes             of accelerate's YAML, and of `accelerate launch`
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "launch/command/arguments.h"
#include "launch/command/launch_options.h"

namespace spillway {

// True for a command with the Trainer's batch size (--per_device_train_batch_size), or with a YAML file.
bool is_trainer(const LaunchCommand& command);

std::vector<LaunchArgument> trainer_settings(const LaunchCommand& command, const std::string& script,
                                             const LaunchOptions& options, Findings& findings);

// The settings, and before them those of DeepSpeed's file that they name.
std::vector<LaunchArgument> with_files(std::vector<LaunchArgument> settings, const std::string& script,
                                       const LaunchOptions& options, Findings& findings);

// accelerate's number of processes, which are all devices of the job. Nothing if it is not stated.
std::optional<std::uint32_t> trainer_devices(const std::vector<LaunchArgument>& settings);

}  // namespace spillway
