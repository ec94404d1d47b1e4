// How many devices each module gets: DistTrain's allocation (SIGCOMM 2025, arXiv 2408.04275, sections 4.2 and
// 4.3), which makes T_warmup + T_steady least. Of T microbatches in all, with a module m that takes C_m for
// one on a rank's devices and has p_m ranks in each of d_m pipelines,
//
//   T_warmup = sum of C_m                      a microbatch's way through all modules
//   T_steady = max of (T / d_m - 1) C_m / p_m  turns of the slowest module in each of its pipelines
//
// With d pipelines of every module that is the paper's M - 1 turns of the slowest one. Layers are shared out
// whole over ranks. Every allocation is tried. Less than 1 s for three modules on 1,296 devices. Test:
// tests/derive/module_allocation_test.cpp, against every layout.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "base/quantity.h"
#include "derive/derive.h"

namespace spillway {

// A module under one tensor parallelism.
struct ModuleTime {
  std::uint32_t tensor;  // devices of a rank
  Seconds microbatch;    // all of its layers, forward and backward, on one rank
};

struct ModuleToPlace {
  LayerRange layers;
  std::vector<ModuleTime> times;  // by tensor parallelism that it may have
};

struct AllocationJob {
  std::span<const ModuleToPlace> modules;
  std::uint32_t devices;       // which they share out, all of them
  std::uint64_t microbatches;  // of all replicas together
  // Does a layout of a module fit its devices? Asked for more ranks of as many pipelines it says yes, too.
  std::function<bool(std::size_t module, const PlacedModule& layout)> fits;
};

// None where no allocation fits. Of equals the one with the most pipelines, then with fewest devices in
// front.
std::optional<std::vector<PlacedModule>> allocated_modules(const AllocationJob& job);

// T_warmup + T_steady. Contract: the modules have times for their tensor parallelism.
Seconds allocation_time(const AllocationJob& job, std::span<const PlacedModule> modules);

}  // namespace spillway
