// What the stages of a layout take and hold of one microbatch without its images: what no microbatch falls
// below. Private to src/search.
#pragma once

#include <cstdint>
#include <vector>

#include "cost/slabs/footprint.h"
#include "experiment/experiment.h"

namespace spillway {

struct StagePass {
  std::uint32_t rank;
  Seconds forward = {}, backward = {}, input_gradient = {}, weight_gradient = {};
  // Of both passes, whatever they run beside: what computes, what else may run beside that, and what neither
  // can.
  Seconds computing = {}, communicating = {}, alone = {};
  Held held = {};
};

// Stages in the order in which a microbatch passes them; without those that are transposed, whose owners are
// not known. All zero where microbatches have tokens that differ.
using StagePasses = std::vector<StagePass>;

// What one microbatch is priced on: the stages of the experiment's one schedule, or the model's blocks, one
// stage each on one rank.
enum class PricedBy { Stages, Blocks };
StagePasses stage_passes(const Experiment& experiment, PricedBy by);

// By rank, what it holds all through the step; of blocks the model states alone, all on the first.
std::vector<Bytes> resting_bytes(const Experiment& experiment, PricedBy by);

// What a rank holds of the transposed input region for the first microbatches of a replica of the first draw,
// 0, 1, 2, ... of them together. Contract: the schedule has one.
std::vector<Bytes> transposed_bytes(const Experiment& experiment, std::uint32_t microbatches);

}  // namespace spillway
