// Modules on devices of their own, with a data parallelism of their own. Their pipelines do not meet one to
// one: the order covers the smallest symmetric unit of the job, so many pipelines of each module as have no
// common divisor, and a job is `replicas` such units, which meet at the end of the step.
//
//   enc  4 pipelines of 1 rank, llm 2 of 3     unit: enc 2 copies, llm 1; 2 units
//   rank 0  e1 e3 e5 ...                       microbatch i of a unit runs in copy i mod copies of a module
//   rank 1  e2 e4 e6 ...
//   rank 2     F1 F2 F3 B1 F4 B2 ...           a module's order is its skeleton's own, with its forwards as
//   far rank 3        F1 F2 B1 F3 B2 ...           ahead as the modules behind it keep microbatches in flight
//   rank 4           F1 B1 F2 B2 ...
//
// Ranks are numbered module by module, stage by stage, copy by copy. Modules of as many pipelines each have
// the order of one pipeline under 1F1B, but for its gradients to frozen stages. Test:
// tests/derive/modules_test.cpp.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "derive/derive.h"

namespace spillway {

// Where a module lies in a unit.
struct ModulePlace {
  std::uint32_t first_rank;
  std::uint32_t copies;  // pipelines in the unit
};

// The unit of a job, as a pipeline: all of its ranks, all microbatches that it takes, and how many units
// there are. Contract: every module's replicas divide the job's microbatches times replicas.
Pipeline unit_of(const Pipeline& job, std::span<const PlacedModule> modules);

// By module. Contract: `unit` is unit_of some job.
std::vector<ModulePlace> places_of(std::span<const PlacedModule> modules, const Pipeline& unit);

// Which module holds a layer, and which a rank of the unit. Contract: one does.
std::size_t module_of_layer(std::span<const PlacedModule> modules, std::uint32_t layer);
std::size_t module_of_rank(std::span<const ModulePlace> places, RankId rank);

// Of each rank of the unit, how many devices it has; empty without modules, where all have as many.
std::vector<double> devices_by_rank(const Outline& outline);

// What keeps regions from being those of modules: a module without a region or that ends inside one, two
// skeletons, one that is not pipelined, or several stages a rank in front of another module. Pointers are
// /schedule and /cut; nothing without modules. Contract: as many regions as skeletons, the modules are all
// blocks.
std::vector<Violation> check_module_regions(std::span<const PlacedModule> modules,
                                            const std::vector<Region>& regions, const Schedule& schedule);

}  // namespace spillway
