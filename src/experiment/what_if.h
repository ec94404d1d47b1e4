// What-ifs: an encoder that takes no time, faster links, equal stages. No machine has these. They show what
// each would gain.
#pragma once

#include <string>
#include <vector>

namespace spillway {

struct Experiment;

// Factors. 1 changes nothing.
struct WhatIf {
  double encoder_time = 1;  // of the compute time of blocks with role encoder
  double link_speed =
      1;  // of every port and tier: bandwidths times this factor, times and latencies divided by it
  double inner_collective_time = 1;  // of collectives inside passes
  // Each pipelined stage takes the mean time of all pipelined stages, for each microbatch. Bytes stay.
  bool even_stages = false;

  friend bool operator==(const WhatIf&, const WhatIf&) = default;
};

// Returns one sentence for each what-if that is set.
std::vector<std::string> assumptions_of(const WhatIf& what_if);

// Returns the experiment with the factors applied to its platform, blocks or durations, and set to 1. Even
// stages are applied where costs are made (even_stages.h). An experiment with parameters to fit is returned
// unchanged, since its steps were measured without what-ifs.
Experiment with_what_if(Experiment experiment);

}  // namespace spillway
