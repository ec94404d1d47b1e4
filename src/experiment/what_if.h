// What-ifs: changes that no key of a machine, a model or its software states. Some show what an ideal machine
// would gain (an encoder that takes no time, links of one port twice as fast), others what a poorer one would
// lose (slower hosts, a straggler).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/quantity.h"

namespace spillway {

struct Experiment;

// One slow device makes its rank slow, since the others of the rank wait for it. The rank is slow in every
// replica: a step ends when all replicas have reduced their gradients, so it takes as long as with one.
struct Straggler {
  std::uint32_t rank = 0;
  double time = 1;  // multiplies the time of the rank's passes

  friend bool operator==(const Straggler&, const Straggler&) = default;
};

// Factors. 1 changes nothing.
struct WhatIf {
  double encoder_time = 1;  // of the compute time of blocks with role encoder
  // Every port and tier is faster by this factor. It multiplies bandwidths and rates of experts' kernels, and
  // divides latencies, times of protocols and measured times.
  double link_speed = 1;
  std::map<std::string, double> port_speed = {};  // the same of one port and its tiers, by the port's name
  double compute_speed = 1;                       // of operators on devices: their times divided by it
  double host_speed = 1;                          // of hosts: their times divided by it
  double inner_collective_time = 1;               // of collectives inside passes
  // Each pipelined stage takes the mean time of all pipelined stages, for each microbatch. Bytes stay.
  bool even_stages = false;
  Straggler straggler = {};
  Seconds between_steps = {};  // added to the end of the step, as by a data loader that is late

  friend bool operator==(const WhatIf&, const WhatIf&) = default;
};

// Returns one sentence for each what-if that is set.
std::vector<std::string> assumptions_of(const WhatIf& what_if);

// Returns the experiment with the factors applied to its platform, blocks or durations, and set to 1. Three
// are applied where costs are made, and stay: even stages (even_stages.h), a straggler (straggler.h), and the
// time between steps (later_step.h). An experiment with parameters to fit is returned unchanged, since its
// steps were measured without what-ifs.
Experiment with_what_if(Experiment experiment);

}  // namespace spillway
