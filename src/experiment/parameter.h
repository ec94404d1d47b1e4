// The numbers of an experiment that a fit may set.
#pragma once

#include <string>

#include "experiment/experiment.h"

namespace spillway {

// Returns true if a fit may set the number at `pointer`. Analytic costs:
// /model/blocks/<i>/efficiency/compute, .../efficiency/memory, .../fixed_ms. Given costs:
// /model/blocks/<i>/profile/forward_ms, .../input_gradient_ms, .../weight_gradient_ms, and /network/p2p_ms.
bool is_parameter(const Experiment& experiment, const std::string& pointer);

// Returns one of these pointers, for messages.
std::string some_parameter(const Experiment& experiment);

// Returns the experiment with the number at `pointer` replaced. Contract: the pointer is that of one of its
// fits.
Experiment with_parameter(Experiment experiment, const std::string& pointer, double value);

}  // namespace spillway
