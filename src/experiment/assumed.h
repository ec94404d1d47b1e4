// The assumptions of a result. Each sentence is made from the value that the experiment ran with, so a
// setting that changes the value also changes the sentence.
#pragma once

#include <string>
#include <vector>

#include "experiment/experiment.h"

namespace spillway {

// Returns one sentence for each assumption, without a full stop. An experiment with architectures has its
// layout, what it trains, how layers are split, its own numbers in place of the platform's, and where its
// samples come from. Every experiment has the texts that it states.
std::vector<std::string> assumed(const Experiment& experiment);

}  // namespace spillway
