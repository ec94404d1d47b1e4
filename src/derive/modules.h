// Modules on dedicated devices, each with its own data-parallel size. Their pipelines do not match one to
// one, so the order covers the smallest symmetric unit of the job: the numbers of pipelines per module,
// divided by their greatest common divisor. A job is `replicas` such units, which meet at the end of the
// step.
//
//   enc  4 pipelines of 1 rank, llm 2 of 3     unit: enc 2 copies, llm 1; 2 units
//   rank 0  e1 e3 e5 ...                       microbatch i of a unit runs in copy i mod copies of a module
//   rank 1  e2 e4 e6 ...
//   rank 2     F1 F2 F3 B1 F4 B2 ...           a module has its skeleton's order; its forwards run ahead by
//   rank 3        F1 F2 B1 F3 B2 ...           the microbatches that later modules keep in flight
//   rank 4           F1 B1 F2 B2 ...
//
// Ranks are numbered module by module, stage by stage, copy by copy. If all modules have equally many
// pipelines, the order is that of one 1F1B pipeline, except for its gradients to frozen stages. Test:
// tests/derive/modules_test.cpp.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "derive/derive.h"

namespace spillway {

// The place of a module in a unit.
struct ModulePlace {
  std::uint32_t first_rank;
  std::uint32_t copies;  // pipelines in the unit
};

// The unit of a job as a pipeline: its ranks, its microbatches, and the number of units as replicas.
// Contract: every module's replicas divide the job's microbatches times replicas.
Pipeline unit_of(const Pipeline& job, std::span<const PlacedModule> modules);

// The places by module. Contract: `unit` is unit_of some job.
std::vector<ModulePlace> places_of(std::span<const PlacedModule> modules, const Pipeline& unit);

// The module that holds a layer, and the one that holds a rank of the unit. Contract: there is one.
std::size_t module_of_layer(std::span<const PlacedModule> modules, std::uint32_t layer);
std::size_t module_of_rank(std::span<const ModulePlace> places, RankId rank);

// The number of devices of each rank of the unit; empty without modules, because all ranks are then equal.
std::vector<double> devices_by_rank(const Outline& outline);

// Returns the reasons why regions do not fit the modules: a module without a region or that ends inside one,
// two skeletons in a module, a skeleton that is not pipelined, or several stages per rank before another
// module. Pointers are /schedule and /cut. Returns nothing without modules. Contract: there are as many
// regions as skeletons, and the modules cover all blocks.
std::vector<Violation> check_module_regions(std::span<const PlacedModule> modules,
                                            const std::vector<Region>& regions, const Schedule& schedule);

}  // namespace spillway
