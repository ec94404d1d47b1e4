// What a result rests on, in sentences made from the values that the experiment ran with: whatever sets a
// value changes its sentence, too.
#pragma once

#include <string>
#include <vector>

#include "experiment/experiment.h"

namespace spillway {

// Of an experiment with architectures its layout, what it trains, how layers are split, numbers of its own in
// place of the platform's, and where its samples come from; of every one the texts that it states. A sentence
// each, without a full stop.
std::vector<std::string> assumed(const Experiment& experiment);

}  // namespace spillway
