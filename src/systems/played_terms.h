// A system on the terms that it is asked for. Private to src/systems.
#pragma once

#include "systems/system.h"

namespace spillway {

// What the system lays out with them; as its authors have it where nothing is said. Who moves samples reads
// their sizes, so that moves_samples is not to be had without knows_draw; where a plan has nothing that sizes
// decide, knows_draw is not to be had without moves_samples. A system without a rule of its own for samples
// that move deals them out as DistTrain does: largest first, to replicas, then to the microbatches of each.
LaidOut lay_on_terms(const System& system, const SystemJob& job, const SystemOptions& chosen);

}  // namespace spillway
