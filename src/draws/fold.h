// Replicas that cost the same run alike, so one of them is simulated for all.
#pragma once

#include <cstdint>

#include "experiment/experiment.h"

namespace spillway {

// Are transfers priced on links of their own, or replayed on links that they share?
enum class Links { Own, Shared };

// The experiment with one replica for those that cost the same; itself where they differ. What is derived,
// planned and run from it is what every one of them does. Replicas on a platform are left apart where links
// are shared.
Experiment folded(Experiment experiment, Links links);

// How many replicas each replica of a folded experiment stands for.
std::uint32_t equal_replicas(const Experiment& experiment);

}  // namespace spillway
