// Splits of layers into stages that software can express (platform/launched_models.h).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/quantity.h"
#include "experiment/experiment.h"

namespace spillway {

// Returns the layers of each stage: of the splits that `placed` allows, one whose longest stage is shortest.
// The first stage has at least the first `together` layers. Where no such split gives every stage a layer,
// the balanced split. Contract: 1 <= stages <= times.size().
std::vector<std::uint32_t> placed_split(std::span<const Seconds> times, std::uint32_t stages,
                                        const PlacedStages& placed, std::uint32_t together);

// The layers that a model's first stage has together if the encoder lies on it whole: the encoder, the
// embedding, and a layer behind it. 0 without an encoder.
std::uint32_t layers_of_first_stage(const Experiment& experiment);

}  // namespace spillway
