// The numbers of an experiment that a fit may set.
#pragma once

#include <string>

#include "experiment/experiment.h"

namespace spillway {

// Analytic: /model/blocks/<i>/efficiency/compute, .../efficiency/memory, .../fixed_ms. Given:
// /model/blocks/<i>/profile/forward_ms, .../input_gradient_ms, .../weight_gradient_ms, and /network/p2p_ms.
bool is_parameter(const Experiment& experiment, const std::string& pointer);

// One of them, for messages.
std::string some_parameter(const Experiment& experiment);

// The experiment with the number at `pointer` replaced. Contract: the pointer is one of its fits'.
Experiment with_parameter(Experiment experiment, const std::string& pointer, double value);

}  // namespace spillway
