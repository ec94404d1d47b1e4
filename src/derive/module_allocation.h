// The number of devices of each module by DistTrain's allocation (SIGCOMM 2025, arXiv 2408.04275, sections
// 4.2 and 4.3). It minimizes T_warmup + T_steady. The job has T microbatches. Module m takes C_m for a
// microbatch on one rank's devices, and has p_m ranks in each of its d_m pipelines:
//
//   T_warmup = sum of C_m                      a microbatch's way through all modules
//   T_steady = max of (T / d_m - 1) C_m / p_m  turns of the slowest module in each of its pipelines
//
// If every module has d pipelines, this is the paper's M - 1 turns of the slowest module. Ranks hold whole
// layers. Every allocation is tried: less than 1 s for three modules on 1,296 devices. Test:
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

// The time of a module with one tensor-parallel size.
struct ModuleTime {
  std::uint32_t tensor;  // devices of a rank
  Seconds microbatch;    // all of its layers, forward and backward, on one rank
};

struct ModuleToPlace {
  LayerRange layers;
  std::vector<ModuleTime> times;  // by possible tensor-parallel size
};

struct AllocationJob {
  std::span<const ModuleToPlace> modules;
  std::uint32_t devices;       // the modules use all of them
  std::uint64_t microbatches;  // of all replicas together
  // Returns true if a layout of a module is allowed, for example because it fits its devices.
  std::function<bool(std::size_t module, const PlacedModule& layout)> fits;
};

// Returns nothing if no allocation fits. A tie goes to the one with the most pipelines, then with the fewest
// devices for the first modules.
std::optional<std::vector<PlacedModule>> allocated_modules(const AllocationJob& job);

// T_warmup + T_steady. Contract: the job has times for the modules' tensor-parallel sizes.
Seconds allocation_time(const AllocationJob& job, std::span<const PlacedModule> modules);

}  // namespace spillway
