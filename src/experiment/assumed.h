// The assumptions behind a result. Each sentence is made from the value that the experiment ran with, so a
// setting that changes the value also changes the sentence.
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
