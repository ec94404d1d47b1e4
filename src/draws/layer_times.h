// What the layers of a job take, one by one and by module.
#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include "draws/costs.h"
#include "draws/planning_draws.h"

namespace spillway {

// The job with a layer of each kind a stage of its own, all on one rank: what a cost model prices layers by.
struct LayersApart {
  std::vector<std::uint32_t> stage_of;  // by layer of the model
  Outline outline;
};
LayersApart layers_apart(const Experiment& experiment);

// What each layer of the model takes, forward and backward, summed over the draws: mean over microbatches and
// replicas.
std::vector<Seconds> layer_times(const DrawCosts& costs, const PlanningDraws& draws);

// Forward and backward of all layers of each module, input first; mean over the draws that stand for what is
// expected.
std::vector<Seconds> module_times(const Experiment& experiment);

// Are images drawn, so that each step has sizes of its own?
bool draws_images(const JobCosts& costs);

// B of DIP: the fewest samples of a microbatch, of those that divide them, of which the encoder takes an
// image patch in at most 1 / 0.95 of the least that it takes in any. Given durations are in proportion to
// patches: one sample. Where microbatches are sequences of one length each passes whole. The parts of a
// microbatch, samples / B.
std::uint32_t efficient_parts(const Experiment& experiment);

}  // namespace spillway
