// One rule for every input: a key that changes nothing is said. Private to src/input.
#pragma once

#include <vector>

#include "experiment/experiment.h"
#include "json/node.h"

namespace spillway {

// The keys of an experiment's document, those that may be left out, that change no figure of `experiment`,
// read from it, whatever values they have. What cannot be told without running the job is not among them.
// Tables: idle_*_keys.cpp; tests/laws and tests/evaluate/idle_keys_test.cpp hold them.
std::vector<IdleKey> idle_keys(const Node& document, const Experiment& experiment);

}  // namespace spillway
