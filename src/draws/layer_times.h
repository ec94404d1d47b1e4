// The expected times of a job's layers, one by one and by module.
#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include "draws/costs.h"
#include "draws/planning_draws.h"

namespace spillway {

// The job on one rank, with a stage for one layer of each kind. A cost model prices layers on it.
struct LayersApart {
  std::vector<std::uint32_t> stage_of;  // by layer of the model
  Outline outline;
};
LayersApart layers_apart(const Experiment& experiment);

// Returns the forward and backward time of each layer of the model: the mean over microbatches and replicas,
// summed over the draws.
std::vector<Seconds> layer_times(const DrawCosts& costs, const PlanningDraws& draws);

// Returns the forward and backward time of all layers of each module, input first: the mean over the planning
// draws.
std::vector<Seconds> module_times(const Experiment& experiment);

// Returns true if images are drawn, so that each step has sizes of its own.
bool draws_images(const JobCosts& costs);

// Returns the number of parts of a microbatch, samples / B, with B as in DIP. B is the smallest divisor of
// the microbatch's samples at which the encoder's time per image patch is at most 1 / 0.95 of the least over
// all divisors. Given durations are in proportion to patches, so B is one sample. If microbatches are
// sequences of one length, each is one part.
std::uint32_t efficient_parts(const Experiment& experiment);

}  // namespace spillway
