// Passes of stages as they were measured. Their times take the place of the roofline's
// (draws/measured_costs.h).
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/quantity.h"
#include "cost/network/parallelism.h"
#include "cost/slabs/gradients.h"
#include "cost/slabs/recomputation.h"
#include "model/model.h"

namespace spillway {

// The content of one microbatch. Parts that no layer of the pass reads are empty.
struct MeasuredSize {
  std::vector<std::uint32_t> sequences = {};  // tokens of each
  std::vector<std::uint32_t> patches = {};    // of each image

  friend auto operator<=>(const MeasuredSize&, const MeasuredSize&) = default;
};

// One pass over consecutive layers, on the devices of one rank, with the collectives inside it.
struct MeasuredPass {
  LayerRange layers;  // of the model; not empty
  Pass pass;
  std::vector<MeasuredSize> sizes;  // at least one; of several, times and bytes are means over these
  std::vector<Seconds> times;       // one for each repeat, each above 0; empty if bytes alone were measured
  // The bytes that a forward keeps for its backward: one value for each repeat that was measured.
  std::vector<Bytes> kept = {};
  std::string where = {};  // file and place of its first row, for messages

  friend bool operator==(const MeasuredPass&, const MeasuredPass&) = default;
};

// The optimizer of consecutive layers on one device, from reduced gradients to new parameters, without
// messages.
struct MeasuredUpdate {
  LayerRange layers;           // of the model; one of them is trained
  std::vector<Seconds> times;  // one for each repeat, at least one; each above 0

  friend bool operator==(const MeasuredUpdate&, const MeasuredUpdate&) = default;
};

struct PassTable {
  std::vector<MeasuredPass> passes;  // at least one
  std::vector<MeasuredUpdate> updates = {};
  // That shared the states of the measured optimizer; empty: the job's.
  std::optional<std::uint32_t> replicas = {};
  Parallelism layout;  // of the measured rank
  // By block: what the measured backward computed again.
  std::vector<Recomputation> recompute;
};

// Returns the relative standard deviation of repeats about the mean of their pass or update, over all that
// have any; 0 if none has.
double spread_of_repeats(const PassTable& measured);

// Returns true if passes of the same layers over the same microbatch do the same work on a device.
bool same_inside_passes(const Parallelism& a, const Parallelism& b);

}  // namespace spillway
