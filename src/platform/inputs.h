// The numbers of a platform and a framework behind a job's times, for people to judge.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platform/framework.h"
#include "platform/platform.h"

namespace spillway {

struct PlatformInput {
  std::string name;  // "accelerator: bf16 peak", "tier node: latency"
  double value;      // for a sweep: its number of sizes
  std::string unit;  // "" if it has none
  Evidence evidence;
  std::string source;
};

// The numbers that a job on devices 0 ... devices-1 uses, in the order of the platform's file: the
// accelerator, every tier in which two of the devices can meet with its port, and the price. An optional
// number that the platform leaves out is listed with its default. Tables of operators are one entry, with the
// evidence of the weakest. Contract: 0 < devices <= platform.device_count().
std::vector<PlatformInput> platform_inputs(const Platform& platform, std::uint32_t devices);

// The numbers that a framework states, and the figures of its attention kernel on this accelerator.
std::vector<PlatformInput> framework_inputs(const Framework& framework, const Accelerator& accelerator);

}  // namespace spillway
