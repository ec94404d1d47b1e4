// Folding: replicas that cost the same run alike, so one of them is simulated for all.
#pragma once

#include <cstdint>

#include "experiment/experiment.h"

namespace spillway {

// Own: each transfer is priced on a link of its own. Shared: transfers are replayed on links that they share.
enum class Links { Own, Shared };

// Returns the experiment with one replica in place of those that cost the same, or unchanged if they differ.
// Orders, plans and runs of the result hold for each of these replicas. Replicas on a platform are not folded
// if links are shared.
Experiment folded(Experiment experiment, Links links);

// Returns how many replicas each replica of a folded experiment stands for.
std::uint32_t equal_replicas(const Experiment& experiment);

}  // namespace spillway
