// The times and memory of a layout's stages for one microbatch without its images, and without attention
// where samples are packed and attend within themselves. No microbatch takes less. Private to src/search.
#pragma once

#include <cstdint>
#include <vector>

#include "cost/slabs/footprint.h"
#include "experiment/experiment.h"

namespace spillway {

struct StagePass {
  std::uint32_t rank;
  Seconds forward = {}, backward = {}, input_gradient = {}, weight_gradient = {};
  // Times of both passes, whatever runs beside them: computation, communication that may run beside it, and
  // the rest, which overlaps with neither.
  Seconds computing = {}, communicating = {}, alone = {};
  Held held = {};
};

// Stages in the order in which a microbatch passes them, without transposed stages, whose owners are unknown.
// All values are 0 if the tokens of microbatches differ. Measured passes take the place of priced ones where
// every microbatch is of text alone and the stages are known, because every evaluation then takes the same
// ones; what runs beside another pass is 0. Elsewhere all times are 0 if passes are measured: the mean of a
// measured stage may be below the sum over its layers, and below a pass without attention.
using StagePasses = std::vector<StagePass>;

// The basis of the prices: the stages of the experiment's only schedule, or the model's blocks as one stage
// each on one rank.
enum class PricedBy { Stages, Blocks };
StagePasses stage_passes(const Experiment& experiment, PricedBy by);

// Returns by rank the bytes that it holds all through the step. For blocks these are the model states alone,
// all on the first rank.
std::vector<Bytes> resting_bytes(const Experiment& experiment, PricedBy by);

// Returns the bytes of a checkpoint: one copy of all parameters and optimizer states, wherever devices keep
// them. Contract: the experiment has one device.
Bytes checkpoint_bytes(const Experiment& experiment);

// Returns the bytes of the transposed input region that a rank holds for the first 0, 1, 2, ... microbatches
// together, of a replica of the first draw. Contract: the schedule has a transposed input region.
std::vector<Bytes> transposed_bytes(const Experiment& experiment, std::uint32_t microbatches);

}  // namespace spillway
