// Passes of stages as they were measured. Their times take the place of the roofline's
// (draws/measured_costs.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/quantity.h"
#include "cost/network/parallelism.h"
#include "cost/slabs/gradients.h"
#include "cost/slabs/recomputation.h"
#include "model/model.h"

namespace spillway {

// The content of one microbatch. Parts that no layer of the pass reads do not matter.
struct MeasuredSize {
  std::vector<std::uint32_t> sequences = {};  // tokens of each
  std::vector<std::uint32_t> patches = {};    // of each image

  friend bool operator==(const MeasuredSize&, const MeasuredSize&) = default;
};

// One pass over consecutive layers, on the devices of one rank, with the collectives inside it.
struct MeasuredPass {
  LayerRange layers;  // of the model; not empty
  Pass pass;
  MeasuredSize size;
  std::vector<Seconds> times;  // one for each repeat, at least one; each above 0

  friend bool operator==(const MeasuredPass&, const MeasuredPass&) = default;
};

struct PassTable {
  std::vector<MeasuredPass> passes;  // at least one
  Parallelism layout;                // of the measured rank
  // By block: what the measured backward computed again.
  std::vector<Recomputation> recompute;
};

// Returns the relative standard deviation of repeats about the mean of their pass, over all passes that have
// any; 0 if none has.
double spread_of_repeats(const PassTable& measured);

// Returns true if passes of the same layers over the same microbatch do the same work on a device.
bool same_inside_passes(const Parallelism& a, const Parallelism& b);

}  // namespace spillway
