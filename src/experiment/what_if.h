// What no machine gives, to see what it would be worth: an encoder for nothing, faster links, equal stages.
#pragma once

#include <string>
#include <vector>

namespace spillway {

struct Experiment;

// Factors; 1 leaves everything as it is.
struct WhatIf {
  double encoder_time = 1;  // of what blocks of role encoder compute
  double link_speed = 1;    // of every port and tier: bandwidths times this, times and latencies over it
  double inner_collective_time = 1;  // of collectives inside passes
  // Each pipelined stage takes the mean of all pipelined stages, microbatch by microbatch; bytes stay.
  bool even_stages = false;

  friend bool operator==(const WhatIf&, const WhatIf&) = default;
};

// One sentence for each factor that is not 1.
std::vector<std::string> assumptions_of(const WhatIf& what_if);

// The experiment with these factors in its platform, blocks or durations, and 1 in their place; even stages
// are made where costs are (even_stages.h). As it is while something is left to fit: what was measured was
// measured without them.
Experiment with_what_if(Experiment experiment);

}  // namespace spillway
