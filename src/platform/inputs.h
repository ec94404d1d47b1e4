// The numbers of a platform, and of a framework, that a job's times rest on, for people to judge.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platform/framework.h"
#include "platform/platform.h"

namespace spillway {

struct PlatformInput {
  std::string name;  // "accelerator: bf16 peak", "tier node: latency"
  double value;      // of a sweep: how many sizes it has
  std::string unit;  // "" where it has none
  Evidence evidence;
  std::string source;
};

// What a job on devices 0 ... devices-1 draws on: the accelerator, every tier that two of them can meet in
// with its port, and the price; in the order of the platform's file. What a platform may leave out is listed
// with the value taken for it. Tables of operators are listed together,
// with the evidence of the weakest.
// Contract: 0 < devices <= platform.device_count().
std::vector<PlatformInput> platform_inputs(const Platform& platform, std::uint32_t devices);

// What a framework states, and of the attention kernel that it names the figures on this accelerator.
std::vector<PlatformInput> framework_inputs(const Framework& framework, const Accelerator& accelerator);

}  // namespace spillway
