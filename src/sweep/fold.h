// Replicas that cost the same run alike, so one of them is simulated for all.
#pragma once

#include <cstdint>

#include "spec/experiment.h"

namespace spillway {

// The experiment with one replica for those that cost the same; itself where they differ. What is derived,
// planned and run from it is what every one of them does. Replicas on a platform run alike only as long as
// their transfers share no links (`links_are_shared`: they are replayed).
Experiment folded(Experiment experiment, bool links_are_shared);

// How many replicas each replica of a folded experiment stands for.
std::uint32_t equal_replicas(const Experiment& experiment);

}  // namespace spillway
