// Placements that no named schedule has: other numbers of virtual stages, stages that go to and fro over the
// ranks, layers split by the load of ranks, split backwards. Private to src/synthesize.
//
//   loop, 2 stages a rank    rank 0: stages 0 and 3   rank 1: 1 and 4   rank 2: 2 and 5
//   zigzag                   rank 0: stages 0 and 5   rank 1: 1 and 4   rank 2: 2 and 3
//
// More stages a rank make warm-up and drain shorter. In a zigzag the rank of the last stage of one way has
// the first of the way back, so a microbatch turns there without a transfer.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "experiment/experiment.h"

namespace spillway {

struct MadePlacement {
  ScheduleSpec
      spec;  // as_listed(), in a plain order that a search replaces: all forwards, then all backwards
  std::string words;  // "3 stages a rank in a loop, split backwards"
};

// Returns all such placements that the layers allow, behind the same transposed inputs as `listed`, with the
// same owners. `times`: of each layer of the model. Contract: `listed` is as_listed() (listed_start.h).
std::vector<MadePlacement> made_placements(const Experiment& experiment, const ScheduleSpec& listed,
                                           std::span<const Seconds> times, bool split_backwards);

}  // namespace spillway
