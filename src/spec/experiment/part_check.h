// Microbatches that are cut into parts hold samples that can be. Private to src/spec.
#pragma once

#include "experiment/experiment.h"
#include "spec/json/place.h"

namespace spillway {

// Reports every schedule whose parts do not divide the samples of a microbatch, where these are counted.
// `experiment`: the document's root.
void check_parts(const Place& place, const Experiment& experiment);

}  // namespace spillway
